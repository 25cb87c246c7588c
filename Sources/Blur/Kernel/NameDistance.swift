/// Finds the name that a misspelt one stands for.
package enum NameDistance {
  /// The candidate with the fewest edits to `name`, if that is at most a third of its length, or 2; of
  /// several the one with the same letters.
  package static func nearest(to name: String, in candidates: [String]) -> String? {
    let ranked = candidates.map {
      (name: $0, edits: edits(name, $0), differs: $0.sorted() == name.sorted() ? 0 : 1)
    }
    guard let best = ranked.min(by: { ($0.edits, $0.differs) < ($1.edits, $1.differs) }) else { return nil }
    return best.edits <= max(2, name.count / 3) ? best.name : nil
  }

  /// Levenshtein distance: insertions, deletions and substitutions from `a` to `b`.
  static func edits(_ a: String, _ b: String) -> Int {
    let b = Array(b.lowercased())
    var row = Array(0...b.count)
    for (i, x) in a.lowercased().enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, y) in b.enumerated() {
        let substituted = diagonal + (x == y ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(substituted, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}
