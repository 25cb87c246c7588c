import Blur

extension PixelFormat {
  /// Returns the number that a component holds after `value` has been stored in it. In 8- and 16-bit formats,
  /// the value is rounded to nearest, with ties upwards, and clamped to the range of the format. In float
  /// formats, it is rounded to single precision.
  func stored(_ value: Double) -> Double {
    switch component {
    case .uint8, .uint16: max(0, min(fullScale, (value + 0.5).rounded(.down)))
    case .float32: Double(Float(value))
    }
  }

  /// The step from one code value to the next, in levels (1/255 of full scale). It is 0 for float formats,
  /// whose values are not evenly spaced.
  var codeInLevels: Double { component == .float32 ? 0 : 255 / fullScale }
}

extension ImageView {
  /// Returns component `i` of row `y` in the format's own units. A component is one channel of one pixel.
  func value(_ i: Int, _ y: Int) -> Double {
    // SAFETY: the loads stay inside row `y`, because callers pass a row of the image and a component of that
    // row. The 16- and 32-bit loads do not need an aligned address.
    switch layout.format.component {
    case .uint8: Double(unsafeRow(y).load(fromByteOffset: i, as: UInt8.self))
    case .uint16: Double(unsafeRow(y).loadUnaligned(fromByteOffset: 2 * i, as: UInt16.self))
    case .float32: Double(unsafeRow(y).loadUnaligned(fromByteOffset: 4 * i, as: Float.self))
    }
  }

  /// Returns all components of row `y` in the format's own units.
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
    let (row, size) = (unsafeRow(y), MemoryLayout<C>.size)
    // SAFETY: a row holds `rowComponents` components of this type, so the loads stay inside the row. They do
    // not need an aligned address.
    return (0..<layout.rowComponents).map { number(row.loadUnaligned(fromByteOffset: $0 * size, as: type)) }
  }

  /// Returns a copy of the pixels as a separate image.
  func image() throws(BlurError) -> Image {
    var copy = try Image(layout.format, width: layout.width, height: layout.height)
    copy.withMutableView { $0.copyPixels(of: self) }
    return copy
  }
}

extension MutableImageView {
  /// Copies the pixels of `image`, which must have the same format and size.
  func copyPixels(of image: Image) { image.withView { copyPixels(of: $0) } }

  /// Stores `value` as component `i` of row `y`, rounded to a value that the format can hold.
  func setValue(_ i: Int, _ y: Int, to value: Double) {
    let stored = layout.format.stored(value)
    // SAFETY: the component is stored inside row `y`, because callers pass a row of the image and a component
    // of that row. Storing bytes does not need an aligned address.
    switch layout.format.component {
    case .uint8: unsafeRow(y).storeBytes(of: UInt8(stored), toByteOffset: i, as: UInt8.self)
    case .uint16: unsafeRow(y).storeBytes(of: UInt16(stored), toByteOffset: 2 * i, as: UInt16.self)
    case .float32: unsafeRow(y).storeBytes(of: Float(stored), toByteOffset: 4 * i, as: Float.self)
    }
  }
}

extension Image {
  /// Creates an image from a closure that returns the value of each component.
  ///
  /// - Parameter value: A closure that returns the value for a column, row and channel, in the format's own
  ///   units.
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

  /// Returns a new image with the given layout, whose pixel (x, y) is a copy of this image's pixel
  /// `position(x, y)`.
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
            // SAFETY: `bytes` bytes of one pixel are copied. Both pixels lie inside their images, and the two
            // images have the same format, so their pixels have the same size.
            (target.unsafeRow(y) + x * bytes).copyMemory(
              from: view.unsafeRow(from.y) + from.x * bytes, byteCount: bytes)
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
  /// Returns the components of a row in which every pixel has the constant edge colour, rounded to values
  /// that the format can hold. For the other edge modes, all components are 0.
  func constantRow(_ layout: ImageLayout) -> [Double] {
    guard case .constant(let pixel) = self else {
      return [Double](repeating: 0, count: layout.rowComponents)
    }
    return (0..<layout.rowComponents).map {
      layout.format.stored(Double(pixel[$0 % layout.format.channels]))
    }
  }
}
