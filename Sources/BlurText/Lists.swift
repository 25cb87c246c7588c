extension [String] {
  /// The strings joined with commas, for use in a message.
  package var listed: String { joined(separator: ", ") }

  /// Returns the first `count` strings. If there are more, an additional string such as "… and 3 more" states
  /// how many were left out.
  package func first(_ count: Int) -> [String] {
    self.count <= count ? self : prefix(count) + ["… and \(self.count - count) more"]
  }

  /// The distinct strings, in the order of their first appearance.
  package var uniqued: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension String {
  /// The string on one line. Each run of line breaks is replaced by one space, or removed at the start and
  /// the end of the string.
  package var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
