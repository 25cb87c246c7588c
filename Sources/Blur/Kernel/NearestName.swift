/// Returns the candidate that is most similar to a misspelt name, for an error message that suggests it.
///
/// The most similar candidate is the one that needs the fewest edits to become `name`. Among candidates that
/// need equally many edits, one with the same letters as `name` is preferred. A candidate may need up to 2
/// edits, or up to a third of the length of `name` if that is more. The result is nil if every candidate
/// needs more edits.
package func nearestName(to name: String, in candidates: [String]) -> String? {
  let ranked = candidates.map {
    (name: $0, edits: edits(name, $0), differs: $0.sorted() == name.sorted() ? 0 : 1)
  }
  guard let best = ranked.min(by: { ($0.edits, $0.differs) < ($1.edits, $1.differs) }) else { return nil }
  return best.edits <= max(2, name.count / 3) ? best.name : nil
}

/// Returns the Levenshtein distance: the smallest number of insertions, deletions and substitutions that turn
/// `a` into `b`. Upper-case and lower-case letters count as equal.
private func edits(_ a: String, _ b: String) -> Int {
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
