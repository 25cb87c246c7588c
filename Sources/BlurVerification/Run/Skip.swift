import Blur
import BlurText

/// A line of the report about skipped checks. The line gives either a single reason, or a list of everything
/// that certain kernels do not support.
struct Skip {
  /// The reason, in which a star replaces the kernel's name so that several kernels can share the reason.
  private let reason: String
  private var kernels: [String] = [], properties: [String] = []
  private var checks = 0

  /// The maximum number of names of kernels or properties that are listed in one line of the report.
  private static let named = 4

  private init(reason: String) { self.reason = reason }

  /// The text with which a reason begins if a kernel does not support something, such as a format. The star
  /// stands for the name of the kernel.
  private static let unsupported = "kernel * does not support "

  /// Groups the reasons for skipped checks into lines of the report. Normally, each reason gets a line of its
  /// own. However, all formats, edge modes and other features that the same kernels do not support are listed
  /// together in one line.
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
    // The unsupported features are sorted by name and not by the number of skipped checks. This number
    // depends on the available time, so the order would otherwise change from run to run.
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

  /// A key for sorting the reasons. Reasons that name a pixel format come first, in the order in which
  /// `PixelFormat` lists its formats. The other reasons follow in alphabetical order.
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
