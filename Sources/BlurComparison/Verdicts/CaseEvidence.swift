import Foundation

/// The rule that decides which changes count, and how much confidence they need.
public struct Rule: Sendable {
  /// The smallest change that matters, as a fraction.
  public var threshold: Double
  /// The allowed fraction of false discoveries among all changes that are found (Benjamini and Hochberg).
  public var rate = 0.05
  /// The allowed probability of a false alarm of the test ``ClearSlowdown``, which finds slowdowns that are
  /// beyond doubt. It is only a fifth of ``rate``, because these false alarms come in addition to those of
  /// the other tests.
  package var clearRate: Double { rate / 5 }
  /// Whether each case is judged by the Bonferroni correction, as if it were the only case with a change. A
  /// change in a single case is the hardest to find, because Benjamini and Hochberg's method finds changes
  /// more easily if many cases have changed.
  public var isEachAlone = false
  /// The confidence level of intervals.
  public var confidence = 0.95

  /// Creates a rule.
  public init(threshold: Double) { self.threshold = threshold }

  /// The tolerance: the time ratio, as a logarithm, that a change must exceed with confidence. It corresponds
  /// to a third of the threshold.
  ///
  /// A change between a third of the threshold and the whole threshold may or may not be reported; both are
  /// correct. Without this tolerance, a change as large as the threshold would be found only half of the
  /// time, no matter how long the measurement takes. There is another reason: two builds of the same code can
  /// differ by one percent, only because the code is at different addresses.
  package var margin: Double { log(1 + threshold * Comparison.marginShare) }

  /// Returns the p-values, adjusted for the number of tests.
  package func adjusted(_ values: [Double]) -> [Double] {
    guard isEachAlone else { return MultipleTests.benjaminiHochberg(values) }
    return values.map { min(1, $0 * Double(values.count)) }
  }

  /// The logarithm of the ratio at the threshold.
  var limit: Double { log(1 + threshold) }

  /// The time ratio, as a logarithm, from which the test ``ClearSlowdown`` counts the slowdown in a single
  /// pair as clear.
  var limitBeyondDoubt: Double { log(1 + Comparison.thresholdsBeyondDoubt * threshold) }
}

/// The measured evidence on whether one build or kernel is slower than the base in one case. It consists of
/// logarithms of time ratios relative to the base, with one value per trial.
package struct CaseEvidence {
  package private(set) var values: [Double] = []
  /// The number of values at the moment when the case was first flagged as changed, or nil if it is not
  /// flagged. The values up to this moment raised the flag, so only later values can confirm the change.
  private var flaggedAt: Int?
  /// The sign of the estimated change: 1 for slower, −1 for faster.
  private(set) var direction = 0.0
  /// Whether the slowdown is so large that it is beyond doubt. In that case, no later values are needed to
  /// confirm it.
  package var isClear = false

  /// Creates evidence without data.
  package init() {}

  /// Replaces the stored values. The parameter `values` contains all values so far, both the old ones and the
  /// new ones.
  package mutating func update(_ values: [Double]) { self.values = values }

  /// Returns the p-value for the hypothesis that the times differ by at most the tolerance ``Rule/margin``. A
  /// small p-value means that the times differ by more.
  package func p(_ rule: Rule) -> Double {
    let test = SignedRank(values)
    return min(1, 2 * min(test.p(above: rule.margin), test.p(below: -rule.margin)))
  }

  /// Returns how far the true time ratio may be from 1, as a fraction. This is the distance between 1 and the
  /// end of the confidence interval that is farther from 1. The result is nil if there are too few values.
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

  /// Returns the p-value of the test ``ClearSlowdown``. A small p-value means that the slowdown is beyond
  /// doubt.
  package func pClear(beside control: CaseEvidence, _ rule: Rule) -> Double {
    ClearSlowdown(values, beside: control.values, rule).p
  }

  /// Returns whether the change is confirmed. The values that were measured after the case was flagged must
  /// show the change without help from the earlier values.
  func isConfirmed(_ rule: Rule) -> Bool {
    guard let flaggedAt, values.count > flaggedAt else { return false }
    let fresh = SignedRank(values[flaggedAt...].map { $0 * direction })
    return (fresh.estimate ?? 0) > rule.margin && fresh.p(above: 0) <= rule.rate
  }

  /// Returns the verdict on the values so far. A slowdown or an improvement must be confirmed by later
  /// values, unless a slowdown is beyond doubt. Until then, the verdict follows from the confidence interval,
  /// even if the case has been flagged as changed.
  package func verdict(_ rule: Rule) -> Verdict {
    if isConfirmed(rule) { return direction > 0 ? .regressed : .improved }
    if isClear { return .regressed }
    guard let interval = SignedRank(values).interval(confidence: rule.confidence),
      interval.upperBound < rule.limit
    else { return .unclear }
    return -rule.limit < interval.lowerBound ? .same : .notSlower
  }

  /// Returns whether the case needs more values. A flagged case needs them until the change is confirmed, and
  /// any other case until it is proven to be unchanged.
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
