import Foundation

/// The result of comparing two sides.
public struct Comparison: Codable, Equatable, Sendable {
  /// How the times were taken.
  public enum Method: String, Codable, Sendable {
    /// Both sides now, in interleaved processes.
    case processes
    /// Kernels interleaved in one process.
    case kernels
    /// Records of different runs: not measured together.
    case records
  }

  /// What the exit code says.
  public enum Outcome: String, Codable, Sendable {
    case good, regressed
    case cannotTell = "cannot tell"
  }

  /// The share of the threshold that a change must surely be above.
  static let marginShare = 1.0 / 3

  /// A confirmed regression of at least this many thresholds counts, whatever is doubtful about other cases.
  static let thresholdsBeyondDoubt = 3.0

  /// Of fewer cases than this, 95 of 100 are no number to speak of: all count.
  package static let fewCases = 20

  /// The sides as they were named on the command line.
  public var base: String, head: String
  /// Which builds they are, in words: the hash of a program, and git's revision; nil where that is not known.
  public var baseBuild: String?, headBuild: String?
  /// The options with which `blurbench run` finds the head's external kernels; nil where there are none.
  public var headOptions: [String]?
  public var method: Method
  /// The change that matters, as a share: 0.05 is 5 %. What counts as a change is surely above a third of it.
  public var threshold: Double
  /// How far intervals of the base against itself extend from 1, in 95 of 100 cases; of fewer than 20, in
  /// all.
  public var noise: Double?
  public var cases: [CaseComparison]
  /// Why the times are not to be trusted; empty where they are.
  public var caveats: [String]
  /// Further notes, one line each.
  public var notes: [String]
  /// Where and when it was measured: `key: value` lines.
  public var provenance: [String]
  /// Whether slower cases were accepted beforehand.
  public var acceptsSlower: Bool?
  /// Whether what cannot be told counts as a failure.
  public var isStrict: Bool?
  /// Why too little was measured, and what to raise; nil where enough was, or more would not help.
  public var shortage: String?

  /// JSON that was written before calls caveats doubts.
  private enum CodingKeys: String, CodingKey {
    case base, head, baseBuild, headBuild, headOptions, method, threshold, noise, cases
    case caveats = "doubts"
    case notes, provenance, acceptsSlower, isStrict, shortage
  }

  /// Makes a comparison.
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

  /// The builds in sentences; what both have, such as one program with two plug-ins, stands once.
  var builds: [String] {
    guard baseBuild != nil || headBuild != nil else { return [] }
    if let baseBuild, baseBuild == headBuild { return ["Both sides are one build: \(baseBuild)"] }
    let sides = [baseBuild, headBuild].map {
      ($0 ?? "a build that does not say which").components(separatedBy: ", ")
    }
    let common = zip(sides[0], sides[1]).prefix { $0 == $1 }.map(\.0)
    let own = sides.map { $0.dropFirst(common.count) }
    return [("Both sides", common[...]), ("Base", own[0]), ("Head", own[1])].filter { !$1.isEmpty }.map {
      "\($0): \($1.joined(separator: ", "))"
    }
  }

  /// Wrong results count whatever the times are. Times count where they are trusted. Good means proven for
  /// every case that is measured, of which there must be one.
  public var outcome: Outcome {
    if cases.contains(where: isFailure) { return .regressed }
    if !caveats.isEmpty || cases.allSatisfy(\.isUntimed) { return .cannotTell }
    return cases.allSatisfy(isDecided) ? .good : .cannotTell
  }

  /// Whether there is nothing left to ask of a case that is no failure: a slower or a missing one was
  /// accepted.
  func isDecided(_ item: CaseComparison) -> Bool {
    item.isMissing || item.caveat == nil && ![.unclear, .suspect, .missing].contains(item.verdict)
  }

  /// Whether a case makes the outcome ``Outcome/regressed``: by a fault, or by a slowdown that is trusted.
  func isFailure(_ item: CaseComparison) -> Bool {
    !item.openFaults.isEmpty || isSlower(item)
  }

  /// Whether a case is slower, is trusted to be, and was not accepted.
  func isSlower(_ item: CaseComparison) -> Bool {
    guard item.verdict == .regressed, acceptsSlower != true else { return false }
    guard !caveats.isEmpty else { return true }
    let limit = 1 + Self.thresholdsBeyondDoubt * (item.threshold ?? threshold)
    return item.caveat == nil && item.ratio.map { $0.estimate >= limit } ?? false
  }
}
