import Blur
import BlurText

/// The result of a run as text, CSV and JSON.
public struct VerificationReport: Sendable {
  /// One row for each kernel and property.
  public let rows: [VerificationSummary]

  /// Sums up checks.
  public init(_ checks: [Check]) { rows = VerificationSummary.summaries(of: checks) }

  /// Takes rows that another process summed up.
  public init(rows: [VerificationSummary]) { self.rows = rows }

  /// Whether any check failed.
  public var hasFailures: Bool { rows.contains { $0.status == .failed } }

  /// Whether no check could be made.
  public var isEmpty: Bool { rows.allSatisfy { $0.status == .skipped } }

  /// Text: properties × kernels, the largest errors, what was skipped and what failed.
  public var text: String {
    [matrix, errors, certificates, skips, samples, failures, ending].filter { !$0.isEmpty }.joined(
      separator: "\n\n") + "\n"
  }

  /// A header line and a line for each row; missing values are empty.
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

  /// The rows as a JSON array.
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
    // The other properties' deviations are between two results, not from the Gaussian.
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
    return lines.isEmpty ? "" : "Largest error against the Gaussian\n" + TextTable.aligned(lines)
  }

  /// A line for each certificate: the worst case of any image, and what the kernel is.
  private var certificates: String {
    let lines = rows.flatMap { $0.certificates ?? [] }.map(\.line)
    guard !lines.isEmpty else { return "" }
    let columns = CertificateRow.lineColumns.indices.filter { column in
      let isPlain = CertificateRow.lineColumns[column] == "edge" ? EdgeMode.clamp.name : ""
      return lines.contains { $0[column] != isPlain }
    }
    return "Certificates: the worst case of any image, at these sigmas alone (blurbench certify --sigma)\n"
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
        + "--thorough makes all" + (all ?? "")
    }.joined(separator: "\n")
  }

  /// Properties that a kernel fails in the same words share an entry.
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
        + "  \(row.command ?? "")" + (row.smallest.map { "\n  the smallest image: \($0)" } ?? "")
        + "\n  " + (row.picture.map { "picture: \($0)" } ?? "no picture")
        + " (\(row.pictureNote ?? "its process ended before one was drawn"))"
    }.joined(separator: "\n")
  }

  private var ending: String {
    let (all, failed) = (rows.map(\.checks).reduce(0, +), rows.map(\.failed).reduce(0, +))
    let skipped = rows.map(\.skipped).reduce(0, +)
    return "\(all.of("check")): \(all - failed - skipped) passed, \(failed) failed, \(skipped) skipped"
  }
}
