import BlurRecords

/// How a comparison is made.
public struct ComparisonOptions: Sendable {
  /// The change that matters, as a share; nil for 5 %, or a case's own noise where that is larger.
  public var threshold: Double?
  /// How many pairs of each case are measured before anything is judged; nil for what the number of cases
  /// needs.
  public var pairs: Int?
  /// Seconds after which no trial begins.
  public var budget = 600.0
  /// How often undecided cases are measured again, with the same number of pairs each time.
  public var mostStages = 6
  /// Whether results may change within what kernels promise: other bits, larger errors, looser promises.
  public var acceptsOutputs = false
  /// Whether kernels may be gone, and cases refused that were not.
  public var acceptsGone = false
  /// Whether cases may become slower, as long as they keep to their limits.
  public var acceptsSlower = false
  /// What a case must keep to, by its name, whatever the base is like.
  public var limits: @Sendable (_ name: String) -> [Limits] = { _ in [] }
  /// The share by which the instructions of a case may grow; nil for any.
  public var instructionGate: Double?
  /// See ``Rule/isEachAlone``.
  public var judgesEachAlone = false
  /// How samples are taken.
  public var sampling = TrialSettings()

  /// Makes options.
  public init() {}

  /// The gate for instructions unless it is named: counts repeat to some 0.1 %.
  public static let usualInstructionGate = 0.01
  /// The threshold unless there is more noise.
  public static let leastThreshold = 0.05
  /// A case with more noise than this is never proven the same, as a share.
  public static let mostNoise = 0.2
  /// Fewer pairs than this are never planned.
  public static let leastPairs = 10
}

/// How samples are taken in a trial.
public struct TrialSettings: Sendable {
  /// Seconds that a sample lasts at least. Short ones are interrupted less often.
  public var minTime: Double
  /// Rounds of a trial; each times every candidate once. Fewer where one blur lasts longer than ``minTime``.
  public var rounds: Int

  /// Rounds of a trial at least.
  package static let leastRounds = 6

  /// Makes settings.
  public init(minTime: Double = 0.001, rounds: Int = 24) {
    self.minTime = minTime
    self.rounds = rounds
  }
}
