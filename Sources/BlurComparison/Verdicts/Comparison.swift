import Foundation

/// The result of comparing two sides, the base and the head.
public struct Comparison: Codable, Equatable, Sendable {
  /// The way in which the times were measured.
  public enum Method: String, Codable, Sendable {
    /// Both sides were measured for this comparison, in interleaved processes.
    case processes
    /// Kernels were measured alternately in one process.
    case kernels
    /// The times come from records of two runs, which were not measured together.
    case records
  }

  /// The outcome of a comparison, which determines the exit code.
  public enum Outcome: String, Codable, Sendable {
    case good, regressed
    case cannotTell = "cannot tell"
  }

  /// The fraction of the threshold that a change must exceed with confidence.
  static let marginShare = 1.0 / 3

  /// The size of a confirmed slowdown that counts even if there are reasons not to trust the times of the
  /// comparison, as a multiple of the threshold.
  static let thresholdsBeyondDoubt = 3.0

  /// The smallest number of cases for which the noise of a comparison is the 95th percentile of the noise of
  /// its cases. For fewer cases, a percentile would mean little, and the maximum is used instead.
  package static let fewCases = 20

  /// The names of the two sides, as given on the command line.
  public var base: String, head: String
  /// Descriptions of the two builds, which contain the hash of the program and the git revision. They are nil
  /// if the builds are unknown.
  public var baseBuild: String?, headBuild: String?
  /// The options with which `blurbench run` finds the external kernels of the head, or nil if there are none.
  public var headOptions: [String]?
  public var method: Method
  /// The smallest change that matters, as a fraction: 0.05 is 5 %. A change counts only if it exceeds a third
  /// of this value with confidence.
  public var threshold: Double
  /// The noise of the comparison, as a fraction. To determine the noise, the base is measured twice in each
  /// case. The noise of a case is how far the confidence interval for the ratio of these two times extends
  /// from 1. The noise of the comparison is the 95th percentile over all cases, or the maximum if there are
  /// fewer than 20 cases.
  public var noise: Double?
  public var cases: [CaseComparison]
  /// The reasons not to trust the times, or an empty array if the times are trusted.
  public var caveats: [String]
  /// Further notes, with one line each.
  public var notes: [String]
  /// Lines of the form `key: value` that say where and when the times were measured.
  public var provenance: [String]
  /// Whether slower cases were accepted beforehand.
  public var acceptsSlower: Bool?
  /// Whether an undecided outcome counts as a failure.
  public var isStrict: Bool?
  /// A text for the user that explains why the measurement was too short and which option allows a longer
  /// one. It is nil if the measurement was long enough, or if a longer one would not help.
  public var shortage: String?

  /// The JSON key of the caveats is `doubts`, because earlier versions have written JSON with this key.
  private enum CodingKeys: String, CodingKey {
    case base, head, baseBuild, headBuild, headOptions, method, threshold, noise, cases
    case caveats = "doubts"
    case notes, provenance, acceptsSlower, isStrict, shortage
  }

  /// Creates a comparison.
  public init(
    base: String, head: String, method: Method, threshold: Double, noise: Double? = nil,
    cases: [CaseComparison], caveats: [String] = [], notes: [String] = [], provenance: [String] = [],
    acceptsSlower: Bool = false
  ) {
    self.base = base
    self.head = head
    self.method = method
    self.threshold = threshold
    self.noise = noise
    self.cases = cases
    self.caveats = caveats
    self.notes = notes
    self.provenance = provenance
    self.acceptsSlower = acceptsSlower ? true : nil
  }

  /// Sentences that describe the builds of the base and the head. A part that both descriptions have in
  /// common, such as the program if only the plug-ins differ, is mentioned only once.
  var builds: [String] {
    guard baseBuild != nil || headBuild != nil else { return [] }
    if let baseBuild, baseBuild == headBuild { return ["Base and head are the same build: \(baseBuild)"] }
    let sides = [baseBuild, headBuild].map {
      ($0 ?? "unknown build").components(separatedBy: ", ")
    }
    let common = zip(sides[0], sides[1]).prefix { $0 == $1 }.map(\.0)
    let own = sides.map { $0.dropFirst(common.count) }
    return [("Base and head", common[...]), ("Base", own[0]), ("Head", own[1])].filter { !$1.isEmpty }.map {
      "\($0): \($1.joined(separator: ", "))"
    }
  }

  /// The outcome of the comparison. It is `regressed` if a case has a fault in its results, such as a wrong
  /// result, or if ``isSlower(_:)`` is true for a case.
  ///
  /// Otherwise, the outcome is `good` if the times are trusted, at least one case was measured, and every
  /// case has a clear verdict. In all other cases, the outcome is `cannotTell`.
  public var outcome: Outcome {
    if cases.contains(where: isFailure) { return .regressed }
    if !caveats.isEmpty || cases.allSatisfy(\.isUntimed) { return .cannotTell }
    return cases.allSatisfy(isDecided) ? .good : .cannotTell
  }

  /// Returns whether a case that is not a failure has a clear verdict. If the user has accepted that the case
  /// is slower or missing, it also counts as decided.
  func isDecided(_ item: CaseComparison) -> Bool {
    item.isMissing || item.caveat == nil && ![.unclear, .suspect, .missing].contains(item.verdict)
  }

  /// Returns whether a case makes the outcome ``Outcome/regressed``. The reason can be a fault in the results
  /// that was not accepted, or a slowdown for which ``isSlower(_:)`` is true.
  func isFailure(_ item: CaseComparison) -> Bool {
    !item.openFaults.isEmpty || isSlower(item)
  }

  /// Returns whether a case counts as slower. A slowdown that was accepted does not count. If there are
  /// reasons not to trust the times of the comparison, a slowdown counts only if it is at least three times
  /// the threshold.
  func isSlower(_ item: CaseComparison) -> Bool {
    guard item.verdict == .regressed, acceptsSlower != true else { return false }
    guard !caveats.isEmpty else { return true }
    let limit = 1 + Self.thresholdsBeyondDoubt * (item.threshold ?? threshold)
    return item.caveat == nil && item.ratio.map { $0.estimate >= limit } ?? false
  }
}
