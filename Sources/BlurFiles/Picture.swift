import Blur

/// An image from a file, together with the channels and the depth of the file, so that a result can be
/// written in the same way.
///
/// Files hold straight alpha, but ``image`` is premultiplied, so that transparent edges get no dark halo when
/// they are blurred. Multiplying by a small alpha makes a pixel so dark that its colour would be lost by
/// rounding to the bit depth of the file. Pictures with transparent pixels therefore get more bits: 8-bit
/// files become `rgba16`, and 16-bit files become `rgbaf32`. A picture that is read and written again has the
/// same pixels as its file, except where alpha is 0.
public struct Picture: Sendable {
  /// The pixels: gray, rgb, or rgba with premultiplied alpha. If an RGB picture is given a new image with
  /// transparent pixels, its file gets an alpha channel.
  public var image: Image {
    didSet { if channels == 3 && !isOpaque { channels = 4 } }
  }
  /// The number of channels that this picture has in a file: 1 for gray, 2 for gray and alpha, 3 for RGB, 4
  /// for RGBA.
  public var channels: Int
  /// The type that the samples of this picture have in a file.
  public var depth: Samples.Depth
  /// The file extension of the format from which the picture was read, or `png`.
  var ending = "png"

  /// Creates a picture from an image. When the picture is written to a file, it gets an alpha channel only if
  /// some pixel is not opaque.
  public init(_ image: Image) {
    self.image = image
    channels = image.layout.format.channels
    switch image.layout.format.component {
    case .uint8: depth = .bits8
    case .uint16: depth = .bits16
    case .float32: depth = .float
    }
    if channels == 4 && isOpaque { channels = 3 }
  }

  /// Creates a picture from the samples of a file.
  ///
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  init(_ samples: Samples) throws(BlurError) {
    channels = samples.channels
    depth = samples.depth
    let format = samples.shape.pixelFormat(isOpaque: samples.isOpaque)
    var image = try Image(format, width: samples.width, height: samples.height)
    image.withMutableView { view in
      for y in 0..<samples.height { samples.premultiply(row: y, into: view.row(y), format) }
    }
    self.image = image
  }

  /// Whether every pixel of the image is opaque. In float images, alpha may be less than 1 by the rounding
  /// error of a blur.
  var isOpaque: Bool {
    let layout = image.layout
    guard layout.format.channels == 4 else { return true }
    func isOpaque<Value: BitwiseCopyable>(_ row: UnsafeRawPointer, _ isFull: (Value) -> Bool) -> Bool {
      // SAFETY: `row` holds `width` pixels of four components. Alpha is the last component, so each offset
      // lies inside the row.
      let alphas = (0..<layout.width).lazy.map { MemoryLayout<Value>.size * (4 * $0 + 3) }
      return alphas.allSatisfy { isFull(row.loadUnaligned(fromByteOffset: $0, as: Value.self)) }
    }
    return image.withView { view in
      (0..<layout.height).lazy.map(view.row).allSatisfy { row in
        switch layout.format.component {
        case .uint8: isOpaque(row) { (alpha: UInt8) in alpha == .max }
        case .uint16: isOpaque(row) { (alpha: UInt16) in alpha == .max }
        case .float32: isOpaque(row) { (alpha: Float) in alpha > 1 - 1 / 131_072 }
        }
      }
    }
  }

  /// Returns the picture as the samples of a file, in its own channels and depth.
  func samples() -> Samples {
    let layout = image.layout
    var samples = Samples(shape)
    image.withView { view in
      for y in 0..<layout.height { samples.unpremultiply(row: y, from: view.row(y), layout.format) }
    }
    return samples
  }

  /// The size, channels and depth that this picture has in a file.
  var shape: Samples.Shape {
    Samples.Shape(width: image.layout.width, height: image.layout.height, channels: channels, depth: depth)
  }

  /// Writes all rows of the picture, and then the data that a file has after its last row.
  func write(to writer: any RowWriter) throws(ImageDataError) {
    try image.withView { (view) throws(ImageDataError) in try writer.write(rowsOf: view) }
    try writer.finish()
  }
}

extension RowWriter {
  /// Converts the rows of an image to the samples of a file, whose colours are not premultiplied by alpha,
  /// and writes them.
  func write(rowsOf view: ImageView) throws(ImageDataError) {
    var row = Samples(shape.row)
    for y in 0..<view.layout.height {
      row.unpremultiply(row: 0, from: view.row(y), view.layout.format)
      try write(row)
    }
  }
}

