import BlurRecords

/// The options of a comparison.
public struct ComparisonOptions: Sendable {
  /// The smallest change that matters, as a fraction. If it is nil, the threshold of each case is 5 %, or the
  /// noise of the case if the noise is larger.
  public var threshold: Double?
  /// The number of pairs that are measured per case before the cases are judged, or nil to derive this number
  /// from the number of cases. A pair is one measurement of the base and one of the head.
  public var pairs: Int?
  /// The time in seconds after which no new trial begins. Each trial measures one pair for every case: once
  /// with the base, and once with the head.
  public var budget = 600.0
  /// The maximum number of stages of a comparison. The first stage measures all cases. Each further stage
  /// measures only the cases that are still undecided.
  public var mostStages = 6
  /// Whether changed results are accepted: outputs with different bits, larger errors, and kernels that
  /// promise a looser error bound. Even then, an error must not exceed the bound that the kernel promises.
  public var acceptsOutputs = false
  /// Whether the user accepts that the new version (head) lacks kernels of the old version (base) or does not
  /// support some of its cases.
  public var acceptsGone = false
  /// Whether slower cases are accepted. A slower case must still stay within the time limit of its suite.
  public var acceptsSlower = false
  /// Returns the limits for the time and the error of a case, given the name of the case. A head that exceeds
  /// a limit has a fault, even if the base exceeds the limit too.
  public var limits: @Sendable (_ name: String) -> [Limits] = { _ in [] }
  /// The largest fraction by which the instruction count of a case may grow, or nil if any growth is allowed.
  public var instructionGate: Double?
  /// Whether both sides are the same build. Each case is then run only once per side, to check results and
  /// limits, and the times are not compared.
  public var isSameBuild = false
  /// Whether each case is judged as if it were the only case that has changed. If so, each change needs
  /// clearer evidence. See ``Rule/isEachAlone``.
  public var judgesEachAlone = false
  /// The minimum duration of a sample in seconds. The default is short, because a short sample is less likely
  /// to be interrupted by other programs.
  public var minTime = 0.001
  /// The number of rounds per trial. Each round times every candidate, such as the base and the head, once.
  /// There are fewer rounds if one blur takes longer than ``minTime``.
  public var rounds = 24

  /// Creates options with default values.
  public init() {}

  /// The default limit for the growth of instructions, as a fraction. Instruction counts are reproducible to
  /// about 0.1 %.
  public static let usualInstructionGate = 0.01
  /// The default threshold, as a fraction. A noisy case has a higher threshold.
  public static let leastThreshold = 0.05
  /// The largest noise, as a fraction, that a case can have and still be called unchanged. Noisier cases stay
  /// undecided, unless the user has chosen a threshold.
  public static let mostNoise = 0.2
  /// The minimum number of pairs per case if the user does not choose a number.
  public static let leastPairs = 10
  /// The minimum number of rounds per trial.
  static let leastRounds = 6
}
