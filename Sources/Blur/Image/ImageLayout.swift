/// The layout of an image in memory: its format, its size in pixels, the distance between its rows in bytes,
/// the order of its channels, and the meaning of its fourth channel.
public struct ImageLayout: Hashable, Sendable {
  /// The format in which each pixel is stored.
  public let format: PixelFormat
  /// The number of pixels per row, at least 1.
  public let width: Int
  /// The number of rows, at least 1.
  public let height: Int
  /// The number of bytes from the start of one row to the start of the next. It is at least ``rowBytes``. The
  /// bytes between the end of a row and the start of the next are padding, which is never read as pixels and
  /// never written.
  public let stride: Int
  /// The order in which the channels of a pixel are stored.
  public let order: ChannelOrder
  /// The meaning of the fourth channel.
  public let alpha: Alpha

  /// The largest allowed width and height of a layout, in pixels.
  public static let maximumSide = 1 << 24

  /// Creates a layout. If `stride` is nil, there is no padding between rows.
  ///
  /// - Throws: ``BlurError/invalidLayout(_:)`` if a side is not in 1…16,777,216, if the stride is shorter
  ///   than a row, if the total size overflows, or if the format does not have the channels that `order` and
  ///   `alpha` need.
  public init(
    _ format: PixelFormat, width: Int, height: Int, stride: Int? = nil, order: ChannelOrder = .rgba,
    alpha: Alpha = .premultiplied
  ) throws(BlurError) {
    let sides = 1...Self.maximumSide
    guard sides.contains(width), sides.contains(height) else {
      throw .invalidLayout(
        "size \(width)x\(height): width and height must be from 1 to \(Self.maximumSide) pixels")
    }
    let rowBytes = width * format.bytesPerPixel
    let stride = stride ?? rowBytes
    guard stride >= rowBytes else {
      throw .invalidLayout(
        "stride \(stride): a row of \(width) \(format.rawValue) pixels needs \(rowBytes) bytes")
    }
    guard !stride.multipliedReportingOverflow(by: height).overflow else {
      throw .invalidLayout("stride \(stride): \(height) rows of that length do not fit into memory")
    }
    guard alpha == .premultiplied || format.channels == 4 else {
      throw .invalidLayout("alpha \(alpha.rawValue): format \(format.rawValue) has no fourth channel")
    }
    let least = order == .rgba ? 1 : order == .bgra ? 3 : 4
    guard format.channels >= least else {
      throw .invalidLayout(
        "order \(order.rawValue): format \(format.rawValue) has fewer than \(least) channels")
    }
    self.init(format, width, height, stride, order, alpha)
  }

  /// Creates a layout from values that are known to form a valid layout, without checking them.
  init(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ stride: Int, _ order: ChannelOrder, _ alpha: Alpha
  ) {
    (self.format, self.width, self.height, self.stride) = (format, width, height, stride)
    (self.order, self.alpha) = (order, alpha)
  }

  /// Returns a copy of this layout with the given format and without padding. The format must have as many
  /// channels as the format of this layout.
  package func packed(as format: PixelFormat) -> ImageLayout {
    ImageLayout(format, width, height, width * format.bytesPerPixel, order, alpha)
  }

  /// The number of bytes that the pixels of a row take, not counting padding.
  public var rowBytes: Int { width * format.bytesPerPixel }

  /// The number of components in a row: width × channels.
  public var rowComponents: Int { width * format.channels }

  /// The number of bytes from the first pixel to the end of the last one. The last row needs no padding.
  public var byteCount: Int { stride * (height - 1) + rowBytes }

  /// The number of pixels in the image.
  public var pixelCount: Int { width * height }

  /// The whole image as a region.
  public var bounds: Region { Region(x: 0, y: 0, width: width, height: height) }
}

/// A rectangle of pixels inside an image.
public struct Region: Hashable, Sendable {
  /// The column and the row of the top left pixel, and the width and the height in pixels.
  public let x: Int, y: Int, width: Int, height: Int

  /// Creates the rectangle whose top left pixel is (x, y).
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The columns of the rectangle.
  public var columns: Range<Int> { x..<x + width }
  /// The rows of the rectangle.
  public var rows: Range<Int> { y..<y + height }

  /// Returns whether the rectangle is not empty and lies inside an image of the given layout.
  public func fits(_ layout: ImageLayout) -> Bool {
    width > 0 && height > 0 && x >= 0 && y >= 0
      && x <= layout.width - width && y <= layout.height - height
  }

  /// Creates the rectangle that consists of the given columns and rows.
  init(columns: Range<Int>, rows: Range<Int>) {
    self.init(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }
}

extension Range<Int> {
  /// Returns the range, extended by `radius` at both ends.
  func widened(by radius: Int) -> Range<Int> { lowerBound - radius..<upperBound + radius }
}
