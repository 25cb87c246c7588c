/// The shape of an image in memory: format, size in pixels, and the distance between rows in bytes.
public struct ImageLayout: Hashable, Sendable {
  /// How one pixel is stored.
  public let format: PixelFormat
  /// Pixels per row, at least 1.
  public let width: Int
  /// Number of rows, at least 1.
  public let height: Int
  /// Bytes from the start of one row to the start of the next. Any value of at least ``rowBytes``; bytes
  /// between the end of a row and the next stride are padding, never read as pixels and never written.
  public let stride: Int

  /// The longest side a layout may have, in pixels.
  public static let maximumSide = 1 << 24

  /// Makes a layout; without `stride`, rows follow each other without padding.
  ///
  /// - Throws: ``BlurError/invalidLayout(_:)`` when a side is not in 1…16,777,216, the stride is shorter
  ///   than a row, or the total size overflows.
  public init(_ format: PixelFormat, width: Int, height: Int, stride: Int? = nil) throws(BlurError) {
    let sides = 1...Self.maximumSide
    guard sides.contains(width), sides.contains(height) else {
      throw .invalidLayout("size \(width)x\(height): each side must be from 1 to \(Self.maximumSide) pixels")
    }
    let rowBytes = width * format.bytesPerPixel
    let stride = stride ?? rowBytes
    guard stride >= rowBytes else {
      throw .invalidLayout(
        "stride \(stride): a row of \(width) \(format.rawValue) pixels needs \(rowBytes) bytes")
    }
    guard !stride.multipliedReportingOverflow(by: height).overflow else {
      throw .invalidLayout("stride \(stride) times \(height) rows overflows")
    }
    self.format = format
    self.width = width
    self.height = height
    self.stride = stride
  }

  /// Bytes of one row that hold pixels.
  public var rowBytes: Int { width * format.bytesPerPixel }

  /// Components in one row: width × channels.
  public var rowComponents: Int { width * format.channels }

  /// Bytes from the first pixel to the end of the last one; the last row needs no padding.
  public var byteCount: Int { stride * (height - 1) + rowBytes }

  /// Pixels in the image.
  public var pixelCount: Int { width * height }

  /// The whole image as a region.
  public var bounds: Region { Region(x: 0, y: 0, width: width, height: height) }
}

/// A rectangle of pixels inside an image.
public struct Region: Hashable, Sendable {
  /// Left column, top row, and size, in pixels.
  public let x: Int, y: Int, width: Int, height: Int

  /// Makes the rectangle whose top left pixel is (x, y).
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  package var columns: Range<Int> { x..<x + width }
  package var rows: Range<Int> { y..<y + height }

  /// Whether the rectangle is not empty and lies inside an image of the given layout.
  public func fits(_ layout: ImageLayout) -> Bool {
    width > 0 && height > 0 && x >= 0 && y >= 0
      && x <= layout.width - width && y <= layout.height - height
  }
}
