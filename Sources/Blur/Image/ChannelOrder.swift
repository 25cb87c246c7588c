extension ImageLayout {
  /// The order in which the channels of a pixel are stored, from the lowest address to the highest.
  ///
  /// A blur treats all channels alike. The order only matters for alpha, and for ``EdgeMode/constant(_:)``,
  /// whose components have to be assigned to the channels. The order of the cases defines their numbers in C.
  public enum ChannelOrder: String, CaseIterable, Sendable {
    /// Red, green, blue and alpha, or blue, green, red and alpha. Formats with three channels leave out
    /// alpha.
    case rgba, bgra
    /// Alpha, red, green and blue, or alpha, blue, green and red.
    case argb, abgr

    /// Returns the position at which a channel is stored within a pixel, from 0 to 3. `channel` is 0 for red,
    /// 1 for green, 2 for blue and 3 for alpha.
    package func index(of channel: Int) -> Int {
      switch self {
      case .rgba: channel
      case .bgra: channel == 3 ? 3 : 2 - channel
      case .argb: (channel + 1) % 4
      case .abgr: 3 - channel
      }
    }
  }

  /// The meaning of the fourth channel. The order of the cases defines their numbers in C.
  public enum Alpha: String, CaseIterable, Sendable {
    /// The fourth channel is the opacity, and the colours are multiplied by it. This is also the value for
    /// formats with one or three channels, where it has no meaning.
    case premultiplied
    /// The fourth channel is the opacity, and the colours are not multiplied by it, as in PNG files.
    ///
    /// Before a blur, the colours are multiplied by alpha. At the end, they are divided by the blurred alpha.
    /// In between, 8 bits become 16 bits and 16 bits become floats, so that pixels with a small alpha keep
    /// their colour. Before rounding, the error of alpha is within the error bound, and the error of a colour
    /// is at most the bound divided by alpha. Where the blurred alpha is 0, the colours become 0. With sigma
    /// 0, no pixel changes.
    case straight
    /// The fourth channel is not used as opacity. Every pixel is opaque, whatever its fourth channel holds.
    /// The fourth channel of the result is full scale.
    case opaque
  }

  /// The index of the alpha component within a pixel. Only formats with four channels have one.
  package var alphaIndex: Int { order.index(of: 3) }

  /// The user's images have this layout. Returns the layout of the images that are passed to a kernel. The
  /// two layouts can differ, because kernels can blur only images with premultiplied alpha. Kernels do not
  /// need to know the order of the channels.
  ///
  /// Images with straight alpha get more bits per component, so that multiplying by alpha loses no colour.
  /// With sigma 0, the images are not converted, because kernels then only copy the components.
  package func forKernels(_ sigma: Sigma) -> ImageLayout {
    let wide = format.with(format.component == .uint8 ? .uint16 : .float32)
    let layout = isConverted(sigma) ? packed(as: wide) : self
    return ImageLayout(layout.format, width, height, layout.stride, .rgba, .premultiplied)
  }

  /// Whether a blur converts the pixels before and after it runs a kernel.
  func isConverted(_ sigma: Sigma) -> Bool { alpha == .straight && !sigma.isIdentity }
}

extension EdgeMode {
  /// Returns this edge mode, adapted to the images that a kernel blurs if the user's images have the given
  /// layout. The components of a constant pixel are multiplied by alpha and ordered like the components of
  /// the image.
  func forKernels(of layout: ImageLayout) -> EdgeMode {
    guard case .constant = self else { return self }
    let (format, full) = (layout.format, layout.format.fullScale)
    // With straight alpha, 8-bit components become 16-bit components, and other components become fractions
    // of full scale.
    let scale = format.component == .uint8 ? 257 : 1 / full
    let alpha = Double(constant(3, in: format))
    var stored = SIMD4<Float>.zero
    for channel in 0..<format.channels {
      let value = constant(channel, in: format)
      stored[layout.order.index(of: channel)] =
        layout.alpha == .straight
        ? Float(Double(value) * (channel == 3 ? 1 : alpha / full) * scale) : value
    }
    return .constant(stored)
  }
}

extension MutableImageView {
  /// Sets the fourth channel of the given rows to full scale.
  func makeOpaque(_ rows: Range<Int>) {
    switch layout.format.component {
    case .uint8: setAlpha(rows, UInt8.max)
    case .uint16: setAlpha(rows, UInt16.max)
    case .float32: setAlpha(rows, Float(1))
    }
  }

  @inline(__always)
  private func setAlpha<C: PixelComponent>(_ rows: Range<Int>, _ value: C) {
    for y in rows {
      let row = unsafeRow(y)
      for i in Swift.stride(from: layout.alphaIndex, to: layout.rowComponents, by: 4) {
        // SAFETY: `i` is the index of the alpha component of a pixel of the row.
        row.setComponent(i, to: value)
      }
    }
  }
}
