import Blur

/// Draws opaque shapes onto a part of a screen. Coordinates are in points, relative to an origin that lies at
/// a whole pixel.
///
/// Coordinates are rounded to pixels relative to the origin, so a shape looks exactly the same wherever the
/// origin lies.
struct Canvas {
  let view: MutableImageView
  let scale: Double
  private(set) var originX = 0, originY = 0
  private(set) var columns: Range<Int>, rows: Range<Int>

  /// Creates a canvas that covers all of `view`.
  init(_ view: MutableImageView, scale: Double) {
    self.view = view
    self.scale = scale
    columns = 0..<view.layout.width
    rows = 0..<view.layout.height
  }

  /// Returns a copy of this canvas whose origin is moved by `x` and `y` pixels.
  func moved(_ x: Int, _ y: Int) -> Canvas {
    var canvas = self
    canvas.originX += x
    canvas.originY += y
    return canvas
  }

  /// Returns a copy of this canvas that has its origin at the top-left corner of `box` and draws only inside
  /// the box.
  func inside(_ box: Box) -> Canvas {
    let (across, down) = (across(box), down(box))
    var canvas = moved(across.lowerBound - originX, down.lowerBound - originY)
    canvas.columns = columns.clamped(to: across)
    canvas.rows = rows.clamped(to: down)
    return canvas
  }

  /// Returns the pixel columns (`across`) or pixel rows (`down`) that a box covers, including any that lie
  /// outside the screen.
  func across(_ box: Box) -> Range<Int> { pixels(box.x, box.width, from: originX) }
  func down(_ box: Box) -> Range<Int> { pixels(box.y, box.height, from: originY) }

  private func pixels(_ start: Double, _ length: Double, from origin: Int) -> Range<Int> {
    let first = Int((start * scale).rounded())
    return origin + first..<origin + max(first, Int(((start + length) * scale).rounded()))
  }

  /// Fills a box with one colour. If the box is thinner than a pixel, it is drawn one pixel wide in a fainter
  /// colour.
  func fill(_ box: Box, _ colour: Colour, radius: Double = 0) {
    let (width, height) = (box.width * scale, box.height * scale)
    guard width >= 1, height >= 1 else { return hint(box, colour, min(1, width) * min(1, height)) }
    forEachRow(box, radius: radius) { _, columns, row in
      for x in columns { row[x] = colour.bits }
    }
  }

  /// Fills a box with a vertical gradient between two colours.
  func gradient(_ box: Box, _ top: Colour, _ bottom: Colour, radius: Double = 0) {
    let down = down(box)
    forEachRow(box, radius: radius) { y, columns, row in
      let colour = top.mixed(with: bottom, (y - down.lowerBound) * 256 / down.count)
      for x in columns { row[x] = colour.bits }
    }
  }

  /// Draws an outline along the inner side of a box. The outline is one point wide.
  func outline(_ box: Box, _ colour: Colour, radius: Double) {
    let (across, down) = (across(box), down(box))
    let outer = Corner(radius: min(radius * scale, Double(min(across.count, down.count)) / 2))
    let inner = Corner(radius: max(0, outer.radius - scale))
    let stroke = max(1, Int(scale.rounded()))
    for y in down where rows.contains(y) {
      let (above, below) = (y - down.lowerBound, down.upperBound - 1 - y)
      let start = outer.inset(above, below)
      // The outline is `stroke` pixels wide. In the rows of its top and bottom lines, all pixels are drawn.
      // In all other rows, `isSide` is true, and only the first `hole` and the last `hole` pixels are drawn.
      let isSide = min(above, below) >= stroke
      let hole = isSide ? stroke + inner.inset(above - stroke, below - stroke).whole : across.count
      for x in across where columns.contains(x) {
        let place = min(x - across.lowerBound, across.upperBound - 1 - x)
        guard place >= start.whole, place < max(hole, start.whole + 1) else { continue }
        let share = place == start.whole ? start.share : 256
        pixels(y)[x] = Colour(bits: pixels(y)[x]).mixed(with: colour, share).bits
      }
    }
  }

  /// Fills a disc with the given centre and radius.
  func disc(x: Double, y: Double, radius: Double, _ colour: Colour) {
    fill(Box(x - radius, y - radius, 2 * radius, 2 * radius), colour, radius: radius)
  }

  private func hint(_ box: Box, _ colour: Colour, _ share: Double) {
    let (x, y) = (across(box), down(box))
    for y in y.lowerBound..<max(y.upperBound, y.lowerBound + 1) where rows.contains(y) {
      let row = pixels(y)
      for x in x.lowerBound..<max(x.upperBound, x.lowerBound + 1) where columns.contains(x) {
        row[x] = Colour(bits: row[x]).mixed(with: colour, Int(share * 256)).bits
      }
    }
  }

  /// Calls `body` for each visible row of a box with rounded corners, so that `body` can draw the row. The
  /// arguments of `body` are the index of the row, the visible columns, and a pointer to the pixel in column
  /// 0.
  ///
  /// After `body` has drawn a row, the first and the last pixel of the row are corrected. If a rounded corner
  /// covers such a pixel only partly, the drawn colour is mixed with the colour that the pixel had before.
  func forEachRow(
    _ box: Box, radius: Double = 0, _ body: (Int, Range<Int>, UnsafeMutablePointer<UInt32>) -> Void
  ) {
    let (across, down) = (across(box), down(box))
    let corner = Corner(radius: min(radius * scale, Double(min(across.count, down.count)) / 2))
    for y in rows.clamped(to: down) {
      let inset = corner.inset(y - down.lowerBound, down.upperBound - 1 - y)
      let whole = across.lowerBound + inset.whole..<max(across.lowerBound, across.upperBound - inset.whole)
      guard !whole.isEmpty else { continue }
      let visible = columns.clamped(to: whole)
      guard !visible.isEmpty else { continue }
      let row = pixels(y)
      let ends = [whole.lowerBound, whole.upperBound - 1].filter { inset.share < 256 && visible.contains($0) }
      let before = ends.map { Colour(bits: row[$0]) }
      body(y, visible, row)
      for (x, old) in zip(ends, before) {
        row[x] = old.mixed(with: Colour(bits: row[x]), inset.share).bits
      }
    }
  }

  private func pixels(_ y: Int) -> UnsafeMutablePointer<UInt32> {
    // SAFETY: screens are rgba8 images without padding, so their rows consist of whole, aligned 32-bit
    // pixels.
    view.unsafeRow(y).assumingMemoryBound(to: UInt32.self)
  }
}

/// A quarter circle that rounds the corners of a box. The radius is in pixels.
private struct Corner {
  let radius: Double

  /// Returns how a rounded corner shortens a row of the box. `whole` is the number of pixels at each end of
  /// the row that lie completely outside the rounded shape. `share` says how much of the next pixel is
  /// covered, in 256ths.
  ///
  /// - Parameters:
  ///   - above: The number of rows in the box that are above this row.
  ///   - below: The number of rows in the box that are below this row.
  func inset(_ above: Int, _ below: Int) -> (whole: Int, share: Int) {
    let height = radius - Double(min(above, below)) - 0.5
    guard height > 0 else { return (0, 256) }
    let inset = radius - max(0, radius * radius - height * height).squareRoot()
    let whole = Int(inset)
    return (whole, 256 - Int((inset - Double(whole)) * 256))
  }
}
