import Blur
import BlurText
import BlurVerification

/// A strip of pictures that shows how several kernels blur one picture, and how their results differ from the
/// truth, which is the exact Gaussian blur of the picture.
///
/// The strip begins with the source and the truth, followed by the results. Each line has up to eight
/// pictures with their names. Below each result is the difference |result − truth|, amplified so that its
/// largest value is bright. If every pixel of a result is right, a caption says so, and no difference is
/// drawn.
public struct PictureStrip: Sendable {
  /// The picture that is blurred, in any 8-bit format.
  public let source: Image
  /// The standard deviation in pixels.
  public let sigma: Sigma
  /// The edge mode, which determines the pixels beyond the picture.
  public let edge: EdgeMode
  /// The kernels, from left to right.
  public let kernels: [Kernel]

  /// Creates a strip, which shows how several kernels blur the picture `source`. The initializer only stores
  /// its arguments. To blur the picture and draw the strip, call ``drawn()``.
  public init(
    _ source: Image, sigma: Sigma, edge: EdgeMode = .clamp, kernels: [Kernel] = Registry.kernels
  ) {
    self.source = source
    self.sigma = sigma
    self.edge = edge
    self.kernels = kernels
  }

  /// Draws the strip. Returns the image, and a line of text for each kernel that states its largest error.
  ///
  /// - Throws: ``Blur/BlurError`` if a kernel does not support the blur, or if the strip is too large.
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

  /// Blurs the source with each kernel. Returns each result together with its difference from the exact
  /// Gaussian blur rounded to 8 bits.
  func tiles() throws(BlurError) -> [(result: Image, difference: PictureDifference)] {
    let truth = truth
    var tiles: [(result: Image, difference: PictureDifference)] = []
    for kernel in kernels {
      let result = try blurred(kernel)
      tiles.append((result, try difference(of: result, truth)))
    }
    return tiles
  }

  private var truth: Truth { Truth.of(source, sigma: sigma, edge: edge) }

  private func blurred(_ kernel: Kernel) throws(BlurError) -> Image {
    var result = try Image(source.layout)
    try BlurPlan(kernel, for: source.layout, BlurParameters(sigma: sigma, edge: edge))
      .blur(source, into: &result)
    return result
  }

  private func difference(of result: Image, _ truth: Truth) throws(BlurError) -> PictureDifference {
    let (layout, count) = (result.layout, result.layout.rowComponents)
    let errors = result.withView { view in
      (0..<layout.height * count).map { i in
        // SAFETY: `i / count` is a row of the image, and `i % count` is less than the number of components in
        // a row. Each component of an 8-bit image takes one byte, so the byte lies inside the row.
        let value = Double(view.unsafeRow(i / count).load(fromByteOffset: i % count, as: UInt8.self))
        return abs(value - truth.values[i].rounded())
      }
    }
    let plain = try ImageLayout(layout.format, width: layout.width, height: layout.height)
    return try PictureDifference(errors, layout.format.channels, plain)
  }
}

extension Image {
  /// Creates an image of the truth, which is the exact Gaussian blur, by rounding its values to 8 bits.
  fileprivate init(of truth: Truth) throws(BlurError) {
    let bytes = truth.values.map { UInt8(max(0, min(255, $0.rounded()))) }
    let layout = truth.layout
    try self.init(
      ImageLayout(layout.format, width: layout.width, height: layout.height), copying: bytes.span.bytes)
  }
}
