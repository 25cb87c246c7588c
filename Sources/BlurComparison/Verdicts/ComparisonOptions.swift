import BlurRecords

/// The options of a comparison.
public struct ComparisonOptions: Sendable {
  /// The smallest change that matters, as a fraction. If it is nil, the threshold of each case is 5 %, or the
  /// noise of the case if the noise is larger.
  public var threshold: Double?
  /// The number of pairs that are measured per case before the cases are judged. A pair is one measurement of
  /// the base and one of the head. If it is nil, the number of cases determines the number of pairs.
  public var pairs: Int?
  /// The time in seconds after which no new trial begins. A trial measures one pair of each case.
  public var budget = 600.0
  /// The largest number of rounds (stages) of measurements. The first stage measures all cases, and each
  /// further stage measures again the cases that are still undecided.
  public var mostStages = 6
  /// Whether changed results are accepted: outputs with different bits, larger errors, and kernels that
  /// promise a looser error bound. The error must still stay within the kernel's promise.
  public var acceptsOutputs = false
  /// Whether the user accepts that the new version (head) lacks kernels of the old version (base) or does not
  /// support some of its cases.
  public var acceptsGone = false
  /// Whether slower cases are accepted. A case must still stay within the limits that its suite sets for the
  /// time.
  public var acceptsSlower = false
  /// A function that returns the limits for the time and the error of a case, given the name of the case. The
  /// head must stay within these limits, even if the base exceeds them too.
  public var limits: @Sendable (_ name: String) -> [Limits] = { _ in [] }
  /// The largest growth in instructions that is allowed in a case, as a fraction, or nil if any growth is
  /// allowed.
  public var instructionGate: Double?
  /// Whether both sides are the same build. Each case is then run only once per side, to check results and
  /// limits, and the times are not compared.
  public var isSameBuild = false
  /// Whether each case is judged as if it were the only case with a change, which requires clearer evidence.
  /// See ``Rule/isEachAlone``.
  public var judgesEachAlone = false
  /// The minimum duration of a sample in seconds. It is short because shorter samples are interrupted less
  /// often.
  public var minTime = 0.001
  /// The number of rounds per trial. Each round times every candidate, such as the base and the head, once.
  /// There are fewer rounds if one blur takes longer than ``minTime``.
  public var rounds = 24

  /// Creates options with default values.
  public init() {}

  /// The default limit for the growth of instructions, as a fraction. Instruction counts are reproducible to
  /// about 0.1 %.
  public static let usualInstructionGate = 0.01
  /// The default threshold, as a fraction. The noise of a case can only raise it.
  public static let leastThreshold = 0.05
  /// The largest noise, as a fraction, with which a case can still be called unchanged. A noisier case stays
  /// undecided, unless the user has chosen a threshold.
  public static let mostNoise = 0.2
  /// The smallest number of pairs per case that is used by default.
  public static let leastPairs = 10
  /// The minimum number of rounds per trial.
  static let leastRounds = 6
}
