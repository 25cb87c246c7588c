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
  /// The widest instruction set that the kernels may use.
  public let instructionSet: InstructionSet
  /// How many threads blur the picture.
  public let threads: Int
  /// Whether the kernels are run: where they cannot be, their names stand below empty places.
  public let runsKernels: Bool

  /// A kernel's result, its amplified difference to the truth, the largest difference, and the amplification.
  struct Tile {
    let result: Image, difference: Image
    let levels: Int, amplification: Double

    /// What stands below the difference.
    var caption: String {
      levels == 0
        ? "every colour here is right"
        : "x\(amplification.short), at most \(levels) level\(levels == 1 ? "" : "s")"
    }
  }

  /// Describes a strip.
  public init(
    _ source: Image, sigma: Sigma, edge: EdgeMode = .clamp, kernels: [Kernel] = Registry.kernels,
    amplification: Double? = nil, instructionSet: InstructionSet = .best, threads: Int = 1,
    runsKernels: Bool = true
  ) {
    self.source = source
    self.sigma = sigma
    self.edge = edge
    self.kernels = kernels
    self.amplification = amplification
    self.instructionSet = instructionSet
    self.threads = threads
    self.runsKernels = runsKernels
  }

  /// Draws the strip, and says of each kernel how far it is off.
  ///
  /// - Throws: ``Blur/BlurError`` when a kernel refuses, or the strip is too large.
  public func drawn() throws(BlurError) -> (image: Image, captions: [String]) {
    let tiles = runsKernels ? try tiles() : []
    var sheet = try StripSheet(of: source.layout, columns: kernels.count + 2)
    for (place, (name, picture)) in [("source", source), ("truth", try Image(of: truth))].enumerated() {
      try sheet.put(picture, name, column: place, row: 0)
    }
    for (index, kernel) in kernels.enumerated() where !runsKernels {
      try sheet.put(nil, kernel.name, column: index + 2, row: 0)
      try sheet.put(nil, "no result", column: index + 2, row: 1)
    }
    for (index, tile) in tiles.enumerated() {
      try sheet.put(tile.result, kernels[index].name, column: index + 2, row: 0)
      try sheet.put(tile.levels == 0 ? nil : tile.difference, tile.caption, column: index + 2, row: 1)
    }
    return (sheet.image, zip(kernels, tiles).map { "\($0.name): \($1.caption)" })
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
    let parameters = BlurParameters(sigma: sigma, edge: edge, instructionSet: instructionSet)
    try BlurPlan(kernel, for: source.layout, parameters, threads: threads).blur(source, into: &result)
    return result
  }

  /// The difference to the rounded truth; alpha is full, so that it can be seen.
  private func tile(of result: Image, _ truth: Truth) throws(BlurError) -> Tile {
    let (layout, count) = (result.layout, result.layout.rowComponents)
    let isAlpha = { (i: Int) in layout.format.channels == 4 && i % 4 == 3 }
    let errors = result.withView { view in
      (0..<layout.height).map { y in
        (0..<count).map { i in
          // SAFETY: i is a component of row y of an 8-bit image.
          let value = Double(view.row(y).load(fromByteOffset: i, as: UInt8.self))
          return isAlpha(i) ? 0 : abs(value - truth.values[y * count + i].rounded())
        }
      }
    }
    let largest = errors.lazy.joined().max() ?? 0
    let factor = amplification ?? (largest == 0 ? 1 : (255 / largest).rounded(.down))
    var picture = try Image(layout)
    picture.withMutableView { view in
      for y in 0..<layout.height {
        for i in 0..<count {
          let shown = isAlpha(i) ? 255 : UInt8(min(255, errors[y][i] * factor))
          // SAFETY: i is a component of row y of an 8-bit image.
          view.row(y).storeBytes(of: shown, toByteOffset: i, as: UInt8.self)
        }
      }
    }
    return Tile(result: result, difference: picture, levels: Int(largest), amplification: factor)
  }
}

/// Paper with places for pictures of one size in lines of two rows, a caption below each.
private struct StripSheet {
  private(set) var image: Image
  private let tile: ImageLayout
  /// Pixels of the sheet for each of a picture, across and down: the pixels of tiny ones can be told apart.
  private let zoom: Int
  /// Pixels of the sheet for each of the font: captions of large pictures are read where the sheet is shrunk.
  private let scale: Int
  /// The width of a place, and the height of a caption.
  private let width: Int, caption: Int

  /// Pixels between places, and the width of the longest caption in pixels of the font.
  private static let gap = 6
  private static let narrowest = 26 * PixelFont.advance
  /// Places in a line.
  private static let most = 8

  init(of tile: ImageLayout, columns: Int) throws(BlurError) {
    zoom = max(1, Self.narrowest / max(tile.width, tile.height))
    self.tile = try ImageLayout(tile.format, width: zoom * tile.width, height: zoom * tile.height)
    scale = max(1, tile.width / Self.narrowest)
    width = max(self.tile.width, Self.narrowest)
    caption = scale * (PixelFont.height + 4)
    let lines = (columns + Self.most - 1) / Self.most
    let layout = try ImageLayout(
      tile.format, width: min(columns, Self.most) * (width + Self.gap) - Self.gap,
      height: 2 * lines * (self.tile.height + caption + Self.gap) - Self.gap)
    image = try Image(layout)
    image.withMutableView { view in
      // SAFETY: a layout without padding has `byteCount` bytes from its base.
      _ = view.base.initializeMemory(as: UInt8.self, repeating: 255, count: layout.byteCount)
    }
  }

  /// Puts a picture and its caption in their place; of no picture, the caption alone.
  mutating func put(_ picture: Image?, _ caption: String, column: Int, row: Int) throws(BlurError) {
    let (layout, width, scale, zoom) = (tile, width, scale, zoom)
    let bytes = layout.format.bytesPerPixel
    let x = column % Self.most * (width + Self.gap)
    let y = (2 * (column / Self.most) + row) * (layout.height + self.caption + Self.gap)
    try image.withMutableView { (view) throws(BlurError) in
      PixelFont.write(caption, view, x: x, y: y + layout.height + 3 * scale, width: width, scale: scale)
      guard let picture else { return }
      let target = try view.cropped(to: Region(x: x, y: y, width: layout.width, height: layout.height))
      picture.withView { source in
        for y in 0..<layout.height {
          for x in 0..<layout.width {
            // SAFETY: x is a pixel of the enlarged tile, and x / zoom one of the picture.
            (target.row(y) + bytes * x).copyMemory(
              from: source.row(y / zoom) + bytes * (x / zoom), byteCount: bytes)
          }
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
