import Blur

/// An image from a file, together with the channels and the depth of the file. A result can therefore be
/// written with the same channels and depth.
///
/// Files hold straight alpha, but ``image`` is premultiplied, so that transparent edges get no dark halo when
/// they are blurred. Multiplying by a small alpha makes a pixel so dark that its colour would be lost by
/// rounding to the bit depth of the file. Pictures with transparent pixels therefore get more bits: 8-bit
/// files become `rgba16`, and 16-bit files become `rgbaf32`. If a picture is read and written again, its
/// pixels do not change, except where alpha is 0. (Floats with alpha may change in their last bit.)
///
/// ``image`` has the values of the file. They are linear light if ``isLinearLight`` is true, as in a PFM file
/// or in a PNG file with a gamma of 1. If a file stores linear light with 8 bits, the image has 16 bits,
/// because 8 bits of linear light are too few for dark colours in sRGB.
public struct Picture: Sendable {
  /// The pixels, in a gray, RGB or RGBA format. They are premultiplied by alpha if the picture was read from
  /// a file. If you give an RGB picture a new image that has transparent pixels, the picture gets an alpha
  /// channel when it is written.
  public var image: Image {
    didSet { if channels == 3 && !isOpaque { channels = 4 } }
  }
  /// The number of channels that this picture has in a file: 1 for gray, 2 for gray and alpha, 3 for RGB, 4
  /// for RGBA.
  public var channels: Int
  /// The type that the samples of this picture have in a file.
  public var depth: Samples.Depth
  /// The file extension of the format from which the picture was read, or `png`.
  public internal(set) var ending = "png"
  /// Whether the values of ``image`` are linear light. If they are not, they are encoded with the picture's
  /// ``curve``. Set this property if you replace an ``image`` in linear light with an encoded one, or the
  /// other way round.
  public var isLinearLight: Bool
  /// The data in the picture's file apart from the pixels. It is empty for a picture that was not read from a
  /// file.
  public var metadata = PictureMetadata()
  /// The name of the picture's file in error messages.
  private var name = "the picture"

  /// The curve that converts between stored values and linear light. It is the curve that the picture's file
  /// specifies, or sRGB if the file specifies none.
  ///
  /// - Throws: ``ImageFileError`` with advice if the file has a colour profile or a curve that is not
  ///   supported.
  public var curve: TransferCurve {
    get throws(ImageFileError) {
      do throws(ImageDataError) { return try metadata.curve() } catch {
        throw ImageFileError(name, error.description)
      }
    }
  }

  /// Creates a picture from an image. When the picture is written to a file, it gets an alpha channel only if
  /// some pixel is not opaque. Floats are taken as linear light, and integers as sRGB.
  public init(_ image: Image) {
    self.image = image
    channels = image.layout.format.channels
    isLinearLight = image.layout.format.component == .float32
    switch image.layout.format.component {
    case .uint8: depth = .bits8
    case .uint16: depth = .bits16
    case .float32: depth = .float
    }
    if channels == 4 && isOpaque { channels = 3 }
  }

  /// Creates a picture from the samples of a file.
  ///
  /// - Parameter widensLight: Whether 8-bit linear light gets 16 bits in memory. This is false for masks,
  ///   which keep 8 bits.
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  init(
    _ samples: Samples, _ metadata: PictureMetadata = .init(), named name: String = "the picture",
    widensLight: Bool = false
  ) throws(BlurError) {
    (self.metadata, self.name) = (metadata, name)
    self.metadata.note(hiddenColours: samples.hiddenColours)
    isLinearLight = metadata.isLinearLight(samples.depth)
    channels = samples.channels
    depth = samples.depth
    let format = samples.shape.pixelFormat(
      isOpaque: samples.isOpaque, isWide: widensLight && isLinearLight)
    var image = try Image(format, width: samples.width, height: samples.height)
    image.withMutableView { view in
      for y in 0..<samples.height { samples.premultiply(row: y, into: view.unsafeRow(y), format) }
    }
    self.image = image
  }

