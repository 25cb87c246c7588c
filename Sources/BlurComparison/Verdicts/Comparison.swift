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

  /// The tolerance as a fraction of the threshold. A change counts only if it is certainly larger than the
  /// tolerance.
  static let marginShare = 1.0 / 3

  /// The smallest slowdown that counts even if the times of the comparison have caveats, as a multiple of the
  /// threshold.
  static let thresholdsBeyondDoubt = 3.0

  /// The number of cases below which a comparison counts as small. The noise of a small comparison is the
  /// largest noise of its cases, and the noise of any other comparison is the 95th percentile of its cases'
  /// noise.
  static let fewCases = 20

  /// The names of the two sides, as given on the command line.
  public var base: String, head: String
  /// Descriptions of the two builds, which contain the hash of the program and the git revision. They are nil
  /// if the builds are unknown.
  public var baseBuild: String?, headBuild: String?
  /// The options that tell `blurbench run` where to find the external kernels of the head, or nil if there
  /// are no external kernels.
  public var headOptions: [String]?
  public var method: Method
  /// The smallest change that matters, as a fraction: 0.05 is 5 %. A change counts only if it is certainly
  /// larger than a third of the threshold.
  public var threshold: Double
  /// The noise of the comparison, as a fraction. In each case, the base is timed twice, and the ratio of the
  /// two times should be 1. The noise of the case is the distance from 1 to the farther end of the confidence
  /// interval of this ratio. The noise of the comparison is the 95th percentile over all cases, or the
  /// maximum if there are fewer than 20 cases.
  public var noise: Double?
  public var cases: [CaseComparison]
  /// The reasons not to trust the times, or an empty array if the times are trusted.
  public var caveats: [String] = []
  /// Further notes, with one line each.
  public var notes: [String] = []
  /// Lines of the form `key: value` that say where and when the times were measured.
  public var provenance: [String] = []
  /// Whether the user accepted slower cases before the comparison.
  public var acceptsSlower: Bool?
  /// Whether an undecided outcome counts as a failure.
  public var isStrict: Bool?
  /// A message for the user that states why too little was measured, and which option allows more
  /// measurements. It is nil if enough was measured, or if more measurements would not help.
  public var shortage: String?

  /// The JSON key of the caveats is `doubts`, so that JSON of earlier versions can still be read.
  private enum CodingKeys: String, CodingKey {
    case base, head, baseBuild, headBuild, headOptions, method, threshold, noise, cases
    case caveats = "doubts"
    case notes, provenance, acceptsSlower, isStrict, shortage
  }

  /// Sentences that describe the builds of the base and the head. The words with which both descriptions
  /// begin are stated only once. For example, both sides have the same program if only the plug-ins differ.
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

  /// The outcome of the comparison. It is `regressed` if a case is slower (see ``isSlower(_:)``), or if a
  /// case has a fault that was not accepted, such as a wrong result.
  ///
  /// If there is no such case, the outcome is `good` if the times are trusted, at least one case was
  /// measured, and every case has a clear verdict. Otherwise, the outcome is `cannotTell`.
  public var outcome: Outcome {
    if cases.contains(where: isFailure) { return .regressed }
    if !caveats.isEmpty || cases.allSatisfy(\.isUntimed) { return .cannotTell }
    return cases.allSatisfy(isDecided) ? .good : .cannotTell
  }

  /// Returns whether a case that is not a failure has a clear verdict. A case that is missing in the new
  /// version (head) counts as decided, because the user has accepted that it is missing.
  func isDecided(_ item: CaseComparison) -> Bool {
    item.isMissing || item.caveat == nil && ![.unclear, .suspect, .missing].contains(item.verdict)
  }

  /// Returns whether a case makes the outcome ``Outcome/regressed``.
  func isFailure(_ item: CaseComparison) -> Bool { !item.openFaults.isEmpty || isSlower(item) }

  /// Returns whether a case counts as slower. A slowdown that was accepted does not count. If the times of
  /// the comparison are not trusted, a slowdown counts only if it is at least three times the threshold.
  func isSlower(_ item: CaseComparison) -> Bool {
    guard item.verdict == .regressed, acceptsSlower != true else { return false }
    guard !caveats.isEmpty else { return true }
    let limit = 1 + Self.thresholdsBeyondDoubt * (item.threshold ?? threshold)
    return item.caveat == nil && item.ratio.map { $0.estimate >= limit } ?? false
  }
}
