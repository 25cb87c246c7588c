import Blur

/// A rectangle with round corners, from its top left, in pixels.
struct RoundedRectangle {
  let width: Double, height: Double, radius: Double

  /// How far (x, y) is from its edge: below 0 inside.
  func distance(_ x: Double, _ y: Double) -> Double {
    let (across, down) = (abs(x - width / 2) - width / 2 + radius, abs(y - height / 2) - height / 2 + radius)
    let (a, d) = (max(across, 0), max(down, 0))
    return min(max(across, down), 0) + (a * a + d * d).squareRoot() - radius
  }
}

/// How much of each pixel a card with round corners covers, for a place between pixels.
struct CardShape {
  let outline: RoundedRectangle
  /// By pixel, 255 where it is covered; one column and one row more than the card has.
  private(set) var mask: Image
  /// Rows and columns of each end in which a corner can be.
  private let corner: Int
  /// Where the mask has been made for: of many cards, most lie alike between pixels.
  private var placed: (x: Double, y: Double)?

  /// - Parameters: in pixels.
  init(width: Int, height: Int, radius: Double) throws(BlurError) {
    let (across, down) = (Double(width), Double(height))
    outline = RoundedRectangle(width: across, height: down, radius: min(radius, min(across, down) / 2))
    corner = Int(outline.radius.rounded(.up)) + 2
    mask = try Image(.gray8, width: width + 1, height: height + 1)
    mask.withMutableView { view in
      for y in 0..<view.layout.height {
        // SAFETY: a row of the mask.
        view.row(y).initializeMemory(as: UInt8.self, repeating: 255, count: view.layout.width)
      }
    }
  }

  /// How many pixels of each end of a row can be covered in part; the others are covered as its middle is.
  private func ends(_ row: Int) -> Int {
    min(row < corner || row >= mask.layout.height - corner ? corner : 2, mask.layout.width)
  }

  /// Moves the card's top left to a place inside of the first pixel.
  mutating func place(_ x: Double, _ y: Double) {
    guard placed?.x != x || placed?.y != y else { return }
    placed = (x, y)
    let (outline, layout) = (outline, mask.layout)
    func cover(_ column: Int, _ row: Int) -> UInt8 {
      let distance = outline.distance(Double(column) + 0.5 - x, Double(row) + 0.5 - y)
      return UInt8((255 * max(0, min(1, 0.5 - distance))).rounded())
    }
    for row in 0..<layout.height {
      let ends = ends(row)
      mask.withMutableView { view in
        // SAFETY: columns of the mask.
        let pixels = view.row(row).assumingMemoryBound(to: UInt8.self)
        if layout.width > 2 * ends {
          (pixels + ends).update(repeating: cover(layout.width / 2, row), count: layout.width - 2 * ends)
        }
        for column in 0..<ends { pixels[column] = cover(column, row) }
        for column in max(ends, layout.width - ends)..<layout.width { pixels[column] = cover(column, row) }
      }
    }
  }

  /// Leaves `image` where the card is and puts `below` elsewhere; both are a part of the card.
  func blend(_ below: ImageView, into image: MutableImageView, _ part: Region) {
    mask.withView { mask in
      for y in 0..<part.height {
        let (row, ends) = (part.y + y, ends(part.y + y))
        let isWhole = mask.row(row).load(fromByteOffset: mask.layout.width / 2, as: UInt8.self) == 255
        let sides =
          isWhole
          ? (0..<ends, max(ends, mask.layout.width - ends)..<mask.layout.width)
          : (0..<mask.layout.width, 0..<0)
        for side in [sides.0, sides.1] {
          let columns = side.clamped(to: part.columns)
          let x = columns.lowerBound - part.x
          // SAFETY: columns of the part, which both views have.
          Compositing.mask(
            below.row(y) + 4 * x, mask.row(row) + columns.lowerBound, into: image.row(y) + 4 * x,
            count: columns.count)
        }
      }
    }
  }
}
