import Blur
import BlurText
import BlurVerification

/// What kernels make of one picture, side by side, with their differences to the truth below.
///
/// First stand the source and the truth, then each kernel, eight to a line, each with its name. Below each
/// kernel stands |result − truth|, amplified so that its largest value is bright; where every pixel is right
/// there is paper that says so, never a black picture.
public struct PictureStrip: Sendable {
  /// The picture that is blurred; any 8-bit format.
  public let source: Image
  /// Standard deviation in pixels.
  public let sigma: Sigma
  /// What is read beyond the picture.
  public let edge: EdgeMode
  /// The kernels, from left to right.
  public let kernels: [Kernel]
  /// What differences are multiplied with; nil for each as much as its largest difference allows.
  public let amplification: Double?

  /// A kernel's result, and its difference to the rounded truth.
  struct Tile {
    let result: Image
    let difference: PictureDifference
  }

  /// Describes a strip.
  public init(
    _ source: Image, sigma: Sigma, edge: EdgeMode = .clamp, kernels: [Kernel] = Registry.kernels,
    amplification: Double? = nil
  ) {
    self.source = source
    self.sigma = sigma
    self.edge = edge
    self.kernels = kernels
    self.amplification = amplification
  }

  /// Draws the strip, and says of each kernel how far it is off.
  ///
  /// - Throws: ``Blur/BlurError`` when a kernel refuses, or the strip is too large.
  public func drawn() throws(BlurError) -> (image: Image, captions: [String]) {
    let tiles = try tiles()
    var sheet = try StripSheet(of: source.layout, columns: kernels.count + 2)
    for (place, (name, picture)) in [("source", source), ("truth", try Image(of: truth))].enumerated() {
      try sheet.put(picture, name, column: place, row: 0)
    }
    for (index, tile) in tiles.enumerated() {
      try sheet.put(tile.result, kernels[index].name, column: index + 2, row: 0)
      let difference = tile.difference
      try sheet.put(
        difference.isNone ? nil : difference.picture, difference.caption, column: index + 2, row: 1)
    }
    return (sheet.image, zip(kernels, tiles).map { "\($0.name): \($1.difference.caption)" })
  }

  /// Each kernel's result and difference.
  ///
  /// - Throws: ``Blur/BlurError`` when a kernel refuses.
  func tiles() throws(BlurError) -> [Tile] {
    let truth = truth
    var tiles: [Tile] = []
    for kernel in kernels { tiles.append(try tile(of: blurred(kernel), truth)) }
    return tiles
  }

  private var truth: Truth { Truth.of(source, sigma: sigma, edge: edge) }

  private func blurred(_ kernel: Kernel) throws(BlurError) -> Image {
    var result = try Image(source.layout)
    try BlurPlan(kernel, for: source.layout, BlurParameters(sigma: sigma, edge: edge))
      .blur(source, into: &result)
    return result
  }

  private func tile(of result: Image, _ truth: Truth) throws(BlurError) -> Tile {
    let (layout, count) = (result.layout, result.layout.rowComponents)
    let errors = result.withView { view in
      (0..<layout.height * count).map { i in
        // SAFETY: i is a component of an 8-bit image.
        let value = Double(view.row(i / count).load(fromByteOffset: i % count, as: UInt8.self))
        return abs(value - truth.values[i].rounded())
      }
    }
    let plain = try ImageLayout(layout.format, width: layout.width, height: layout.height)
    let difference = try PictureDifference(errors, layout.format.channels, plain, amplification)
    return Tile(result: result, difference: difference)
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