  /// Whether every pixel of the image is opaque. In a float image, an alpha slightly below 1 also counts as
  /// opaque, because a blur has rounding errors.
  var isOpaque: Bool {
    let layout = image.layout
    guard layout.format.channels == 4, layout.alpha != .opaque else { return true }
    func isOpaque<Value: BitwiseCopyable>(_ row: UnsafeRawPointer, _ isFull: (Value) -> Bool) -> Bool {
      // SAFETY: `row` holds `width` pixels of four components, one of which is alpha, so each offset lies
      // inside the row.
      let alphas = (0..<layout.width).lazy.map { MemoryLayout<Value>.size * (4 * $0 + layout.alphaIndex) }
      return alphas.allSatisfy { isFull(row.loadUnaligned(fromByteOffset: $0, as: Value.self)) }
    }
    return image.withView { view in
      (0..<layout.height).lazy.map(view.unsafeRow).allSatisfy { row in
        switch layout.format.component {
        case .uint8: isOpaque(row) { (alpha: UInt8) in alpha == .max }
        case .uint16: isOpaque(row) { (alpha: UInt16) in alpha == .max }
        case .float32: isOpaque(row) { (alpha: Float) in alpha > 1 - 1 / 131_072 }
        }
      }
    }
  }

  /// The size, channels and depth that this picture has in a file.
  var shape: Samples.Shape {
    Samples.Shape(width: image.layout.width, height: image.layout.height, channels: channels, depth: depth)
  }

  /// Writes the picture to a file of the given format.
  ///
  /// - Returns: A sentence about each loss.
  func write(to file: FileStream, as kind: FileFormat) throws -> [String] {
    let (kept, notes) = metadata.fitting(kind.ending, kind.shape)
    var conversion = try SampleConversion(
      from: depth, image.layout.format, isLinearLight: isLinearLight, to: kind
    ) { try curve }
    let writer = try kind.writer(kept, file)
    try image.withView { (view) throws(ImageDataError) in try writer.write(rowsOf: view, &conversion) }
    try writer.finish(with: kept)
    return notes + [conversion.clamped.note].compactMap { $0 }
  }

  /// Returns the picture with ``image`` converted to linear light by the picture's own ``curve``. Alpha does
  /// not change. When the result is written to a file, the light is encoded again. To stay within an error
  /// bound for the file, blur with the bound that ``TransferCurve/bound(levels:for:)`` returns:
  /// ```swift
  /// var picture = try ImageFile.read("in.png")
  /// let bound = try picture.curve.bound(levels: 1, for: picture.image.layout.format)
  /// picture = try picture.linearLight()
  /// picture.image = try picture.image.blurred(sigma: 12, accuracy: bound)
  /// try ImageFile.write(picture, to: "out.png")
  /// ```
  /// - Throws: ``ImageFileError`` as for ``curve``, and ``Blur/BlurError/invalidLayout(_:)`` for a picture
  ///   with 16 bits per component and transparent pixels.
  public func linearLight() throws -> Picture {
    guard !isLinearLight else { return self }
    let curve = try curve
    var light = self
    light.isLinearLight = true
    switch curve {
    case .linear: break
    case .sRGB: light.image = try image.linearLight()
    default: light.image = try image.light(under: curve)
    }
    return light
  }
}

extension Image {
  /// Returns the image converted to linear light, as floats. Alpha does not change.
  ///
  /// - Throws: ``Blur/BlurError/invalidLayout(_:)`` for float images, or
  ///   ``Blur/BlurError/outOfMemory(bytes:)``.
  fileprivate func light(under curve: TransferCurve) throws(BlurError) -> Image {
    let format = layout.format
    guard format.component != .float32 else { return try linearLight() }
    let target = format.with(.float32)
    var light = try Image(layout.packed(as: target))
    let (isMultiplied, alphaIndex) = (format.hasAlpha && layout.alpha == .premultiplied, layout.alphaIndex)
    let full = format.component == .uint8 ? 255 : 65535
    let lights = (0...full).map { curve.light(of: Double($0) / Double(full)) }
    withView { view in
      light.withMutableView { result in
        for y in 0..<view.layout.height {
          let (from, to) = (view.unsafeRow(y), result.unsafeRow(y))
          for i in 0..<view.layout.width * format.channels {
            let value = from.share(i, format)
            let isAlpha = format.hasAlpha && i % 4 == alphaIndex
            let alpha = isMultiplied ? from.share(i / 4 * 4 + alphaIndex, format) : 1
            if isAlpha || alpha == 0 {
              to.setShare(i, value, target)
            } else if alpha == 1 {
              to.setShare(i, lights[Int(value * Double(full) + 0.5)], target)
            } else {
              to.setShare(i, alpha * curve.light(of: min(1, value / alpha)), target)
            }
          }
        }
      }
    }
    return light
  }
}

