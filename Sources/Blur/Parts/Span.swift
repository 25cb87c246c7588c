// The functions in this file find the rows and columns of an image that must be read to blur a part of it.
// Pixels outside this part must be read, too, because the blur window also covers neighbouring pixels.

extension EdgeMode {
  /// Returns the smallest range of pixels that must be stored so that all `positions` of a row or column with
  /// `count` pixels can be read. At a position outside the image, the edge mode copies a pixel of the image.
  /// For example, with the edge mode `clamp`, the positions −2 to 4 need only the pixels 0 to 4. At least one
  /// position must be inside the image.
  func span(of positions: Range<Int>, count: Int) -> Range<Int> {
    var span = positions.clamped(to: 0..<count)
    func include(_ outside: Range<Int>) {
      for index in outside.lazy.compactMap({ index(of: $0, count: count) }) {
        span = min(span.lowerBound, index)..<max(span.upperBound, index + 1)
      }
    }
    if positions.lowerBound < 0 { include(positions.lowerBound..<min(0, positions.upperBound)) }
    if positions.upperBound > count { include(max(count, positions.lowerBound)..<positions.upperBound) }
    return span
  }
}

extension Region {
  /// Creates the rectangle that consists of the given columns and rows.
  init(columns: Range<Int>, rows: Range<Int>) {
    self.init(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }
}

extension Range<Int> {
  /// Returns the range, extended by `radius` at both ends.
  func widened(by radius: Int) -> Range<Int> { lowerBound - radius..<upperBound + radius }
}
