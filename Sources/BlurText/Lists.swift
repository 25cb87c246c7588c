extension [String] {
  /// The names, for a message.
  package var listed: String { joined(separator: ", ") }

  /// The first `count`, and how many more there are.
  package func first(_ count: Int) -> [String] {
    self.count <= count ? self : prefix(count) + ["… and \(self.count - count) more"]
  }

  /// Each once, in order of first appearance.
  package var uniqued: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}

extension String {
  /// Line breaks as spaces.
  package var oneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
