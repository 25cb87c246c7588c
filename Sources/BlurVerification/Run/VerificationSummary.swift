import Blur

/// All checks of one property of one kernel together: a row of the report.
public struct VerificationSummary: Codable, Sendable {
  /// The kernel's and the property's names.
  public let kernel: String, property: String
  /// FAILED if any check failed, SKIPPED if none could be made.
  public let status: Status
  /// How many checks were made, and how many of them failed or could not be made.
  public let checks: Int, failed: Int, skipped: Int
  /// The largest error met, in levels; nil where none was measured or it is not finite.
  public let maxErrorLevels: Double?
  /// Where the largest error is.
  public let x: Int?, y: Int?, channel: Int?
  /// The subject and image of the largest error.
  public let worstCase: String?
  /// What failed first, or why checks could not be made.
  public let message: String?
  /// For a failure, the command that repeats the first failing check.
  public let command: String?

  /// PASSED, FAILED or SKIPPED.
  public enum Status: String, Codable, Sendable {
    case passed = "PASSED"
    case failed = "FAILED"
    case skipped = "SKIPPED"
  }

  private enum CodingKeys: String, CodingKey {
    case kernel, property, status, checks, failed, skipped
    case maxErrorLevels = "max_error_levels"
    case x, y, channel
    case worstCase = "worst_case"
    case message, command
  }

  /// Sums up checks, one row for each kernel and property, in their order.
  public static func summaries(of checks: [Check]) -> [VerificationSummary] {
    var order: [[String]] = []
    let groups = Dictionary(grouping: checks) { [$0.kernel.name, $0.property.name] }
    for check in checks where order.last != [check.kernel.name, check.property.name] {
      order.append([check.kernel.name, check.property.name])
    }
    return order.compactMap { groups[$0].map(VerificationSummary.init) }
  }

  /// A failure of everything that was to be checked, such as a process that died.
  public init(kernel: String, property: String, failure: String, _ command: String) {
    self.kernel = kernel
    self.property = property
    status = .failed
    (checks, failed, skipped) = (1, 1, 0)
    (maxErrorLevels, x, y, channel, worstCase) = (nil, nil, nil, nil, nil)
    message = failure
    self.command = command
  }

  /// Sums up checks of one kernel and property; at least one.
  init(_ all: [Check]) {
    let failures = all.filter { $0.outcome.failure != nil }
    let reasons = all.compactMap(\.outcome.reason)
    // What failed matters more than the larger error of something that may err.
    let worst = (failures.isEmpty ? all : failures).max { $0.errorLevels < $1.errorLevels }
    let deviation = worst?.outcome.finding?.deviation
    kernel = all[0].kernel.name
    property = all[0].property.name
    status = !failures.isEmpty ? .failed : reasons.count == all.count ? .skipped : .passed
    (checks, failed, skipped) = (all.count, failures.count, reasons.count)
    maxErrorLevels = deviation.flatMap { $0.maxLevels.isFinite ? $0.maxLevels : nil }
    (x, y, channel) = (deviation?.x, deviation?.y, deviation?.channel)
    worstCase = deviation == nil ? nil : worst.map { "\($0.place), \($0.outcome.finding?.message ?? "")" }
    message = failures.first?.outcome.failure?.message ?? Set(reasons).sorted().first
    command = failures.first?.command
  }
}

extension Outcome {
  var finding: Finding? {
    switch self {
    case .passed(let finding): finding
    case .failed(let finding): finding
    case .skipped: nil
    }
  }

  var failure: Finding? { if case .failed(let finding) = self { finding } else { nil } }

  var reason: String? { if case .skipped(let reason) = self { reason } else { nil } }
}

extension Check {
  /// The largest error met, or a number below all errors.
  fileprivate var errorLevels: Double { outcome.finding?.deviation?.maxLevels ?? -1 }
}
