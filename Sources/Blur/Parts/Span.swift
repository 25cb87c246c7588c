// The part of an image that is read by the windows around a region.

extension EdgeMode {
  /// Returns the range of indices inside 0..<count that appear at `positions`, from the first to the last.
  /// Some of the positions must lie inside 0..<count.
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
  /// Creates the rectangle in which `columns` and `rows` intersect.
  init(columns: Range<Int>, rows: Range<Int>) {
    self.init(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }
}

extension Range<Int> {
  /// Returns the range extended by `radius` numbers at each end.
  func widened(by radius: Int) -> Range<Int> { lowerBound - radius..<upperBound + radius }
}
