import BlurRecords

/// The options of a comparison.
public struct ComparisonOptions: Sendable {
  /// The smallest change that matters, as a fraction. If it is nil, the threshold is 5 %, or the noise of a
  /// case if that is larger.
  public var threshold: Double?
  /// The number of pairs that are measured per case before the cases are judged. A pair is one measurement of
  /// the base and one of the head. If it is nil, the number of cases determines the number of pairs.
  public var pairs: Int?
  /// The time in seconds after which no new trial begins. A trial measures one pair of each case.
  public var budget = 600.0
  /// The largest number of measuring stages. Each stage measures the same number of pairs of all undecided
  /// cases.
  public var mostStages = 6
  /// Whether results may change within the promises of the kernels: different bits, larger errors, and looser
  /// promises.
  public var acceptsOutputs = false
  /// Whether kernels may be missing in the head, and whether the head may refuse cases that the base
  /// supports.
  public var acceptsGone = false
  /// Whether cases may become slower, as long as they stay within their limits.
  public var acceptsSlower = false
  /// A function that returns the limits of a case, given its name. The case must not exceed these limits,
  /// whatever the results of the base are.
  public var limits: @Sendable (_ name: String) -> [Limits] = { _ in [] }
  /// The largest growth in instructions that is allowed in a case, as a fraction, or nil if any growth is
  /// allowed.
  public var instructionGate: Double?
  /// Whether each case is judged as if it were the only case with a change. See ``Rule/isEachAlone``.
  public var judgesEachAlone = false
  /// The settings for taking samples.
  public var sampling = TrialSettings()

  /// Creates options with default values.
  public init() {}

  /// The default limit for the growth of instructions, as a fraction. Instruction counts are reproducible to
  /// about 0.1 %.
  public static let usualInstructionGate = 0.01
  /// The default threshold, as a fraction. The noise of a case can only raise it.
  public static let leastThreshold = 0.05
  /// The noise, as a fraction, above which a case is never proven to be the same.
  public static let mostNoise = 0.2
  /// The smallest number of pairs per case that is used by default.
  public static let leastPairs = 10
}

/// The settings for taking samples in a trial.
public struct TrialSettings: Sendable {
  /// The minimum duration of a sample in seconds. It is short because shorter samples are interrupted less
  /// often.
  public var minTime: Double
  /// The number of rounds per trial. Each round times every candidate, such as the base and the head, once.
  /// There are fewer rounds if one blur takes longer than ``minTime``.
  public var rounds: Int

  /// The minimum number of rounds per trial.
  package static let leastRounds = 6

  /// Creates settings.
  public init(minTime: Double = 0.001, rounds: Int = 24) {
    self.minTime = minTime
    self.rounds = rounds
  }
}
