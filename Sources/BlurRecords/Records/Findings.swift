/// The results of preparing a case for timing, such as the hash of its output and its error.
public struct Findings: Codable, Equatable, Sendable {
  /// The hash of the output's pixels, as in ``Record/outputHash``.
  public var outputHash: String?
  /// The largest error in the output for the test image, in levels, or nil if the output was not verified.
  public var maxErrorLevels: Double?
  /// The text of the kernel's promise (its claim about its error), and the largest error in levels that the
  /// promise allows.
  ///
  /// The largest error is nil if the kernel does not promise to be close to the Gaussian. Both values are nil
  /// if the findings come from records or from an older build.
  public var promise: String?, promisedLevels: Double?
  /// The reason why the case cannot be timed, or why its result is wrong. It is nil if there is no problem.
  public var problem: String?
  /// Whether the problem is a wrong result, rather than a case that cannot be run.
  public var isWrong = false
  /// True if the case cannot run because its kernel does not exist, and nil otherwise. Findings that come
  /// from records or from an older build do not contain this information, so they always have nil here.
  public var isGone: Bool?

  /// Whether the case cannot be run, for example because the kernel does not support the format. This does
  /// not count as an error.
  public var isUnsupported: Bool { problem != nil && !isWrong }

  /// Returns whether the two builds or kernels being compared failed in the same way on one case: neither can
  /// run the case, or both give a wrong result for the same reason. Such a case has no times to compare, and
  /// is not reported as a change.
  public func isUntimed(like other: Findings) -> Bool {
    isUnsupported && other.isUnsupported || isWrong && other.isWrong && problem == other.problem
  }

  /// Creates findings that contain no information, for a case that has not been prepared yet. All optional
  /// values are nil.
  public init() {}

  /// Creates findings for a case that cannot be timed or whose result is wrong. The text `problem` gives the
  /// reason.
  public init(problem: String, isWrong: Bool = false) {
    self.problem = problem
    self.isWrong = isWrong
  }

  /// Marks the result as wrong for the given reason. All other findings are kept.
  public mutating func becomeWrong(_ reason: String) {
    problem = reason
    isWrong = true
  }
}
