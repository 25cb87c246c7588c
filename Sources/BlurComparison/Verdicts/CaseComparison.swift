/// One case of a comparison: its verdict and the data behind it.
public struct CaseComparison: Codable, Equatable, Sendable {
  /// The results of one side.
  public struct Side: Codable, Equatable, Sendable {
    /// Median time of a blur in nanoseconds.
    public var time: Double?
    /// Largest error on the verified picture, in levels.
    public var maxErrorLevels: Double?
    /// Hash of the output.
    public var outputHash: String?
    /// Why there is no time: a refusal, a wrong result, a crash.
    public var problem: String?
    /// Instructions of one blur, where they were counted.
    public var instructions: Double?
    /// How many processes measured it, of records.
    public var processes: Int?

    /// Makes an empty side.
    public init() {}
  }

  /// The case's name; where kernels are compared, that of the second one.
  public var name: String
  /// The name for the base, where that is another.
  public var baseName: String?
  public var verdict: Verdict
  /// The change that matters in this case, as a share, where noise makes it larger than the comparison's
  /// threshold.
  public var threshold: Double?
  /// What is doubtful about this case alone; nil where nothing is.
  public var caveat: String?
  /// Time of the head over time of the base; nil where one of them has none.
  public var ratio: Ratio?
  /// The same ratio of the base against itself.
  public var control: Ratio?
  /// The chance of such data if the times differed by a third of the threshold only, adjusted for the number
  /// of cases.
  public var p: Double?
  /// How many pairs of medians the ratio rests on.
  public var pairs = 0
  /// The least slowdown that this number of pairs finds 95 times in 100, as a share: 0.04 is 4 %.
  public var smallestDetectable: Double?
  /// Instructions of the head over those of the base, where they were counted.
  public var instructionRatio: Double?
  public var base = Side(), head = Side()
  /// What is wrong with the head's results.
  public var faults: [Fault] = []

  /// Whether both sides refuse the case, or are wrong in the same way, so that nothing changed.
  public var isUntimed: Bool { verdict == .same && base.problem != nil && head.problem != nil }

  /// Whether the head alone has no time, by a refusal or for lack of the kernel.
  var isMissing: Bool { faults.contains { $0.kind.acceptance == .gone } }

  /// The faults that were not accepted.
  public var openFaults: [Fault] { faults.filter { !$0.isAccepted } }

  /// Notes the instructions of one blur on both sides.
  ///
  /// - Parameter gate: the share by which they may grow; nil for any.
  package mutating func note(instructions old: Double, _ new: Double, gate: Double?) {
    base.instructions = old
    head.instructions = new
    let ratio = new / old
    instructionRatio = ratio
    guard let gate, ratio > 1 + gate else { return }
    let counts = [old, new].map { String(format: "%.0f", $0) }
    faults.append(
      Fault(
        .instructions,
        "\(NumberText.change(ratio)), \(counts[0]) → \(counts[1]) for one blur; "
          + "the gate is at \(NumberText.share(gate))"))
  }

  /// Makes a case without data.
  public init(name: String, verdict: Verdict = .unclear) {
    self.name = name
    self.verdict = verdict
  }
}
