/// What was found out about a case when it was made ready to be timed.
public struct Findings: Codable, Equatable, Sendable {
  /// Hash of the output, see ``Record/outputHash``.
  public var outputHash: String?
  /// Largest error on the picture in levels, where it was verified.
  public var maxErrorLevels: Double?
  /// What the kernel promises, in words, and the largest error that it allows in levels; no error where the
  /// Gaussian is not promised. Neither is known of records and of older builds.
  public var promise: String?, promisedLevels: Double?
  /// Why the case cannot be timed, or why its result is wrong.
  public var problem: String?
  /// Whether the problem is a wrong result rather than a refusal.
  public var isWrong = false
  /// Whether the problem is that there is no such kernel; records and older builds do not say.
  public var isGone: Bool?

  /// Whether the case cannot be run, which is no mistake.
  public var isUnsupported: Bool { problem != nil && !isWrong }

  /// Whether neither case has a time, and nothing changed: both are refused, or wrong in the same way.
  public func isUntimed(like other: Findings) -> Bool {
    isUnsupported && other.isUnsupported || isWrong && other.isWrong && problem == other.problem
  }

  /// Nothing found yet.
  public init() {}

  /// A case that is not timed.
  public init(problem: String, isWrong: Bool = false) {
    self.problem = problem
    self.isWrong = isWrong
  }

  /// Something went wrong after all; what was found before stays.
  public mutating func becomeWrong(_ reason: String) {
    problem = reason
    isWrong = true
  }
}