extension Samples.Shape {
  /// Returns whether a row in the file has exactly the same bytes as a row of an image with this pixel
  /// format.
  func isStored(as format: PixelFormat) -> Bool {
    !hasAlpha && channels == format.channels && format.component.bytes == depth.bytes
  }

  /// Returns the pixel format that a picture with this shape has in memory.
  ///
  /// - Parameters:
  ///   - isOpaque: Whether every pixel of the picture is opaque.
  ///   - isWide: Whether 8-bit samples become 16-bit samples in memory even if every pixel is opaque.
  func pixelFormat(isOpaque: Bool, isWide: Bool) -> PixelFormat {
    let depth = isWide && depth == .bits8 && (isOpaque || !hasAlpha) ? .bits16 : depth
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
        // SAFETY: here, a row takes `rowBytes` bytes both in the file and in the image. `bytes` holds that
        // many bytes for each row of the picture, and `y` is one of these rows.
        row.copyMemory(from: bytes.start + y * shape.rowBytes, byteCount: shape.rowBytes)
      }
    }
    guard hasAlpha else {
      // This row holds 8-bit linear light that becomes 16 bits. All other rows without alpha were copied
      // above.
      for i in 0..<shape.rowCount { row.setShare(i, share(y * shape.rowCount + i), format) }
      return
    }
    for x in 0..<width {
      let first = (y * width + x) * channels
      let alpha = share(first + channels - 1)
      for c in 0..<3 {
        row.setShare(4 * x + c, share(first + (channels < 3 ? 0 : c)) * alpha, format)
      }
      row.setShare(4 * x + 3, alpha, format)
    }
  }

  /// Converts a row of image pixels with the given layout to samples, and stores them as row `y`.
  /// Premultiplied colours are divided by alpha. If alpha is 0 or negative, the colours become 0.
  mutating func unpremultiply(
    row y: Int, from row: UnsafeRawPointer, _ layout: ImageLayout, _ conversion: inout SampleConversion
  ) {
    let format = layout.format
    if shape.isStored(as: format) && layout.order == .rgba && conversion.isIdentity {
      let shape = shape
      return bytes.withUnsafeMutableBytes { bytes in
        // SAFETY: here, a row takes `rowBytes` bytes both in the file and in the image. `bytes` holds that
        // many bytes for each row of the picture, and `y` is one of these rows.
        (bytes.start + y * shape.rowBytes).copyMemory(from: row, byteCount: shape.rowBytes)
      }
    }
    let (colours, pixel) = (channels < 3 ? 1 : 3, format.channels)
    for x in 0..<width {
      let first = (y * width + x) * channels
      let hasAlpha = format.hasAlpha && layout.alpha != .opaque
      let alpha = hasAlpha ? row.share(pixel * x + layout.alphaIndex, format) : 1
      for c in 0..<colours {
        let value = row.share(pixel * x + (pixel == 1 ? 0 : layout.order.index(of: c)), format)
        let isStraight = alpha == 1 || layout.alpha == .straight
        let straight = isStraight ? value : alpha <= 0 ? 0 : value / alpha
        let stored = conversion.converted(straight, isExact: isStraight)
        conversion.count(stored, full: depth.full)
        setShare(first + c, stored)
      }
      conversion.count(alpha, full: depth.full)
      if shape.hasAlpha { setShare(first + channels - 1, alpha) }
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
  /// integer components, and may have any value for float components.
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
