import Blur
import BlurText

/// The result of a verification run as text, CSV or JSON.
public struct VerificationReport: Sendable {
  /// One row for each combination of kernel and property.
  public let rows: [VerificationSummary]

  /// Creates a report from the summaries of checks that ran in other processes.
  public init(rows: [VerificationSummary]) { self.rows = rows }

  /// A Boolean value that indicates whether any check failed.
  public var hasFailures: Bool { rows.contains(where: \.status.isFailure) }

  /// A Boolean value that indicates whether all checks were skipped.
  public var isEmpty: Bool { rows.allSatisfy { $0.status == .skipped } }

  /// The report as text. It contains a table of properties and kernels, the largest errors, the certificates,
  /// the skipped checks and the failures. For kernels that promise no error bound, or only a very large one,
  /// it also contains the sigmas that they achieve.
  public var text: String {
    [matrix, errors, sigmas, certificates, skips, samples, failures, ending].filter { !$0.isEmpty }.joined(
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
    // Only these properties measure errors relative to the Gaussian.
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

  /// The achieved sigmas of kernels that promise no error bound, or only a very large one. No other property
  /// judges whether such a kernel blurs with the requested sigma.
  private var sigmas: String {
    let shown = rows.filter { $0.property == Property.plausible.name && $0.status == .passed }
    let table = Table<VerificationSummary>([Column { $0.kernel }, Column { $0.worstCase }])
    return shown.isEmpty
      ? ""
      : "Kernels without a useful error bound: the sigma they achieve in the check with the largest error\n"
        + table.text(shown)
  }

  private var certificates: String {
    let certificates = rows.flatMap { $0.certificates ?? [] }
    guard !certificates.isEmpty else { return "" }
    return "Certificates: the worst case over all images, only for the sigmas in the table "
      + "(for others: blurbench certify --sigma)\n"
      + CertificateRow.summary(certificates)
  }

  private var skips: String { Skip.grouped(rows).map(\.line).joined(separator: "\n") }

  private var samples: String {
    rows.filter { $0.checks < $0.planned && !$0.status.isFailure }.map { row in
      let all = row.seconds.map {
        ", in about \(Int(($0 * Double(row.planned) / Double(row.checks)).rounded(.up))) s"
      }
      return
        "\(row.kernel) \(row.property): \(row.checks) of \(row.planned.of("check")), chosen at random; "
        + "--thorough runs all of them" + (all ?? "")
    }.joined(separator: "\n")
  }

  /// The failed rows of the report as text, grouped by cause.
  private var failures: String { FailureGroup.all(of: rows).map(\.text).joined(separator: "\n\n") }

  private var ending: String {
    let (all, failed) = (rows.map(\.checks).reduce(0, +), rows.map(\.failed).reduce(0, +))
    let skipped = rows.map(\.skipped).reduce(0, +)
    return "\(all.of("check")): \(all - failed - skipped) passed, \(failed) failed, \(skipped) skipped"
  }
}

extension VerificationReport {
  /// The report as JUnit XML, for programs that show test results. Each combination of kernel and property is
  /// a test.
  public var junit: String {
    // Programs that read JUnit XML consider a suite without tests successful. A run that checked nothing is
    // therefore written as one skipped test.
    let nothing = JUnit.Test(name: "verify", result: .skipped, type: "", message: "nothing was checked")
    let title = rows.map(\.kernel).uniqued.listed
    return JUnit(verb: "verify", title: title, rows.isEmpty ? [nothing] : rows.map(\.test), notes: text).xml
  }
}

extension VerificationSummary {
  fileprivate var test: JUnit.Test {
    let result: JUnit.Result? =
      switch status {
      case .passed: nil
      case .failed, .suspect: .failure
      case .skipped: .skipped
      }
    let lines = [message, advice, command].compactMap(\.self)
    return JUnit.Test(
      name: "\(kernel) \(property)", seconds: seconds, result: result, type: property,
      message: lines.joined(separator: "\n"))
  }
}

/// A line of the report that says which checks were skipped, and why.
private struct Skip {
  /// The reason why checks were skipped. A star replaces the kernel's name in it, so that several kernels can
  /// share the reason.
  private let reason: String
  private var kernels: [String] = [], properties: [String] = []
  private var checks = 0

  /// The maximum number of kernels or properties whose names are listed in one line of the report.
  private static let named = 4

  private init(reason: String) { self.reason = reason }

  /// The first words of every reason that says what a kernel does not support, such as a format. The star
  /// stands for the name of the kernel.
  private static let unsupported = "kernel * does not support "

  /// Groups the reasons for skipped checks into lines of the report. If several features, such as formats and
  /// edge modes, are unsupported by exactly the same kernels, these features share a line. Every other reason
  /// gets a line of its own.
  ///
  /// The lines about instruction sets that this machine lacks come first. The other lines are ordered by the
  /// number of skipped checks, largest first.
  static func grouped(_ rows: [VerificationSummary]) -> [Skip] {
    var skips: [String: Skip] = [:]
    for row in rows {
      for (reason, count) in row.skipReasons ?? [:] {
        let key = reason.replacing("kernel \(row.kernel)", with: "kernel *")
        var skip = skips[key] ?? Skip(reason: key)
        skip.kernels.append(row.kernel)
        skip.properties.append(row.property)
        skip.checks += count
        skips[key] = skip
      }
    }
    let all = skips.values.sorted { ($0.rank, $0.reason) < ($1.rank, $1.reason) }
    let features = all.filter { $0.reason.hasPrefix(unsupported) }
    let byKernels = Dictionary(grouping: features) { $0.kernels.uniqued.sorted() }
    return (byKernels.values.map(Skip.init(joining:)) + all.filter { !$0.reason.hasPrefix(unsupported) })
      .sorted { ($0.rank, $0.reason) < ($1.rank, $1.reason) }
  }

  /// Joins several reasons into one that lists everything that the same kernels do not support, such as
  /// "format gray16, rgb16; edge wrap; sigma below 2".
  private init(joining all: [Skip]) {
    // The reasons are not sorted by the number of skipped checks, because this number depends on the
    // available time, so the order would change from run to run.
    let all = all.sorted { $0.order < $1.order }
    let refused = all.map { String($0.reason.dropFirst(Self.unsupported.count)) }
    let kinds = ["format ", "edge "]
    let values = kinds.map { kind in refused.filter { $0.hasPrefix(kind) }.map { $0.dropFirst(kind.count) } }
    let joined = zip(kinds, values).filter { !$1.isEmpty }.map { $0 + $1.joined(separator: ", ") }
    let rest = refused.filter { reason in !kinds.contains { reason.hasPrefix($0) } }
    self.init(reason: Self.unsupported + (joined + rest).joined(separator: "; "))
    kernels = all[0].kernels
    properties = all.flatMap(\.properties).uniqued
    checks = all.map(\.checks).reduce(0, +)
  }

  /// A key for sorting the reasons: first pixel formats in their usual order, then the rest alphabetically.
  private var order: (Int, String) {
    let format = PixelFormat.allCases.firstIndex { reason == "\(Self.unsupported)format \($0)" }
    return (format ?? .max, reason)
  }

  private var rank: Int { checks == 0 ? .min : -checks }

  /// The line of the report, such as "SKIPPED(does not work in place) simd, pyramid and 20 more: in-place,
  /// 486 checks".
  var line: String {
    let all = kernels.uniqued
    let told =
      all.count == 1
      ? reason.replacing("kernel *", with: "kernel \(all[0])")
      : reason.replacing("kernel * ", with: "").replacing("kernel *", with: "it")
    let counted = checks == 0 ? "" : ", \(checks.of("check"))"
    return "SKIPPED(\(told)) \(Self.listed(all)): \(Self.listed(properties.uniqued))\(counted)"
  }

  private static func listed(_ names: [String]) -> String {
    guard names.count > named + 1 else { return names.joined(separator: ", ") }
    return names.prefix(named).joined(separator: ", ") + " and \(names.count - named) more"
  }
}
