import Foundation

/// The rule that decides which changes count, and how much confidence they need.
public struct Rule: Sendable {
  /// The smallest change that matters, as a fraction.
  public var threshold: Double
  /// The allowed fraction of false discoveries among all changes that are found (Benjamini and Hochberg).
  public var rate = 0.05
  /// The allowed probability that the test ``ClearSlowdown`` raises a false alarm. It is only a fifth of
  /// ``rate``, because these false alarms are added to those of the other tests.
  package var clearRate: Double { rate / 5 }
  /// Whether p-values are corrected by the Bonferroni method, which treats each case as if it were the only
  /// one that has changed. The method of Benjamini and Hochberg, which is used otherwise, finds changes more
  /// easily if many cases have changed.
  public var isEachAlone = false
  /// The confidence level of intervals.
  public var confidence = 0.95

  /// Creates a rule with the smallest change that matters, as a fraction.
  public init(threshold: Double) { self.threshold = threshold }

  /// The tolerance: a change counts only if it exceeds a third of the threshold with confidence. This value
  /// is the corresponding time ratio, as a logarithm.
  ///
  /// If the tolerance were the whole threshold, a change as large as the threshold would be found only half
  /// of the time, no matter how long the measurement takes. If there were no tolerance, tiny differences
  /// would be reported: two builds of the same code can differ by one percent, only because the code is at
  /// different addresses.
  package var margin: Double { log(1 + threshold * Comparison.marginShare) }

  /// Returns the p-values after a correction for the number of tests, because some of many p-values are small
  /// by chance.
  package func adjusted(_ values: [Double]) -> [Double] {
    guard isEachAlone else { return MultipleTests.benjaminiHochberg(values) }
    return values.map { min(1, $0 * Double(values.count)) }
  }

  /// The logarithm of the time ratio of a slowdown that is as large as the threshold.
  var limit: Double { log(1 + threshold) }

  /// The logarithm of the time ratio from which a slowdown is so large that it needs no confirmation. The
  /// test ``ClearSlowdown`` checks each pair of measurements against this limit.
  var limitBeyondDoubt: Double { log(1 + Comparison.thresholdsBeyondDoubt * threshold) }
}

/// The measured evidence on whether one build or kernel is slower than the base in one case. Each trial
/// contributes one value: the logarithm of the time of the build or kernel divided by the time of the base.
package struct CaseEvidence {
  package private(set) var values: [Double] = []
  /// The number of values at the moment when the case was first flagged as changed, or nil if it is not
  /// flagged. The values up to this moment raised the flag, so only later values can confirm the change.
  private var flaggedAt: Int?
  /// The direction of the estimated change in time: 1 for slower, −1 for faster.
  private(set) var direction = 0.0
  /// Whether the slowdown is so large that it is beyond doubt. In that case, no later values are needed to
  /// confirm it.
  package var isClear = false

  /// Creates evidence without data.
  package init() {}

  /// Stores the values that have been measured so far.
  ///
  /// - Parameter values: All values, including those that were already stored.
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

  /// Returns whether a change that was flagged has been confirmed. Only the values that were measured after
  /// the case was flagged are used, and they must show the change on their own.
  func isConfirmed(_ rule: Rule) -> Bool {
    guard let flaggedAt, values.count > flaggedAt else { return false }
    let fresh = SignedRank(values[flaggedAt...].map { $0 * direction })
    return (fresh.estimate ?? 0) > rule.margin && fresh.p(above: 0) <= rule.rate
  }

  /// Returns the verdict on the values so far. A slowdown is reported if later values have confirmed it or if
  /// it is beyond doubt, and an improvement is reported only if later values have confirmed it. In all other
  /// cases, the confidence interval determines the verdict, even if the case was flagged as changed.
  package func verdict(_ rule: Rule) -> Verdict {
    if isConfirmed(rule) { return direction > 0 ? .regressed : .improved }
    if isClear { return .regressed }
    guard let interval = SignedRank(values).interval(confidence: rule.confidence),
      interval.upperBound < rule.limit
    else { return .unclear }
    return -rule.limit < interval.lowerBound ? .same : .notSlower
  }

  /// Returns whether the case needs more values. A case that was flagged as changed needs more values until
  /// the change is confirmed. Any other case needs more values until it is proven to be unchanged.
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
