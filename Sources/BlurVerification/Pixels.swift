import Blur

extension PixelFormat {
  /// The number a component holds after storing `value`: rounded to nearest and clamped to the range for
  /// 8 and 16 bits (ties go up), in single precision for float.
  func stored(_ value: Double) -> Double {
    switch component {
    case .uint8, .uint16: max(0, min(fullScale, (value + 0.5).rounded(.down)))
    case .float32: Double(Float(value))
    }
  }

  /// One stored step in levels (1/255 of full scale), or 0 for float, which has no fixed step.
  var codeInLevels: Double { component == .float32 ? 0 : 255 / fullScale }
}

extension ImageView {
  /// Component `i` of row `y`, counted over all channels, in the format's own units.
  func value(_ i: Int, _ y: Int) -> Double {
    // SAFETY: callers stay inside the image; no alignment is assumed.
    switch layout.format.component {
    case .uint8: Double(row(y).load(fromByteOffset: i, as: UInt8.self))
    case .uint16: Double(row(y).loadUnaligned(fromByteOffset: 2 * i, as: UInt16.self))
    case .float32: Double(row(y).loadUnaligned(fromByteOffset: 4 * i, as: Float.self))
    }
  }

  /// All components of row `y`, in the format's own units.
  func values(ofRow y: Int) -> [Double] {
    switch layout.format.component {
    case .uint8: numbers(ofRow: y, as: UInt8.self) { Double($0) }
    case .uint16: numbers(ofRow: y, as: UInt16.self) { Double($0) }
    case .float32: numbers(ofRow: y, as: Float.self) { Double($0) }
    }
  }

  private func numbers<C: BitwiseCopyable>(
    ofRow y: Int, as type: C.Type, _ number: (C) -> Double
  ) -> [Double] {
    let (row, size) = (row(y), MemoryLayout<C>.size)
    // SAFETY: a row holds this many components; no alignment is assumed.
    return (0..<layout.rowComponents).map { number(row.loadUnaligned(fromByteOffset: $0 * size, as: type)) }
  }
}

extension MutableImageView {
  /// Stores component `i` of row `y`, counted over all channels, rounded to what the format can hold.
  func setValue(_ i: Int, _ y: Int, to value: Double) {
    let stored = layout.format.stored(value)
    // SAFETY: callers stay inside the image; storing bytes assumes no alignment.
    switch layout.format.component {
    case .uint8: row(y).storeBytes(of: UInt8(stored), toByteOffset: i, as: UInt8.self)
    case .uint16: row(y).storeBytes(of: UInt16(stored), toByteOffset: 2 * i, as: UInt16.self)
    case .float32: row(y).storeBytes(of: Float(stored), toByteOffset: 4 * i, as: Float.self)
    }
  }

  /// Copies the pixels of `source`, which has the same format and size.
  func copyPixels(of source: ImageView) {
    for y in 0..<layout.height {
      // SAFETY: rows of the same format and width have the same number of bytes.
      row(y).copyMemory(from: source.row(y), byteCount: layout.rowBytes)
    }
  }
}

extension Image {
  /// Paints an image: `value` is asked for column, row and channel, and answers in the format's own units.
  static func painted(
    _ layout: ImageLayout, _ value: (_ x: Int, _ y: Int, _ channel: Int) -> Double
  ) throws(BlurError) -> Image {
    var image = try Image(layout)
    let channels = layout.format.channels
    image.withMutableView { view in
      for y in 0..<layout.height {
        for x in 0..<layout.width {
          for c in 0..<channels { view.setValue(x * channels + c, y, to: value(x, y, c)) }
        }
      }
    }
    return image
  }

  /// A copy whose pixel (x, y) is this image's pixel `position(x, y)`, in a layout of its own.
  func rearranged(
    _ layout: ImageLayout, _ position: (_ x: Int, _ y: Int) -> (x: Int, y: Int)
  ) throws(BlurError) -> Image {
    var image = try Image(layout)
    let bytes = layout.format.bytesPerPixel
    withView { view in
      image.withMutableView { target in
        for y in 0..<layout.height {
          for x in 0..<layout.width {
            let from = position(x, y)
            // SAFETY: both pixels are inside their images, which have one format.
            (target.row(y) + x * bytes).copyMemory(
              from: view.row(from.y) + from.x * bytes, byteCount: bytes)
          }
        }
      }
    }
    return image
  }

  /// The largest finite magnitude of the image's components.
  var largestMagnitude: Double {
    withView { view in
      (0..<layout.height).reduce(0) { largest, y in
        view.values(ofRow: y).lazy.map(abs).filter(\.isFinite).reduce(largest, max)
      }
    }
  }
}

extension EdgeMode {
  /// A row of the constant pixel, as the format stores it; zeros for the other modes.
  func constantRow(_ layout: ImageLayout) -> [Double] {
    guard case .constant(let pixel) = self else {
      return [Double](repeating: 0, count: layout.rowComponents)
    }
    return (0..<layout.rowComponents).map {
      layout.format.stored(Double(pixel[$0 % layout.format.channels]))
    }
  }
}
