// The functions in this file find the rows and columns of an image that are needed to blur a part of it. The
// blur window reaches beyond this part, and the edge mode maps positions outside the image to pixels inside
// it.

extension EdgeMode {
  /// Returns the smallest range of pixels that is needed to read all `positions` in a row or column of
  /// `count` pixels. A position outside the image needs the pixel that the edge mode copies there, if there
  /// is one. For example, the positions −2 to 4 need only the pixels 0 to 4 in the edge mode `clamp`. At
  /// least one of the positions must itself lie inside the image.
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
