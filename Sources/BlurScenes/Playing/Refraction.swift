import Blur

/// How a lens with a round bezel bends what is seen through it.
///
/// The pixel at p shows what is at p + A (1 − √(1 − x²)) ∇d, where d is the distance to the edge and x rises
/// from 0 at the inner side of the bezel to 1 at the edge. It is an approximation by geometry: vendors
/// publish no formula for their materials.
struct Refraction {
  /// A pixel of the lens that shows another place: one and its three neighbours, by shares in 256ths.
  private struct Bend {
    let pixel: Int, row: Int, column: Int
    let right: Int, down: Int
  }

  private let bends: [Bend]
  /// How many pixels around the lens it may show.
  let margin: Int

  /// - Parameters:
  ///   - shape: the lens, of whole sides.
  ///   - bezel: the width of the bezel in pixels.
  ///   - strength: A, the largest displacement, in pixels.
  init(_ shape: RoundedRectangle, bezel: Double, strength: Double) {
    let (width, height) = (Int(shape.width), Int(shape.height))
    let margin = Int(strength.rounded(.up)) + 1
    var bends: [Bend] = []
    for y in 0..<height {
      for x in 0..<width {
        let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
        let depth = 1 + min(0, shape.distance(px, py)) / bezel
        guard depth > 0 else { continue }
        let push = strength * (1 - max(0, 1 - depth * depth).squareRoot())
        let across = shape.distance(px + 0.5, py) - shape.distance(px - 0.5, py)
        let down = shape.distance(px, py + 0.5) - shape.distance(px, py - 0.5)
        // No gradient is longer than 1, so that the place is inside the margin.
        let place = (x: Double(margin + x) + push * across, y: Double(margin + y) + push * down)
        let (column, row) = (Int(place.x), Int(place.y))
        bends.append(
          Bend(
            pixel: x + y * width, row: row, column: column, right: Int((place.x - Double(column)) * 256),
            down: Int((place.y - Double(row)) * 256)))
      }
    }
    (self.bends, self.margin) = (bends, margin)
  }

  /// Makes what is seen through the lens, of its size, from `picture`, which has the margin all round.
  func bend(_ picture: ImageView, into lens: MutableImageView) throws(BlurError) {
    let (width, height) = (lens.layout.width, lens.layout.height)
    Compositing.copy(
      try picture.cropped(to: Region(x: margin, y: margin, width: width, height: height)), into: lens)
    for bend in bends {
      // SAFETY: places are inside the margin, with a pixel to spare on each side.
      let above = (picture.row(bend.row) + 4 * bend.column).assumingMemoryBound(to: UInt8.self)
      let below = (picture.row(bend.row + 1) + 4 * bend.column).assumingMemoryBound(to: UInt8.self)
      let pixel = (lens.row(bend.pixel / width) + 4 * (bend.pixel % width)).assumingMemoryBound(
        to: UInt8.self)
      for c in 0..<4 {
        let left = Int(above[c]) * (256 - bend.down) + Int(below[c]) * bend.down
        let right = Int(above[c + 4]) * (256 - bend.down) + Int(below[c + 4]) * bend.down
        pixel[c] = UInt8((left * (256 - bend.right) + right * bend.right + 32768) >> 16)
      }
    }
  }
}
