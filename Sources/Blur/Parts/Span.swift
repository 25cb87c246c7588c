// Which part of an image the windows around a region read.

extension EdgeMode {
  /// The indices inside 0..<count, from the first to the last, that stand for `positions`, some of which are
  /// inside themselves.
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
  /// The rectangle where `columns` and `rows` meet.
  init(columns: Range<Int>, rows: Range<Int>) {
    self.init(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }
}

extension Range<Int> {
  /// The range with `radius` more numbers at each end.
  func widened(by radius: Int) -> Range<Int> { lowerBound - radius..<upperBound + radius }
}
