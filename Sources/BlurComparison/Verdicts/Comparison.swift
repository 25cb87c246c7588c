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

  /// The sides as they were named on the command line.
  public var base: String, head: String
  public var method: Method
  /// The change that matters, as a share: 0.05 is 5 %. What counts as a change is surely above a third of it.
  public var threshold: Double
  /// How far intervals of the base against itself reach from 1, in 95 of 100 cases.
  public var noise: Double?
  public var cases: [CaseComparison]
  /// Why the times are not to be trusted; empty where they are.
  public var caveats: [String]
  /// Further notes, one line each.
  public var notes: [String]
  /// Where and when it was measured: `key: value` lines.
  public var provenance: [String]

  /// JSON that was written before calls caveats doubts.
  private enum CodingKeys: String, CodingKey {
    case base, head, method, threshold, noise, cases
    case caveats = "doubts"
    case notes, provenance
  }

  /// Makes a comparison.
  public init(
    base: String, head: String, method: Method, threshold: Double, noise: Double? = nil,
    cases: [CaseComparison], caveats: [String] = [], notes: [String] = [], provenance: [String] = []
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
  }

  /// Wrong results count whatever the times are. Times count where they are trusted. Good means proven for every
  /// case.
  public var outcome: Outcome {
    if cases.contains(where: { !$0.faults.isEmpty }) { return .regressed }
    if !caveats.isEmpty || cases.isEmpty { return .cannotTell }
    if cases.contains(where: { $0.verdict == .regressed }) { return .regressed }
    return cases.contains { $0.verdict == .unclear } ? .cannotTell : .good
  }

  /// One sentence: the verdict.
  public var sentence: String {
    let faulty = cases.count { !$0.faults.isEmpty }
    let count = { (verdict: Verdict) in cases.count { $0.verdict == verdict && $0.faults.isEmpty } }
    let parts = [
      faulty > 0 ? "\(faulty) wrong or changed" : nil,
      count(.regressed) > 0 ? "\(count(.regressed)) slower" : nil,
      count(.improved) > 0 ? "\(count(.improved)) faster" : nil,
      count(.same) > 0 ? "\(count(.same)) the same" : nil,
      count(.unclear) > 0 ? "\(count(.unclear)) can't tell" : nil,
    ].compactMap(\.self).joined(separator: ", ")
    let total = "of \(cases.count) \(cases.count == 1 ? "case" : "cases")"
    guard caveats.isEmpty || faulty > 0 else { return "Cannot tell: the times are not to be trusted" }
    return switch outcome {
    case .good: method == .kernels ? "Not slower: \(parts) \(total)" : "No regression: \(parts) \(total)"
    case .regressed:
      method == .kernels && faulty == 0 ? "Slower: \(parts) \(total)" : "Regression: \(parts) \(total)"
    case .cannotTell:
      cases.isEmpty ? "Cannot tell: no case could be compared" : "Cannot tell: \(parts) \(total)"
    }
  }
}
