/// The facts that are found while a case is prepared for timing, such as the hash of its output and its
/// error.
public struct Findings: Codable, Equatable, Sendable {
  /// The hash of the output's pixels, as in ``Record/outputHash``.
  public var outputHash: String?
  /// The largest error in the blurred test image, in levels, or nil if the output was not verified.
  public var maxErrorLevels: Double?
  /// The kernel's promise about its error as text (`promise`), and the largest error that it promises, in
  /// levels (`promisedLevels`).
  ///
  /// `promisedLevels` is nil if the kernel does not promise to be close to the Gaussian. Both properties are
  /// nil if the findings come from records or from an older build.
  public var promise: String?, promisedLevels: Double?
  /// The reason why the case cannot be timed, or why its result is wrong, or nil if there is no problem.
  public var problem: String?
  /// Whether the problem is a wrong result, rather than a case that cannot be run.
  public var isWrong = false
  /// True if the case cannot run because its kernel does not exist, and nil otherwise. Records and older
  /// builds don't provide this information, so findings from them always have nil here.
  public var isGone: Bool?

  /// Whether the case cannot be run, for example because the kernel does not support the format. An
  /// unsupported case is not an error.
  public var isUnsupported: Bool { problem != nil && !isWrong }

  /// Returns whether both sides of a comparison failed on a case in the same way. This is true if both sides
  /// cannot run the case, or if both results are wrong for the same reason. Such a case is not reported as a
  /// change.
  public func isUntimed(like other: Findings) -> Bool {
    isUnsupported && other.isUnsupported || isWrong && other.isWrong && problem == other.problem
  }

  /// Creates findings that contain no information, for a case that has not been prepared yet. All optional
  /// values are nil.
  public init() {}

  /// Creates findings for a case that cannot be timed or whose result is wrong. `problem` says why.
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
