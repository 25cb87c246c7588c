import Foundation

/// A pattern in the row lengths of passing and failing checks: all rows whose number of values is a multiple
/// of N pass, while many others fail. This happens if a vectorised loop forgets the remaining values of a
/// row.
struct RowPattern {
  /// A description, in one line, of which row lengths pass and which fail.
  let text: String

  private static let blocks = [2, 4, 8, 16, 32, 64]
  /// The report mentions the pattern "all rows whose length is a multiple of N pass" only if at least this
  /// fraction of the rows of other lengths fail.
  private static let least = 0.3
  /// The report mentions the pattern "all rows whose length is a multiple of N pass" only if at least
  /// `passes` such rows were checked, and only if these rows have at least `lengths` different lengths.
  private static let passes = 8, lengths = 3
  /// A pattern in the failures is not reported if it would arise by chance with at least this probability.
  private static let chance = 1e-4

  /// Finds out whether the length of an image's rows decides if a check passes or fails. Only checks of named
  /// test images are used, because the sizes of other images are not known. Returns nil if there is no
  /// pattern.
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
      // The probability that the pattern arises by chance is computed from the fraction of failing checks.
      // Adding 1 to the denominator keeps this fraction below 1. With a fraction of 1, the probability would
      // always be 0.
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
