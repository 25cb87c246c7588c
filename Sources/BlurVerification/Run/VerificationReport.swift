import Blur
import BlurText

/// The result of a verification run as text, CSV or JSON.
public struct VerificationReport: Sendable {
  /// One row for each combination of kernel and property.
  public let rows: [VerificationSummary]

  /// Creates a report that summarises the given checks.
  public init(_ checks: [Check]) { rows = VerificationSummary.summaries(of: checks) }

  /// Creates a report from the summaries of checks that were made in other processes.
  public init(rows: [VerificationSummary]) { self.rows = rows }

  /// A Boolean value that indicates whether any check failed.
  public var hasFailures: Bool { rows.contains { $0.status == .failed } }

  /// A Boolean value that indicates whether no check could be made.
  public var isEmpty: Bool { rows.allSatisfy { $0.status == .skipped } }

  /// The report as text: a table of properties and kernels, the largest errors, the certificates, and what
  /// was skipped and what failed.
  public var text: String {
    [matrix, errors, certificates, skips, samples, failures, ending].filter { !$0.isEmpty }.joined(
      separator: "\n\n") + "\n"
  }

  /// A CSV table with a header line and a line for each row. Missing values are empty.
  public var csv: String { Self.table.csv(rows) }

  private static let table = Table<VerificationSummary>([
    Column("kernel") { $0.kernel }, Column("property") { $0.property },
    Column("status") { $0.status.rawValue }, Column("checks") { $0.checks }, Column("failed") { $0.failed },
    Column("skipped") { $0.skipped }, Column("planned") { $0.planned },
    Column("max_error_levels") { $0.maxErrorLevels }, Column("x") { $0.x }, Column("y") { $0.y },
    Column("channel") { $0.channel }, Column("worst_case") { $0.worstCase }, Column("message") { $0.message },
    Column("command") { $0.command }, Column("smallest") { $0.smallest }, Column("picture") { $0.picture },
  ])

  /// Returns the rows as a JSON array.
  public func json() throws -> String {
    try JSONDocument.text(of: rows)
  }

  private var matrix: String {
    let kernels = rows.map(\.kernel).uniqued.map { kernel in
      Column<String>(kernel) { [rows] property in
        rows.first { $0.kernel == kernel && $0.property == property }?.status.rawValue
      }
    }
    return Table([Column<String>("property") { $0 }] + kernels).text(rows.map(\.property).uniqued)
  }

  private var errors: String {
    // Only these properties measure errors relative to the Gaussian. The other properties measure something
    // else, such as the difference between two results.
    let measuring = ([Property.truth, .axes, .shapes, .large, .thin] + Property.variableOnly.prefix(1)).map(
      \.name)
    let worst = rows.map(\.kernel).uniqued.compactMap { kernel in
      rows.filter { $0.kernel == kernel && measuring.contains($0.property) && $0.maxErrorLevels != nil }
        .max { $0.maxErrorLevels ?? 0 < $1.maxErrorLevels ?? 0 }
    }
    let table = Table<VerificationSummary>([
      Column { $0.kernel }, Column { $0.maxErrorLevels?.inLevels },
      Column { "at x \($0.x ?? 0), y \($0.y ?? 0), channel \($0.channel ?? 0)" },
      Column { "\($0.property): \($0.worstCase ?? "")" },
    ])
    return worst.isEmpty ? "" : "Largest error relative to the exact Gaussian\n" + table.text(worst)
  }

  /// A table with a line for each certificate: the worst case over all images and the characteristics of the
  /// kernel.
  private var certificates: String {
    let certificates = rows.flatMap { $0.certificates ?? [] }
    guard !certificates.isEmpty else { return "" }
    return "Certificates: the worst case over all images, only for the sigmas in the table "
      + "(for others: blurbench certify --sigma)\n"
      + CertificateRow.summary(certificates)
  }

  private var skips: String { Skip.grouped(rows).map(\.line).joined(separator: "\n") }

  private var samples: String {
    rows.filter { $0.checks < $0.planned && $0.status != .failed }.map { row in
      let all = row.seconds.map {
        ", in about \(Int(($0 * Double(row.planned) / Double(row.checks)).rounded(.up))) s"
      }
      return
        "\(row.kernel) \(row.property): \(row.checks) of \(row.planned.of("check")), chosen at random; "
        + "--thorough runs all of them" + (all ?? "")
    }.joined(separator: "\n")
  }

  /// The failed rows of the report as text. If a kernel fails several properties with the same message, these
  /// properties are listed together.
  private var failures: String {
    var groups: [[VerificationSummary]] = []
    for row in rows where row.status == .failed {
      let same = groups.firstIndex { $0[0].kernel == row.kernel && $0[0].message == row.message }
      if let same { groups[same].append(row) } else { groups.append([row]) }
    }
    return groups.map { group in
      let (row, properties) = (group[0], group.map(\.property).joined(separator: ", "))
      let (failed, checks) = (group.map(\.failed).reduce(0, +), group.map(\.checks).reduce(0, +))
      return "FAILED \(row.kernel) \(properties), \(failed) of \(checks.of("check")): \(row.message ?? "")\n"
        + (row.shared.map { "  \($0)\n" } ?? "")
        + "  \(row.command ?? "")"
        + (row.smallest.map { "\n  the smallest test image that also fails: \($0)" } ?? "")
        + "\n  " + (row.picture.map { "picture: \($0)" } ?? "no picture")
        + " (\(row.pictureNote ?? "the process ended before one could be drawn"))"
    }.joined(separator: "\n")
  }

  private var ending: String {
    let (all, failed) = (rows.map(\.checks).reduce(0, +), rows.map(\.failed).reduce(0, +))
    let skipped = rows.map(\.skipped).reduce(0, +)
    return "\(all.of("check")): \(all - failed - skipped) passed, \(failed) failed, \(skipped) skipped"
  }
}
