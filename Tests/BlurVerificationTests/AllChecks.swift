import Blur

@testable import BlurVerification

extension VerificationRun {
  /// Makes all checks in this process. They are ordered by kernel and property.
  func checks() throws -> [Check] {
    try kernels.flatMap { kernel in try properties.flatMap { try checks(kernel, $0) } }
  }
}

extension VerificationReport {
  /// Creates a report with one row for each kernel and property. The checks must be ordered by kernel and
  /// property.
  init(_ checks: [Check]) {
    var groups: [[Check]] = []
    for check in checks {
      if let other = groups.last?[0], other.kernel.name == check.kernel.name,
        other.property.name == check.property.name
      {
        groups[groups.count - 1].append(check)
      } else {
        groups.append([check])
      }
    }
    self.init(rows: groups.map { VerificationSummary($0) })
  }
}
