import Blur
import BlurVerification

/// A generated picture that resembles a photograph: either a sky with a sun above hills, or soft lights out
/// of focus.
struct Photograph {
  private let seed: UInt64

  init(_ random: inout SplitMix64) { seed = random.next() }

  /// Draws the picture into a box.
  func draw(_ canvas: Canvas, _ box: Box, radius: Double = 0) {
    var random = SplitMix64(seed: seed)
    // The hues range from cyan through blue and red to orange, because skies are seldom green.
    let hue = random.pick(185...395)
    if random.pick(0...3) == 0 {
      Lights(hue, &random).draw(canvas, box, radius: radius)
    } else {
      landscape(canvas, box, radius: radius, hue, &random)
    }
  }

  private func landscape(
    _ canvas: Canvas, _ box: Box, radius: Double, _ hue: Int, _ random: inout SplitMix64
  ) {
    let sky = Colour(hue: hue, saturation: 0.75, value: Double(random.pick(55...95)) / 100)
    let horizon = Colour(hue: hue + random.pick(40...130), saturation: 0.45, value: 1)
    canvas.gradient(box, sky, horizon, radius: radius)
    let (across, down) = (canvas.across(box), canvas.down(box))
    let sun = Double(random.pick(6...12)) / 100 * box.height
    let x = box.x + box.width * Double(random.pick(20...80)) / 100
    canvas.disc(
      x: x, y: box.y + box.height * Double(random.pick(25...45)) / 100, radius: sun, Colour(255, 246, 220))
    for layer in 0..<3 {
      let ridge = Ridge(width: across.count, height: down.count, base: 45 + 16 * layer, &random)
      let ground = Colour(
        hue: hue + 20 * layer + random.pick(-15...15), saturation: 0.4 + 0.15 * Double(layer),
        value: 0.62 - 0.2 * Double(layer))
      canvas.forEachRow(box, radius: radius) { y, columns, row in
        let depth = y - down.lowerBound
        guard depth >= ridge.top else { return }
        for x in columns where depth >= ridge.heights[x - across.lowerBound] { row[x] = ground.bits }
      }
    }
  }
}

/// The upper edge of a hill. It is stored as one number per column of the picture: the distance between the
/// edge and the top of the picture, in pixels. The edge is the sum of smooth noise at two frequencies.
private struct Ridge {
  let heights: [Int]
  let top: Int

  /// Creates a random edge.
  ///
  /// - Parameter base: The mean distance of the edge from the top of the picture, in percent of the picture's
  ///   height.
  init(width: Int, height: Int, base: Int, _ random: inout SplitMix64) {
    let coarse = SmoothNoise(nodes: 4, &random)
    let fine = SmoothNoise(nodes: 17, &random)
    heights = (0..<width).map { x in
      let swing = coarse.value(x, of: width) * 24 + fine.value(x, of: width) * 4 - 14 * 256
      return height * (base * 256 + swing) / (100 * 256)
    }
    top = heights.min() ?? 0
  }
}

/// A curve of random values that rises and falls smoothly along a line. It is computed in integers, so that
/// it is the same on every machine.
private struct SmoothNoise {
  private let nodes: [Int]

  init(nodes: Int, _ random: inout SplitMix64) { self.nodes = (0...nodes).map { _ in random.pick(0...255) } }

  /// Returns the noise value, from 0 to 255, at position `x` of `width` positions.
  func value(_ x: Int, of width: Int) -> Int {
    let place = x * (nodes.count - 1) * 256 / width
    let weight = Self.eased(place & 255)
    return (nodes[place >> 8] * (256 - weight) + nodes[(place >> 8) + 1] * weight) >> 8
  }

  /// Returns 3t² − 2t³, which rises smoothly from 0 to 1. The argument and the result are in 256ths.
  static func eased(_ t: Int) -> Int { (3 * 256 * t * t - 2 * t * t * t) >> 16 }
}

/// Soft coloured lights. A coarse grid has a colour at each of its nodes, and the colours between the nodes
/// are interpolated smoothly.
private struct Lights {
  private static let across = 5, down = 4
  private let nodes: [Colour]

  init(_ hue: Int, _ random: inout SplitMix64) {
    nodes = (0..<(Self.across + 1) * (Self.down + 1)).map { _ in
      Colour(
        hue: hue + random.pick(-50...50), saturation: Double(random.pick(30...95)) / 100,
        value: Double(random.pick(15...100)) / 100)
    }
  }

  func draw(_ canvas: Canvas, _ box: Box, radius: Double) {
    let (across, down) = (canvas.across(box), canvas.down(box))
    let places = (0..<across.count).map { x in
      let place = x * Self.across * 256 / across.count
      return (cell: place >> 8, weight: SmoothNoise.eased(place & 255))
    }
    canvas.forEachRow(box, radius: radius) { y, columns, row in
      let place = (y - down.lowerBound) * Self.down * 256 / down.count
      let (line, weight) = ((place >> 8) * (Self.across + 1), SmoothNoise.eased(place & 255))
      let here = (0...Self.across).map {
        nodes[line + $0].mixed(with: nodes[line + $0 + Self.across + 1], weight)
      }
      for x in columns {
        let place = places[x - across.lowerBound]
        row[x] = here[place.cell].mixed(with: here[place.cell + 1], place.weight).bits
      }
    }
  }
}
