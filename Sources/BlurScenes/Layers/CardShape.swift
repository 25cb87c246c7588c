import Blur

/// A rectangle with rounded corners. Sizes are in pixels, and coordinates are relative to the top-left
/// corner.
struct RoundedRectangle {
  let width: Double, height: Double, radius: Double

  /// Returns the signed distance of the point (x, y) from the outline: negative inside the rectangle,
  /// positive outside.
  func distance(_ x: Double, _ y: Double) -> Double {
    let (across, down) = (abs(x - width / 2) - width / 2 + radius, abs(y - height / 2) - height / 2 + radius)
    let (a, d) = (max(across, 0), max(down, 0))
    return min(max(across, down), 0) + (a * a + d * d).squareRoot() - radius
  }
}

/// A mask that stores how much of each pixel a card with rounded corners covers. The position of the card may
/// be a fraction of a pixel.
struct CardShape {
  let outline: RoundedRectangle
  /// The coverage of each pixel, from 0 (not covered) to 255 (fully covered). The mask has one column and one
  /// row more than the card, because a card at a fractional position needs them. For example, a card that is
  /// 2 pixels wide and begins in the middle of a pixel touches 3 pixels.
  private(set) var mask: Image
  /// The number of rows or columns at each end of the mask that may contain a part of a rounded corner.
  private let corner: Int
  /// The fractional position for which the mask was computed. If the next card has the same fractional
  /// position, as most cards do, the mask need not be computed again.
  private var placed: (x: Double, y: Double)?

  /// Creates the shape of a card whose position is a whole number of pixels. All parameters are in pixels.
  init(width: Int, height: Int, radius: Double) throws(BlurError) {
    let (across, down) = (Double(width), Double(height))
    outline = RoundedRectangle(width: across, height: down, radius: min(radius, min(across, down) / 2))
    corner = Int(outline.radius.rounded(.up)) + 2
    mask = try Image(.gray8, width: width + 1, height: height + 1)
    place(0, 0)
  }

  /// Returns how many pixels at each end of a mask row need their own coverage value, because the card may
  /// cover them only partly. All pixels between these ends have the same coverage as the pixel in the middle
  /// of the row.
  private func ends(_ row: Int) -> Int {
    min(row < corner || row >= mask.layout.height - corner ? corner : 2, mask.layout.width)
  }

  /// Moves the card's top-left corner to the position (x, y) within the first pixel of the mask, and updates
  /// the mask. Both coordinates are at least 0 and below 1.
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
        // SAFETY: the row belongs to the mask, and all written columns are below the mask's width.
        let pixels = view.unsafeRow(row).assumingMemoryBound(to: UInt8.self)
        if layout.width > 2 * ends {
          (pixels + ends).update(repeating: cover(layout.width / 2, row), count: layout.width - 2 * ends)
        }
        for column in 0..<ends { pixels[column] = cover(column, row) }
        for column in max(ends, layout.width - ends)..<layout.width { pixels[column] = cover(column, row) }
      }
    }
  }

  /// Cuts the shape of the card out of `image`. Pixels inside the card are kept, pixels outside it are
  /// replaced by `below`, and pixels on its outline are mixed.
  ///
  /// - Parameter part: The part of the card that is processed. Both views have the size of this part.
  func blend(_ below: ImageView, into image: MutableImageView, _ part: Region) {
    mask.withView { mask in
      for y in 0..<part.height {
        let (row, ends) = (part.y + y, ends(part.y + y))
        let isWhole = mask.unsafeRow(row).load(fromByteOffset: mask.layout.width / 2, as: UInt8.self) == 255
        let sides =
          isWhole
          ? (0..<ends, max(ends, mask.layout.width - ends)..<mask.layout.width)
          : (0..<mask.layout.width, 0..<0)
        for side in [sides.0, sides.1] {
          let columns = side.clamped(to: part.columns)
          let x = columns.lowerBound - part.x
          // SAFETY: `columns` is limited to the region `part`, which lies inside both views and the mask.
          Compositing.mask(
            below.unsafeRow(y) + 4 * x, mask.unsafeRow(row) + columns.lowerBound,
            into: image.unsafeRow(y) + 4 * x,
            count: columns.count)
        }
      }
    }
  }
}
