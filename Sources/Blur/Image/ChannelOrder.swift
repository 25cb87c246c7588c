extension ImageLayout {
  /// The order in which the channels of a pixel are stored, from the lowest address to the highest.
  ///
  /// A blur treats all channels alike. It only needs to know the order to find alpha, and to match the
  /// components of ``EdgeMode/constant(_:)`` to the channels. The C interface refers to a case by its index,
  /// so a new case must go to the end.
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

  /// The meaning of the fourth channel. The C interface refers to a case by its index, so a new case must go
  /// to the end.
  public enum Alpha: String, CaseIterable, Sendable {
    /// The fourth channel is the opacity, and the stored colours are already multiplied by it. Formats with
    /// one or three channels use this value, too, although it means nothing for them.
    case premultiplied
    /// The fourth channel is the opacity, and the colours are not multiplied by it, as in PNG files.
    ///
    /// The library multiplies the colours by alpha before a blur, and divides them by the blurred alpha after
    /// it. In between, it stores 8-bit components as 16-bit integers and 16-bit components as floats, so that
    /// pixels with a small alpha keep their colour. Before rounding, the error of alpha is within the error
    /// bound, and the error of a colour is at most the bound divided by alpha. Colours become 0 if the
    /// blurred alpha is 0. With sigma 0, no pixel changes.
    case straight
    /// The fourth channel is not used as opacity. Every pixel is opaque, whatever its fourth channel holds.
    /// The fourth channel of the result is full scale.
    case opaque
  }

  /// The index of the alpha component within a pixel. Only formats with four channels have one.
  package var alphaIndex: Int { order.index(of: 3) }

  /// Returns the layout of the images that a kernel gets if the user's images have this layout. The channel
  /// order is always `rgba`, because kernels do not need to know the real order. Alpha is always
  /// premultiplied, because kernels cannot blur straight alpha.
  ///
  /// Images with straight alpha get more bits per component, so that multiplying by alpha loses no colour.
  /// With sigma 0, the images are not converted, because kernels then only copy the components.
  package func forKernels(_ sigma: Sigma) -> ImageLayout {
    let wide = format.with(format.component == .uint8 ? .uint16 : .float32)
    let layout = isConverted(sigma) ? packed(as: wide) : self
    return ImageLayout(layout.format, width, height, layout.stride, .rgba, .premultiplied)
  }

  /// Returns whether a blur converts the pixels to premultiplied alpha for the kernel, and back afterwards.
  func isConverted(_ sigma: Sigma) -> Bool { alpha == .straight && !sigma.isIdentity }
}

extension EdgeMode {
  /// Returns the edge mode that a kernel gets if the user's images have the given layout. Only the constant
  /// mode is changed: its pixel gets the channel order of the images. If the images have straight
  /// alpha, the pixel's colours are also multiplied by its alpha.
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
