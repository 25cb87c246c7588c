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
  public var csv: String {
    let header =
      "kernel,property,status,checks,failed,skipped,planned,max_error_levels,x,y,channel,worst_case,message,"
      + "command,smallest,picture"
    let lines = rows.map { row in
      let numbers = [row.x, row.y, row.channel].map { $0.map(String.init) ?? "" }
      return
        [row.kernel, row.property, row.status.rawValue, "\(row.checks)", "\(row.failed)", "\(row.skipped)"]
        + ["\(row.planned)"]
        + [row.maxErrorLevels.map { "\($0)" } ?? ""] + numbers
        + [row.worstCase, row.message, row.command, row.smallest, row.picture].map { $0 ?? "" }
    }
    return header + "\n" + CSVField.lines(lines)
  }

  /// Returns the rows as a JSON array.
  public func json() throws -> String {
    try JSONDocument.text(of: rows)
  }

  private var matrix: String {
    let kernels = rows.map(\.kernel).uniqued
    let lines = rows.map(\.property).uniqued.map { property in
      [property]
        + kernels.map { kernel in
          rows.first { $0.kernel == kernel && $0.property == property }?.status.rawValue ?? ""
        }
    }
    return TextTable.aligned([["property"] + kernels] + lines)
  }

  private var errors: String {
    // Only these properties measure errors relative to the Gaussian. The other properties measure something
    // else, such as the difference between two results.
    let measuring = ([Property.truth, .axes, .shapes, .large, .thin] + Property.variableOnly.prefix(1)).map(
      \.name)
    let lines = rows.map(\.kernel).uniqued.compactMap { kernel -> [String]? in
      let worst = rows.filter { $0.kernel == kernel && measuring.contains($0.property) }
        .compactMap { row in row.maxErrorLevels.map { (row, levels: $0) } }.max { $0.levels < $1.levels }
      return worst.map { row, levels in
        let place = "x \(row.x ?? 0), y \(row.y ?? 0), channel \(row.channel ?? 0)"
        return [kernel, levels.inLevels, "at \(place)", "\(row.property): \(row.worstCase ?? "")"]
      }
    }
    return lines.isEmpty ? "" : "Largest error relative to the exact Gaussian\n" + TextTable.aligned(lines)
  }

  /// A table with a line for each certificate: the worst case over all images and the characteristics of the
  /// kernel.
  private var certificates: String {
    let lines = rows.flatMap { $0.certificates ?? [] }.map(\.line)
    guard !lines.isEmpty else { return "" }
    let columns = CertificateRow.lineColumns.indices.filter { column in
      let isPlain = CertificateRow.lineColumns[column] == "edge" ? EdgeMode.clamp.name : ""
      return lines.contains { $0[column] != isPlain }
    }
    return "Certificates: the worst case over all images, only for the sigmas in the table "
      + "(for others: blurbench certify --sigma)\n"
      + TextTable.aligned(([CertificateRow.lineColumns] + lines).map { line in columns.map { line[$0] } })
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
