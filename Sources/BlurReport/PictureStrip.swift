import Blur
import BlurVerification

/// What kernels make of one picture, side by side, with their differences to the truth below.
///
/// Columns: the source, the truth, then each kernel. Below each kernel stands |result − truth|, amplified.
public struct PictureStrip: Sendable {
  /// The picture that is blurred; any 8-bit format.
  public let source: Image
  /// Standard deviation in pixels.
  public let sigma: Sigma
  /// What is read beyond the picture.
  public let edge: EdgeMode
  /// The kernels, from left to right.
  public let kernels: [Kernel]
  /// What differences are multiplied with.
  public let amplification: Double

  /// Pixels between tiles.
  private static let gap = 6

  /// Describes a strip.
  public init(
    _ source: Image, sigma: Sigma, edge: EdgeMode = .clamp, kernels: [Kernel] = Registry.kernels,
    amplification: Double = 16
  ) {
    self.source = source
    self.sigma = sigma
    self.edge = edge
    self.kernels = kernels
    self.amplification = amplification
  }

  /// What the columns show, from left to right.
  public var legend: [String] { ["source", "truth"] + kernels.map(\.name) }

  /// Draws the strip: two rows of tiles as large as the source.
  ///
  /// - Throws: ``Blur/BlurError`` when a kernel refuses, or the strip is too large.
  public func image() throws(BlurError) -> Image {
    let truth = Truth.of(source, sigma: sigma, edge: edge)
    var results: [Image] = []
    for kernel in kernels { results.append(try blurred(kernel)) }
    let tiles = [source, try Image(of: truth)] + results
    var strip = try Self.paper(columns: tiles.count, of: source.layout)
    for (column, tile) in tiles.enumerated() { try Self.paste(tile, into: &strip, column, row: 0) }
    for (index, result) in results.enumerated() {
      try Self.paste(difference(result, truth), into: &strip, index + 2, row: 1)
    }
    return strip
  }

  private func blurred(_ kernel: Kernel) throws(BlurError) -> Image {
    var result = try Image(source.layout)
    try BlurPlan(kernel, for: source.layout, BlurParameters(sigma: sigma, edge: edge)).blur(
      source, into: &result)
    return result
  }

  /// The amplified difference to the rounded truth; alpha is full, so that it can be seen.
  private func difference(_ result: Image, _ truth: Truth) throws(BlurError) -> Image {
    var picture = try Image(result.layout)
    let (count, channels) = (result.layout.rowComponents, result.layout.format.channels)
    result.withView { from in
      picture.withMutableView { to in
        for y in 0..<result.layout.height {
          for i in 0..<count {
            // SAFETY: i is a component of row y of an 8-bit image.
            let value = Double(from.row(y).load(fromByteOffset: i, as: UInt8.self))
            let error = abs(value - truth.values[y * count + i].rounded()) * amplification
            let shown = channels == 4 && i % 4 == 3 ? 255 : UInt8(min(255, error))
            to.row(y).storeBytes(of: shown, toByteOffset: i, as: UInt8.self)
          }
        }
      }
    }
    return picture
  }

  /// White paper for two rows of tiles.
  private static func paper(columns: Int, of tile: ImageLayout) throws(BlurError) -> Image {
    let layout = try ImageLayout(
      tile.format, width: columns * (tile.width + gap) - gap, height: 2 * tile.height + gap)
    var image = try Image(layout)
    image.withMutableView { view in
      // SAFETY: a layout without padding has `byteCount` bytes from its base.
      _ = view.base.initializeMemory(as: UInt8.self, repeating: 255, count: layout.byteCount)
    }
    return image
  }

  private static func paste(_ tile: Image, into strip: inout Image, _ column: Int, row: Int) throws(BlurError)
  {
    let layout = tile.layout
    let place = Region(
      x: column * (layout.width + gap), y: row * (layout.height + gap),
      width: layout.width, height: layout.height)
    try strip.withMutableView { (view) throws(BlurError) in
      let target = try view.cropped(to: place)
      tile.withView { source in
        for y in 0..<layout.height {
          // SAFETY: both rows hold the tile's `rowBytes`.
          target.row(y).copyMemory(from: source.row(y), byteCount: layout.rowBytes)
        }
      }
    }
  }
}

extension Image {
  /// The truth, rounded to 8 bits.
  fileprivate init(of truth: Truth) throws(BlurError) {
    let bytes = truth.values.map { UInt8(max(0, min(255, $0.rounded()))) }
    let layout = truth.layout
    try self.init(
      ImageLayout(layout.format, width: layout.width, height: layout.height), copying: bytes.span.bytes)
  }
}
