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
  /// The widest instruction set that the kernels may use.
  public let instructionSet: InstructionSet
  /// How many threads blur the picture.
  public let threads: Int

  /// Pixels between tiles.
  private static let gap = 6

  /// Describes a strip.
  public init(
    _ source: Image, sigma: Sigma, edge: EdgeMode = .clamp, kernels: [Kernel] = Registry.kernels,
    amplification: Double = 16, instructionSet: InstructionSet = .best, threads: Int = 1
  ) {
    self.source = source
    self.sigma = sigma
    self.edge = edge
    self.kernels = kernels
    self.amplification = amplification
    self.instructionSet = instructionSet
    self.threads = threads
  }

  /// What the columns show, from left to right.
  public var legend: [String] { ["source", "truth"] + kernels.map(\.name) }

  /// Draws the strip: two rows of tiles as large as the source.
  ///
  /// - Throws: ``Blur/BlurError`` when a kernel refuses, or the strip is too large.
  public func image() throws(BlurError) -> Image {
    let tiles = try tiles()
    let upper = [source, try Image(of: truth)] + tiles.map(\.result)
    var strip = try Self.paper(columns: upper.count, of: source.layout)
    for (column, tile) in upper.enumerated() { try Self.paste(tile, into: &strip, column, row: 0) }
    for (index, tile) in tiles.enumerated() {
      try Self.paste(tile.difference, into: &strip, index + 2, row: 1)
    }
    return strip
  }

  /// Each kernel's result, and its amplified difference to the truth.
  ///
  /// - Throws: ``Blur/BlurError`` when a kernel refuses.
  public func tiles() throws(BlurError) -> [(result: Image, difference: Image)] {
    let truth = truth
    var tiles: [(Image, Image)] = []
    for kernel in kernels {
      let result = try blurred(kernel)
      tiles.append((result, try difference(result, truth)))
    }
    return tiles
  }

  private var truth: Truth { Truth.of(source, sigma: sigma, edge: edge) }

  private func blurred(_ kernel: Kernel) throws(BlurError) -> Image {
    var result = try Image(source.layout)
    let parameters = BlurParameters(sigma: sigma, edge: edge, instructionSet: instructionSet)
    try BlurPlan(kernel, for: source.layout, parameters, threads: threads).blur(source, into: &result)
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
