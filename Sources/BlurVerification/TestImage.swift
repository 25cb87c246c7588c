import Blur

/// The synthetic images with which every kernel is tested. They are generated from a seed and are identical
/// on every machine.
///
/// They are computed only with integers and with the floating-point operations +, −, ×, ÷ and square root,
/// whose results are the same everywhere, because IEEE 754 requires correct rounding.
public enum TestImage: String, CaseIterable, Codable, Sendable {
  /// A single bright pixel in the middle of a black image.
  case impulse
  /// A vertical edge: the left half of the image is black, and the right half is bright.
  case step
  /// A checkerboard with squares of 3 × 3 pixels.
  case checkerboard
  /// Blocks of 8 × 8 pixels, each of which is either flat or noise. Every value is the smallest or the
  /// largest value of the format. In float formats, −1 and 4 occur as well.
  case extremes
  /// Independent uniform noise in each component.
  case noise
  /// One colour whose opacity grows from left to right, or a brightness ramp in gray formats.
  case alphaRamp = "alpha-ramp"
  /// Overlapping discs of many sizes. Such an image has statistics similar to natural images. The discs are
  /// opaque, unless the layout has straight alpha or an unused fourth channel. In these layouts, the fourth
  /// channel has a random value in each disc, like the colours.
  case deadLeaves = "dead-leaves"

  /// Generates the image.
  ///
  /// - Parameters:
  ///   - layout: The format, size and stride of the image.
  ///   - seed: The seed of all random choices. It has no effect on images that are not random.
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

  /// Returns one channel, from 0 to 1, of an opaque premultiplied colour. All channels have different values,
  /// so that a kernel that exchanges channels is noticed. In gray formats, the value is 1.
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

  /// Generates overlapping discs whose radii have a density proportional to r⁻³, from 1 pixel to a third of
  /// the shorter side.
  private func deadLeaves(_ layout: ImageLayout, _ random: inout SplitMix64) throws(BlurError) -> Image {
    let (format, width, height) = (layout.format, layout.width, layout.height)
    let largest = max(2, Double(min(width, height)) / 3)
    let painted = min(layout.alpha == .premultiplied ? 3 : 4, format.channels)
    var image = try Image.painted(layout) { _, _, c in c == 3 ? format.fullScale : format.fullScale / 4 }
    image.withMutableView { view in
      for _ in 0..<min(20_000, 8 + width * height / 16) {
        let disc = Disc(width, height, largest: largest, &random)
        let colour = (0..<max(3, painted)).map { _ in random.nextShare() * format.fullScale }
        disc.forEachPixel(width, height) { x, y in
          for c in 0..<painted { view.setValue(x * format.channels + c, y, to: colour[c]) }
        }
      }
    }
    return image
  }
}

/// A disc at a random position.
private struct Disc {
  let x: Double, y: Double, radius: Double

  init(_ width: Int, _ height: Int, largest: Double, _ random: inout SplitMix64) {
    x = random.nextShare() * Double(width)
    y = random.nextShare() * Double(height)
    // The radius has a probability density proportional to r⁻³, from 1 to `largest`. A uniform random number
    // is converted to this distribution by the inverse of the cumulative distribution function.
    let share = random.nextShare()
    radius = 1 / (1 - share * (1 - 1 / (largest * largest))).squareRoot()
  }

  /// Calls `body` for each pixel of a `width` × `height` image whose centre lies inside the disc.
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
