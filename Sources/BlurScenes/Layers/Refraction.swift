import Blur

/// The distortion of an image that is seen through a lens. The lens is flat except for its rounded rim, which
/// is called the bezel.
///
/// The lens pixel at position p shows the image at p + A (1 − √(1 − x²)) ∇d. Here A is the largest
/// displacement, d is the signed distance from the edge of the lens, and ∇d is its gradient, which points
/// outwards. The number x rises from 0 at the inner side of the bezel to 1 at the edge. This formula is a
/// geometric approximation, because vendors publish no formula for their materials.
struct Refraction {
  /// A pixel of the lens, and the position in the image that is seen through this pixel. The colour is
  /// interpolated between four pixels of the image: the pixel at (`column`, `row`), and its neighbours to the
  /// right, below, and diagonally below to the right. The weights `right` and `down` are in 256ths.
  private struct Bend {
    let pixel: Int, row: Int, column: Int
    let right: Int, down: Int
  }

  private let bends: [Bend]
  /// The width, in pixels, of the strip around the lens that can be seen inside the lens because of the
  /// distortion.
  let margin: Int

  /// Computes the distortion for every pixel of the bezel, which is the rounded rim of the lens.
  ///
  /// - Parameters:
  ///   - shape: The outline of the lens, whose width and height are whole numbers of pixels.
  ///   - bezel: The width of the bezel in pixels.
  ///   - strength: The largest displacement, in pixels.
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
        // Each component of the gradient is at most 1, so a pixel is displaced by at most `strength` in each
        // direction. The displaced position therefore lies within the margin around the lens.
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

  /// Renders the image that is seen through the lens. `picture` is the undistorted image of the lens and of
  /// the strip around the lens. This image extends beyond the lens by `margin` pixels on each side.
  func bend(_ picture: ImageView, into lens: MutableImageView) throws(BlurError) {
    let (width, height) = (lens.layout.width, lens.layout.height)
    lens.copyPixels(
      of: try picture.cropped(to: Region(x: margin, y: margin, width: width, height: height)))
    for bend in bends {
      // SAFETY: the image `picture` extends beyond the lens by the margin on each side, which is more than
      // the largest displacement. The position in `picture` and the pixels to the right of it and below it
      // are therefore inside `picture`.
      let above = (picture.unsafeRow(bend.row) + 4 * bend.column).assumingMemoryBound(to: UInt8.self)
      let below = (picture.unsafeRow(bend.row + 1) + 4 * bend.column).assumingMemoryBound(to: UInt8.self)
      let pixel = (lens.unsafeRow(bend.pixel / width) + 4 * (bend.pixel % width)).assumingMemoryBound(
        to: UInt8.self)
      for c in 0..<4 {
        let left = Int(above[c]) * (256 - bend.down) + Int(below[c]) * bend.down
        let right = Int(above[c + 4]) * (256 - bend.down) + Int(below[c + 4]) * bend.down
        pixel[c] = UInt8((left * (256 - bend.right) + right * bend.right + 32768) >> 16)
      }
    }
  }
}
