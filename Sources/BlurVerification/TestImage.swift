import Blur

/// The images every kernel is tried on: procedural, seeded, the same on every machine.
///
/// Only integer arithmetic, + − × ÷ and square roots are used, which IEEE 754 rounds correctly everywhere.
public enum TestImage: String, CaseIterable, Sendable {
  /// One bright pixel in the middle.
  case impulse
  /// Dark on the left, bright from the middle on.
  case step
  /// Squares of 3 pixels.
  case checkerboard
  /// The least and the greatest values, in alternating flat and busy parts; in float formats also −1 and 4.
  case extremes
  /// Independent uniform noise in each component.
  case noise
  /// A colour whose opacity grows from left to right; a ramp in gray.
  case alphaRamp = "alpha-ramp"
  /// Opaque discs of all sizes covering each other: the statistics of natural images.
  case deadLeaves = "dead-leaves"

  /// Paints the image.
  ///
  /// - Parameters:
  ///   - layout: its format, size and stride.
  ///   - seed: what random choices grow from; the plain patterns ignore it.
  /// - Throws: ``Blur/BlurError/outOfMemory(bytes:)``.
  public func image(_ layout: ImageLayout, seed: UInt64) throws(BlurError) -> Image {
    let (format, width, height) = (layout.format, layout.width, layout.height)
    let full = format.fullScale
    var random = SplitMix64(seed: seed)
    switch self {
    case .impulse:
      return try .painted(layout) { x, y, c in
        x == width / 2 && y == height / 2 ? Self.tint(c, format) * full : 0
      }
    case .step:
      return try .painted(layout) { x, _, c in x >= width / 2 ? Self.tint(c, format) * full : 0 }
    case .checkerboard:
      return try .painted(layout) { x, y, c in (x / 3 + y / 3) % 2 == 1 ? Self.tint(c, format) * full : 0 }
    case .extremes:
      return try extremes(layout, &random)
    case .noise:
      return try .painted(layout) { _, _, _ in random.nextShare() * full }
    case .alphaRamp:
      return try .painted(layout) { x, _, c in
        Self.tint(c, format) * full * Double(x) / Double(max(width - 1, 1))
      }
    case .deadLeaves:
      return try deadLeaves(layout, &random)
    }
  }

  /// A premultiplied, opaque colour whose channels all differ, so that mixed-up channels show; 1 in gray.
  private static func tint(_ channel: Int, _ format: PixelFormat) -> Double {
    Double(channel + 1) / Double(format.channels)
  }

  private func extremes(_ layout: ImageLayout, _ random: inout SplitMix64) throws(BlurError) -> Image {
    let values: [Double] =
      layout.format.component == .float32 ? [0, 1, -1, 4] : [0, layout.format.fullScale]
    let side = 8
    let blocksAcross = (layout.width + side - 1) / side
    let blocks = (0..<blocksAcross * ((layout.height + side - 1) / side)).map { _ in
      (isFlat: random.next() & 1 == 0, value: values[random.next(below: values.count)])
    }
    return try .painted(layout) { x, y, _ in
      let busy = values[random.next(below: values.count)]
      let block = blocks[y / side * blocksAcross + x / side]
      return block.isFlat ? block.value : busy
    }
  }

  /// Disc radii follow r⁻³ between 1 pixel and a third of the shorter side.
  private func deadLeaves(_ layout: ImageLayout, _ random: inout SplitMix64) throws(BlurError) -> Image {
    let (format, width, height) = (layout.format, layout.width, layout.height)
    let largest = max(2, Double(min(width, height)) / 3)
    var image = try Image.painted(layout) { _, _, c in c == 3 ? format.fullScale : format.fullScale / 4 }
    image.withMutableView { view in
      for _ in 0..<min(20_000, 8 + width * height / 16) {
        let disc = Disc(width, height, largest: largest, &random)
        let colour = (0..<3).map { _ in random.nextShare() * format.fullScale }
        disc.forEachPixel(width, height) { x, y in
          for c in 0..<min(3, format.channels) { view.setValue(x * format.channels + c, y, to: colour[c]) }
        }
      }
    }
    return image
  }
}

/// A disc at a random place.
private struct Disc {
  let x: Double, y: Double, radius: Double

  init(_ width: Int, _ height: Int, largest: Double, _ random: inout SplitMix64) {
    x = random.nextShare() * Double(width)
    y = random.nextShare() * Double(height)
    // Inverse of the distribution function of a density r⁻³ on 1...largest.
    let share = random.nextShare()
    radius = 1 / (1 - share * (1 - 1 / (largest * largest))).squareRoot()
  }

  /// Calls `body` for each pixel of an image whose centre the disc covers.
  func forEachPixel(_ width: Int, _ height: Int, _ body: (_ x: Int, _ y: Int) -> Void) {
    let columns = max(0, Int(x - radius))..<max(0, min(width, Int(x + radius) + 1))
    let rows = max(0, Int(y - radius))..<max(0, min(height, Int(y + radius) + 1))
    for row in rows {
      for column in columns {
        let (dx, dy) = (Double(column) + 0.5 - x, Double(row) + 0.5 - y)
        if dx * dx + dy * dy <= radius * radius { body(column, row) }
      }
    }
  }
}
