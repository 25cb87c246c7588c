import BlurRecords
import Foundation

/// The comparison of one case: its verdict, and the data behind the verdict.
public struct CaseComparison: Codable, Equatable, Sendable {
  /// The results of one side (the base or the head).
  public struct Side: Codable, Equatable, Sendable {
    /// The median time of a blur in nanoseconds.
    public var time: Double?
    /// The largest error on the verified image, in 8-bit levels.
    public var maxErrorLevels: Double?
    /// A hash of the blurred image, which shows whether two outputs are identical.
    public var outputHash: String?
    /// The reason why the case could not be timed, for example because the kernel does not support it, gives
    /// a wrong result or crashes. The value is nil if there was no such problem.
    public var problem: String?
    /// The number of instructions that one blur executes, or nil if instructions were not counted.
    public var instructions: Double?
    /// The number of processes that measured the case, or nil if the times do not come from records.
    public var processes: Int?

    /// Creates empty results, for a side that has not been measured yet.
    public init() {}

    /// Creates the results of a side from its findings and its times in nanoseconds.
    init(_ findings: Findings, times: [Double]) {
      time = Statistics.median(times)
      maxErrorLevels = findings.maxErrorLevels
      outputHash = findings.outputHash
      problem = findings.problem
    }
  }

  /// The name of the case. If two kernels are compared, the name contains the second kernel.
  public var name: String
  /// The name of the case on the base side, if it differs from ``name``.
  public var baseName: String?
  public var verdict: Verdict
  /// The case's own threshold (the smallest change that matters), as a fraction, or nil if the threshold of
  /// the comparison applies. Noisy cases have a larger threshold.
  public var threshold: Double?
  /// The reason to doubt the times of this case, or nil if there is none.
  public var caveat: String?
  /// The time of the head divided by the time of the base, or nil if one side has no time.
  public var ratio: Ratio?
  /// The time of the second measurement of the base divided by the time of the first measurement. The
  /// distance of this ratio from 1 shows how noisy the machine is.
  public var control: Ratio?
  /// The p-value for a change in time, adjusted for the number of cases. A small value is evidence that the
  /// times of the base and the head differ by more than a third of the threshold. If records of two runs are
  /// compared, a small value also means that changes in the machine, or the spread between processes, are
  /// unlikely to explain such a difference.
  public var p: Double?
  /// The number of pairs of times on which the ratio is based. Each pair consists of a median time of the
  /// base and a median time of the head. If records of two runs are compared, this is the number of processes
  /// in the run with fewer processes.
  public var pairs = 0
  /// The smallest slowdown, as a fraction, that would be detected with a probability of 95 % if the same
  /// number of pairs of times were measured again: 0.04 is 4 %.
  public var smallestDetectable: Double?
  /// The instruction count of the head divided by the instruction count of the base, or nil if instructions
  /// were not counted.
  public var instructionRatio: Double?
  public var base = Side(), head = Side()
  /// The problems of the new version (head) in this case, such as a wrong result. A measured slowdown is not
  /// a fault.
  public var faults: [Fault] = []

  /// Whether there is nothing to compare, because both sides fail in the same way or do not support the case.
  public var isUntimed: Bool { verdict == .same && base.problem != nil && head.problem != nil }

  /// Whether only the old version (base) has a time, because the new version (head) does not support the case
  /// or does not contain the kernel.
  var isMissing: Bool { faults.contains { $0.kind.acceptance == .gone } }

  /// The faults that were not accepted.
  public var openFaults: [Fault] { faults.filter { !$0.isAccepted } }

  /// Stores how many instructions one blur executes in the base and in the head, and adds a fault if the
  /// number has grown by more than `gate`.
  ///
  /// - Parameter gate: The largest growth that is allowed, as a fraction, or nil if any growth is allowed.
  mutating func note(instructions old: Double, _ new: Double, gate: Double?) {
    base.instructions = old
    head.instructions = new
    let ratio = new / old
    instructionRatio = ratio
    guard let gate, ratio > 1 + gate else { return }
    let counts = [old, new].map { String(format: "%.0f", $0) }
    faults.append(
      Fault(
        .instructions,
        "\(NumberText.change(ratio)), from \(counts[0]) to \(counts[1]) per blur; "
          + "the largest accepted growth is \(NumberText.share(gate))"))
  }

  /// Creates a case without data.
  public init(name: String, verdict: Verdict = .unclear) {
    self.name = name
    self.verdict = verdict
  }

  /// Creates the comparison of a case from everything that was measured. The times are in nanoseconds, and
  /// the evidence must already have been judged. The options say which limits the head must keep and which
  /// faults are accepted.
  init(
    _ name: String, baseName: String? = nil, base: (findings: Findings, times: [Double]),
    head: (findings: Findings, times: [Double]), _ evidence: CaseEvidence, _ rule: Rule,
    _ options: ComparisonOptions
  ) {
    self.init(name: name)
    self.baseName = baseName
    self.base = Side(base.findings, times: base.times)
    self.head = Side(head.findings, times: head.times)
    faults = head.findings.faults(since: base.findings, isSameKernel: baseName == nil, options)
    if head.findings.problem == nil {
      faults += options.limits(name).flatMap {
        $0.violations(times: head.times, levels: head.findings.maxErrorLevels)
      }.map { Fault(.limit, $0) }
    }
    pairs = evidence.samples.count
    ratio = evidence.ratio(rule)
    if ratio != nil {
      p = evidence.p
      verdict = evidence.verdict(rule)
    } else if head.findings.isUntimed(like: base.findings) {
      verdict = .same
    }
  }
}
