import Foundation

/// The rule that decides which changes count, and how much confidence they need.
public struct Rule: Sendable {
  /// The smallest change that matters, as a fraction.
  public var threshold: Double
  /// The allowed fraction of false discoveries among all changes that are found (Benjamini and Hochberg).
  public var rate = 0.05
  /// The probability with which a case may wrongly be judged slower beyond doubt (``ClearSlowdown``) in a
  /// comparison. The probability is only a fifth of ``rate`` because it adds to the false discoveries of the
  /// other tests.
  package var clearRate: Double { rate / 5 }
  /// Whether each case is judged as if it were the only case with a change, which is the hardest change to
  /// find.
  public var isEachAlone = false
  /// The confidence level of intervals.
  public var confidence = 0.95

  /// Creates a rule.
  public init(threshold: Double) { self.threshold = threshold }

  /// The logarithm of the ratio that a change must exceed with confidence: a third of the threshold.
  ///
  /// For a change between a third of the threshold and the threshold itself, either verdict is right. Without
  /// this tolerance, a change of exactly the threshold would be found only half of the time, no matter how
  /// long one measures. Two builds of the same code can also differ by one percent, only because the code is
  /// at different addresses.
  package var margin: Double { log(1 + threshold * Comparison.marginShare) }

  /// Returns the p-values, adjusted for the number of tests.
  package func adjusted(_ values: [Double]) -> [Double] {
    guard isEachAlone else { return MultipleTests.benjaminiHochberg(values) }
    return values.map { min(1, $0 * Double(values.count)) }
  }

  /// The logarithm of the ratio at the threshold.
  var limit: Double { log(1 + threshold) }

  /// The logarithm of the ratio from which a slowdown may be beyond doubt. See ``ClearSlowdown``.
  var limitBeyondDoubt: Double { log(1 + Comparison.thresholdsBeyondDoubt * threshold) }
}

/// The measured times of one candidate in one case, as logarithms of the ratios to the first candidate. There
/// is one value per trial.
package struct CaseEvidence {
  package private(set) var values: [Double] = []
  /// The number of values when the case was first flagged as changed, or nil if it is not flagged. Only later
  /// values can confirm the change.
  private var flaggedAt: Int?
  /// The sign of the estimated change: 1 for slower, −1 for faster.
  private(set) var direction = 0.0
  /// Whether the case is slower beyond doubt, so that later values need not confirm the change.
  package var isClear = false

  /// Creates evidence without data.
  package init() {}

  /// Replaces the values with all values that have been measured so far.
  package mutating func update(_ values: [Double]) { self.values = values }

  /// Returns the p-value: the probability of data at least as clear as these if the times differed by at most
  /// the margin.
  package func p(_ rule: Rule) -> Double {
    let test = SignedRank(values)
    return min(1, 2 * min(test.p(above: rule.margin), test.p(below: -rule.margin)))
  }

  /// Returns the largest distance of the confidence interval's ends from a ratio of 1, as a fraction, or nil
  /// if there are too few values.
  package func noise(_ rule: Rule) -> Double? {
    SignedRank(values).interval(confidence: rule.confidence).map {
      exp(max(-$0.lowerBound, $0.upperBound)) - 1
    }
  }

  /// Flags the case as changed if the p-value is small enough, and removes the flag otherwise.
  ///
  /// - Parameter p: The p-value, adjusted for the number of cases.
  package mutating func flag(p: Double, _ rule: Rule) {
    direction = (SignedRank(values).estimate ?? 0) < 0 ? -1 : 1
    if p > rule.rate {
      flaggedAt = nil
    } else if flaggedAt == nil {
      flaggedAt = values.count
    }
  }

  package var isFlagged: Bool { flaggedAt != nil }

  /// Returns the probability that the head appears clearly slower in at least this many pairs although it is
  /// not slower. See ``ClearSlowdown``.
  package func pClear(beside control: CaseEvidence, _ rule: Rule) -> Double {
    ClearSlowdown(values, beside: control.values, rule).p
  }

  /// Returns whether the values measured after the flag confirm the change by themselves.
  func isConfirmed(_ rule: Rule) -> Bool {
    guard let flaggedAt, values.count > flaggedAt else { return false }
    let fresh = SignedRank(values[flaggedAt...].map { $0 * direction })
    return (fresh.estimate ?? 0) > rule.margin && fresh.p(above: 0) <= rule.rate
  }

  /// Returns the verdict on the values so far. A verdict that the confidence interval proves is valid even if
  /// a flag has not been confirmed.
  package func verdict(_ rule: Rule) -> Verdict {
    if isConfirmed(rule) { return direction > 0 ? .regressed : .improved }
    if isClear { return .regressed }
    guard let interval = SignedRank(values).interval(confidence: rule.confidence),
      interval.upperBound < rule.limit
    else { return .unclear }
    return -rule.limit < interval.lowerBound ? .same : .notSlower
  }

  /// Returns whether more values could change the verdict, because the case is not proven to be the same yet,
  /// or because a flag has not been confirmed yet.
  package func isOpen(_ rule: Rule) -> Bool {
    isFlagged ? !isConfirmed(rule) : verdict(rule) != .same
  }

  /// Returns the estimated ratio with its confidence interval, which is unbounded if there are too few
  /// values.
  package func ratio(_ rule: Rule) -> Ratio? {
    let test = SignedRank(values)
    return test.estimate.map { Ratio(logarithm: $0, test.interval(confidence: rule.confidence)) }
  }
}
