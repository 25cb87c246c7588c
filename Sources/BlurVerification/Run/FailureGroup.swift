import Blur
import BlurText

/// A format, edge mode, instruction set or number of threads, and how many checks with this value failed.
struct CheckedValue: Codable {
  /// The name of the value, such as "mirror edge".
  let name: String
  /// The kind of value, such as an edge mode or a format. It is an index in ``names``.
  let dimension: Int
  /// The number of checks with this value that failed (`failed`), and the number of checks with this value
  /// that were run, including the failed ones (`made`).
  var failed = 0, made = 0

  /// For each kind of value (dimension), a function that returns a subject's value as text. There are two
  /// dimensions for edge modes. The first one distinguishes a constant black edge from a constant edge of
  /// another colour, and the second one treats both alike.
  private static let names: [@Sendable (Subject) -> String] = [
    { "\($0.edgeName) edge" }, { "\($0.edge.name) edge" }, { "\($0.format)" }, { $0.instructionSet.name },
    { $0.threads.of("thread") },
  ]

  /// Returns all formats, edge modes, instruction sets and numbers of threads that occur in the checks. For
  /// each of these values, the result says how many checks with this value have failed, and how many were
  /// run.
  ///
  /// - Parameter failures: The failed checks, and their reduced copies. A reduced copy also fails, but under
  ///   simpler conditions, for example with one thread instead of eight. In this example, the failure does
  ///   not depend on the number of threads.
  static func all(of checks: [Check], _ failures: [Check]) -> [CheckedValue] {
    let made = checks.filter { $0.outcome.reason == nil }
    return joined(
      names.enumerated().flatMap { dimension, name in
        made.map { CheckedValue(name: name($0.subject), dimension: dimension, made: 1) }
          + failures.map { CheckedValue(name: name($0.subject), dimension: dimension, failed: 1) }
      })
  }

  /// Merges all elements that describe the same value into one element, and adds up their numbers of checks.
  static func joined(_ values: [CheckedValue]) -> [CheckedValue] {
    var sums: [CheckedValue] = []
    for value in values {
      if let same = sums.firstIndex(where: { $0.name == value.name && $0.dimension == value.dimension }) {
        sums[same].failed += value.failed
        sums[same].made += value.made
      } else {
        sums.append(value)
      }
    }
    return sums
  }

  /// Returns the values that all failures have in common, except values that they probably share by
  /// coincidence.
  ///
  /// - Parameter failures: The number of failed checks, without their reduced copies.
  static func shared(_ values: [CheckedValue], failures: Int) -> [CheckedValue] {
    let values = joined(values)
    let shared = names.indices.compactMap { dimension -> CheckedValue? in
      let all = values.filter { $0.dimension == dimension }
      let failed = all.filter { $0.failed > 0 }
      guard failed.count == 1 else { return nil }
      // The probability that all failed checks have this value by mere chance. It is the probability that as
      // many checks, drawn at random from all checks, would all have the value.
      let made = all.map(\.made).reduce(0, +)
      let coincidence = (0..<failures).reduce(1.0) { $0 * Double(failed[0].made - $1) / Double(made - $1) }
      return coincidence < 0.01 ? failed[0] : nil
    }
    return shared.first?.dimension == 0 ? shared.filter { $0.dimension != 1 } : shared
  }
}

/// The failures of one kernel that have the same cause. The report shows them as one block of text.
struct FailureGroup {
  private var rows: [VerificationSummary]

  /// Groups the failed and suspect rows of a report by kernel, status and cause.
  static func all(of rows: [VerificationSummary]) -> [FailureGroup] {
    var groups: [FailureGroup] = []
    for row in rows where row.status.isFailure {
      let same = groups.firstIndex { group in
        let first = group.rows[0]
        return first.kernel == row.kernel && first.cause == row.cause && first.status == row.status
      }
      if let same { groups[same].rows.append(row) } else { groups.append(FailureGroup(rows: [row])) }
    }
    return groups
  }

  /// The values that the failures of all properties in this group share.
  private var shared: [CheckedValue] {
    let values = rows.compactMap(\.values)
    let failures = rows.map(\.failed).reduce(0, +)
    guard values.count == rows.count, failures > 1 else { return [] }
    return CheckedValue.shared(values.flatMap(\.self), failures: failures)
  }

  /// The title of the group, such as "wrong: mirror edge, 27 levels".
  var title: String {
    let worst = rows.compactMap(\.maxErrorLevels).max()
    let details = shared.map(\.name) + (worst.map { [$0.inLevels] } ?? [])
    return (rows[0].cause ?? "fails") + (details.isEmpty ? "" : ": " + details.joined(separator: ", "))
  }

  /// The block of text in the report: the title, some statistics and advice, and then the failed properties.
  var text: String {
    let failed = rows.map(\.failed).reduce(0, +)
    let checks = rows.map { $0.checks - $0.skipped }.reduce(0, +)
    let values = shared.map { "\($0.name) (of \($0.made.of("check")) with it)" }
    let common = values.isEmpty ? [] : ["all \(failed) failures have \(values.listed)"]
    let advice = rows.compactMap(\.advice).uniqued
    let counts = "\(failed) of \(checks.of("check")) in \(rows.count.of("property", "properties")) failed"
    let title = ["\(rows[0].status.rawValue) \(rows[0].kernel) \(title)"]
    return (title + ([counts] + common + advice).map { "  " + $0 } + cases).joined(separator: "\n")
  }

  /// The lines that describe the failed properties. Properties with the same message are listed together.
  private var cases: [String] {
    rows.map { $0.message ?? "" }.uniqued.flatMap { message in
      let rows = rows.filter { ($0.message ?? "") == message }
      let row = rows[0]
      let picture =
        (row.picture.map { "picture: \($0)" } ?? "no picture")
        + " (\(row.pictureNote ?? "the process ended before one could be drawn"))"
      return ["  \(rows.map(\.property).joined(separator: ", ")): \(message)"]
        + [row.command, row.smallest.map { "the smallest test image that also fails: \($0)" }, picture]
        .compactMap(\.self).map { "    " + $0 }
    }
  }
}
