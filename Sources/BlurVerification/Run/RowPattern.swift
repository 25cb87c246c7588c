import Foundation

/// A pattern in the row lengths of passing and failing checks: all rows whose number of values is a multiple
/// of N pass, while many others fail. This happens if a vectorised loop forgets the remaining values of a
/// row.
struct RowPattern {
  /// A description of the pattern in one line.
  let text: String

  private static let blocks = [2, 4, 8, 16, 32, 64]
  /// The smallest fraction of the other rows that must fail for a pattern to be reported.
  private static let least = 0.3
  /// The smallest number of passing checks for a pattern to be reported, and the smallest number of different
  /// row lengths among them.
  private static let passes = 8, lengths = 3
  /// If so many checks would pass by chance with at least this probability, no pattern is reported.
  private static let chance = 1e-4

  /// Looks for a pattern in checks of named images. Returns nil if there is none.
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
      // Adding 1 to the number of other rows keeps the fraction below 1, even if all of these rows have
      // failed. With a fraction of 1, it would seem impossible for any row to pass by chance.
      let share = Double(failed) / Double(others + 1)
      guard share >= Self.least, pow(1 - share, Double(whole.count)) < Self.chance else { continue }
      text =
        "all \(whole.count) checks with a multiple of \(block) values per row pass, and "
        + "\(100 * failed / others) % of the others fail"
      return
    }
    return nil
  }
}
