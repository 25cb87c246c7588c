import Blur

/// An image from a file, with what the file was like, so that a result can be written the same way.
///
/// Files hold straight alpha; ``image`` is premultiplied, so that blurring it leaves no dark halo. Pixels
/// with alpha need more bits inside than in the file, or dark ones would lose their colour: 8-bit files with
/// transparent pixels become `rgba16`, 16-bit ones `rgbaf32`. Reading and writing gives the same file pixels
/// wherever alpha is not 0.
public struct Picture: Sendable {
  /// The pixels: gray, rgb, or rgba with premultiplied alpha. Where a new image lets something through, files
  /// get alpha.
  public var image: Image {
    didSet { if channels == 3 && !isOpaque { channels = 4 } }
  }
  /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA: what a file of it holds.
  public var channels: Int
  /// The sample type of a file of it.
  public var depth: Samples.Depth

  /// Takes an image; a file of it has alpha only if some pixel is not opaque.
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

  /// Takes what a file holds.
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

  /// Whether no pixel of the image lets anything through.
  private var isOpaque: Bool {
    let layout = image.layout
    guard layout.format.channels == 4 else { return true }
    func isOpaque<Value: BitwiseCopyable>(_ row: UnsafeRawPointer, _ isFull: (Value) -> Bool) -> Bool {
      // SAFETY: a row holds `width` pixels of four components, alpha last.
      let alphas = (0..<layout.width).lazy.map { MemoryLayout<Value>.size * (4 * $0 + 3) }
      return alphas.allSatisfy { isFull(row.loadUnaligned(fromByteOffset: $0, as: Value.self)) }
    }
    return image.withView { view in
      (0..<layout.height).lazy.map(view.row).allSatisfy { row in
        switch layout.format.component {
        case .uint8: isOpaque(row) { (alpha: UInt8) in alpha == .max }
        case .uint16: isOpaque(row) { (alpha: UInt16) in alpha == .max }
        case .float32: isOpaque(row) { (alpha: Float) in alpha >= 1 }
        }
      }
    }
  }

  /// The picture as files hold it, in its own channels and depth.
  func samples() -> Samples {
    let layout = image.layout
    var samples = Samples(shape)
    image.withView { view in
      for y in 0..<layout.height { samples.unpremultiply(row: y, from: view.row(y), layout.format) }
    }
    return samples
  }

  /// What a file of it holds.
  var shape: Samples.Shape {
    Samples.Shape(width: image.layout.width, height: image.layout.height, channels: channels, depth: depth)
  }

  /// Writes all rows.
  func write(to writer: any RowWriter) throws(ImageFileError.Fault) {
    try image.withView { (view) throws(ImageFileError.Fault) in try writer.write(rowsOf: view) }
    try writer.finish()
  }
}

extension RowWriter {
  /// Writes rows of pixels, premultiplied where there is alpha.
  func write(rowsOf view: ImageView) throws(ImageFileError.Fault) {
    var row = Samples(shape.row)
    for y in 0..<view.layout.height {
      row.unpremultiply(row: 0, from: view.row(y), view.layout.format)
      try write(row)
    }
  }
}

extension Samples.Shape {
  /// Whether rows are the same bytes as those of an image of that format: without alpha, of the same type.
  func isStored(as format: PixelFormat) -> Bool {
    !hasAlpha && channels == format.channels && format.component.bytes == depth.bytes
  }

  /// The format that pictures of this shape have inside.
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
  /// Whether no pixel lets anything through.
  var isOpaque: Bool {
    guard hasAlpha else { return true }
    return stride(from: channels - 1, to: width * height * channels, by: channels).allSatisfy {
      share($0) >= 1
    }
  }

  /// Writes row `y` as pixels of `format`, colours multiplied by alpha.
  func premultiply(row y: Int, into row: UnsafeMutableRawPointer, _ format: PixelFormat) {
    if shape.isStored(as: format) {
      return bytes.withUnsafeBytes { bytes in
        // SAFETY: a row of either has `rowBytes` bytes.
        row.copyMemory(from: bytes.start + y * shape.rowBytes, byteCount: shape.rowBytes)
      }
    }
    // Others have alpha.
    for x in 0..<width {
      let first = (y * width + x) * channels
      let alpha = share(first + channels - 1)
      for c in 0..<3 {
        row.setShare(4 * x + c, share(first + (channels < 3 ? 0 : c)) * alpha, format)
      }
      row.setShare(4 * x + 3, alpha, format)
    }
  }

  /// Reads row `y` from pixels of `format`, colours divided by alpha; where alpha is 0 they are 0.
  mutating func unpremultiply(row y: Int, from row: UnsafeRawPointer, _ format: PixelFormat) {
    if shape.isStored(as: format) {
      let shape = shape
      return bytes.withUnsafeMutableBytes { bytes in
        // SAFETY: a row of either has `rowBytes` bytes.
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
  /// Component `index` of a row as a share of full scale.
  @inline(__always)
  fileprivate func share(_ index: Int, _ format: PixelFormat) -> Double {
    // SAFETY: callers pass a component of the row.
    switch format.component {
    case .uint8: Double(load(fromByteOffset: index, as: UInt8.self)) / 255
    case .uint16: Double(loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)) / 65535
    case .float32: Double(loadUnaligned(fromByteOffset: 4 * index, as: Float.self))
    }
  }
}

extension UnsafeMutableRawPointer {
  /// Stores a share from 0 to 1, or any for float, as component `index` of a row.
  @inline(__always)
  fileprivate func setShare(_ index: Int, _ share: Double, _ format: PixelFormat) {
    // SAFETY: callers pass a component of the row.
    switch format.component {
    case .uint8: storeBytes(of: UInt8(share * 255 + 0.5), toByteOffset: index, as: UInt8.self)
    case .uint16: storeBytes(of: UInt16(share * 65535 + 0.5), toByteOffset: 2 * index, as: UInt16.self)
    case .float32: storeBytes(of: Float(share), toByteOffset: 4 * index, as: Float.self)
    }
  }
}
