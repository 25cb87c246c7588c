import Foundation

/// What the rows have in common that are blurred rightly, where most others fail: a number of values that
/// divides theirs, as where a vectorised loop forgets what is left of a row.
struct RowPattern {
  /// One line.
  let text: String

  private static let blocks = [2, 4, 8, 16, 32, 64]
  /// The share of other rows that must fail.
  private static let least = 0.3
  /// The least number of passes, and of different row lengths among them.
  private static let passes = 8, lengths = 3
  /// Passes that are less likely than this by chance show a pattern.
  private static let chance = 1e-4

  /// Looks at checks of named images; nil where there is no such number.
  init?(_ checks: [Check]) {
    let rows = checks.compactMap { check -> (values: Int, isFailed: Bool)? in
      guard let image = check.subject.image, check.outcome.reason == nil else { return nil }
      return (image.width * check.subject.format.channels, check.outcome.failure != nil)
    }
    for block in Self.blocks {
      let whole = rows.filter { $0.values % block == 0 }
      if whole.contains(where: \.isFailed) { continue }
      let failed = rows.count(where: \.isFailed)
      let others = rows.count - whole.count
      guard whole.count >= Self.passes, Set(whole.map(\.values)).count >= Self.lengths else { continue }
      // Some other row might have passed.
      let share = Double(failed) / Double(others + 1)
      guard share >= Self.least, pow(1 - share, Double(whole.count)) < Self.chance else { continue }
      text =
        "all \(whole.count) checks pass whose rows have a multiple of \(block) values, and "
        + "\(100 * failed / others) % of the others fail"
      return
    }
    return nil
  }
}