extension Samples.Shape {
  /// Whether the file stores a row with the same bytes as an image in `format` does.
  func isStored(as format: PixelFormat) -> Bool {
    !hasAlpha && channels == format.channels && format.component.bytes == depth.bytes
  }

  /// Returns the pixel format that a picture with this shape has in memory.
  ///
  /// - Parameter isOpaque: Whether every pixel of the picture is opaque.
  func pixelFormat(isOpaque: Bool) -> PixelFormat {
    switch (depth, isOpaque) {
    case _ where !hasAlpha: return (channels == 1 ? PixelFormat.gray8 : .rgb8).with(depth.component)
    case (.bits8, true): return .rgba8
    case (.bits8, false), (.bits16, true): return .rgba16
    case (.bits16, false), (.float, _): return .rgbaf32
    }
  }
}

extension Samples {
  /// Whether every pixel is opaque.
  var isOpaque: Bool {
    guard hasAlpha else { return true }
    return stride(from: channels - 1, to: width * height * channels, by: channels).allSatisfy {
      share($0) >= 1
    }
  }

  /// Converts row `y` to pixels of `format` and multiplies the colours by alpha.
  func premultiply(row y: Int, into row: UnsafeMutableRawPointer, _ format: PixelFormat) {
    if shape.isStored(as: format) {
      return bytes.withUnsafeBytes { bytes in
        // SAFETY: a row of the file and a row of the image both have `rowBytes` bytes here.
        row.copyMemory(from: bytes.start + y * shape.rowBytes, byteCount: shape.rowBytes)
      }
    }
    // The picture has an alpha channel, because rows without alpha have already been copied above.
    for x in 0..<width {
      let first = (y * width + x) * channels
      let alpha = share(first + channels - 1)
      for c in 0..<3 {
        row.setShare(4 * x + c, share(first + (channels < 3 ? 0 : c)) * alpha, format)
      }
      row.setShare(4 * x + 3, alpha, format)
    }
  }

  /// Converts pixels of `format` to row `y` and divides the colours by alpha. If alpha is 0, the colours are
  /// 0.
  mutating func unpremultiply(row y: Int, from row: UnsafeRawPointer, _ format: PixelFormat) {
    if shape.isStored(as: format) {
      let shape = shape
      return bytes.withUnsafeMutableBytes { bytes in
        // SAFETY: a row of the file and a row of the image both have `rowBytes` bytes here.
        (bytes.start + y * shape.rowBytes).copyMemory(from: row, byteCount: shape.rowBytes)
      }
    }
    let (colours, pixel) = (channels < 3 ? 1 : 3, format.channels)
    for x in 0..<width {
      let first = (y * width + x) * channels
      let alpha = format.hasAlpha ? row.share(pixel * x + 3, format) : 1
      for c in 0..<colours {
        let value = row.share(pixel * x + (pixel == 1 ? 0 : c), format)
        setShare(first + c, !hasAlpha || alpha == 1 ? value : alpha > 0 ? value / alpha : 0)
      }
      if hasAlpha { setShare(first + channels - 1, alpha) }
    }
  }
}

extension UnsafeRawPointer {
  /// Returns component `index` of a row as a fraction of full scale.
  @inline(__always)
  fileprivate func share(_ index: Int, _ format: PixelFormat) -> Double {
    // SAFETY: every caller passes the index of a component inside the row.
    switch format.component {
    case .uint8: Double(load(fromByteOffset: index, as: UInt8.self)) / 255
    case .uint16: Double(loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)) / 65535
    case .float32: Double(loadUnaligned(fromByteOffset: 4 * index, as: Float.self))
    }
  }
}

extension UnsafeMutableRawPointer {
  /// Stores a fraction of full scale as component `index` of a row. The fraction must be from 0 to 1 for
  /// integer components, and may be any value for float.
  @inline(__always)
  fileprivate func setShare(_ index: Int, _ share: Double, _ format: PixelFormat) {
    // SAFETY: every caller passes the index of a component inside the row.
    switch format.component {
    case .uint8: storeBytes(of: UInt8(share * 255 + 0.5), toByteOffset: index, as: UInt8.self)
    case .uint16: storeBytes(of: UInt16(share * 65535 + 0.5), toByteOffset: 2 * index, as: UInt16.self)
    case .float32: storeBytes(of: Float(share), toByteOffset: 4 * index, as: Float.self)
    }
  }
}
