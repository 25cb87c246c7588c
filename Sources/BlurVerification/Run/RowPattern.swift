import Foundation

/// What the rows have in common that are blurred rightly, where most others fail: a number of values that
/// divides theirs, as where a vectorised loop forgets what is left of a row.
struct RowPattern {
  /// One line.
  let text: String

  private static let blocks = [2, 4, 8, 16, 32, 64]
  /// The share of other rows that must fail.
  private static let least = 0.3
  /// So many passes that are less likely than this are no coincidence.
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
      let share = Double(failed) / Double(max(1, rows.count - whole.count))
      guard share >= Self.least, pow(1 - share, Double(whole.count)) < Self.chance else { continue }
      text =
        "all \(whole.count) checks pass whose rows have a multiple of \(block) values, and "
        + "\(Int(share * 100)) % of the others fail"
      return
    }
    return nil
  }
}
