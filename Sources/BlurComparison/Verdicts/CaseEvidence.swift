import Foundation

/// The rule that decides which changes count, and how much confidence they need.
public struct Rule: Sendable {
  /// The smallest change that matters, as a fraction.
  public var threshold: Double
  /// The allowed fraction of false discoveries among all changes that are found (Benjamini and Hochberg).
  public var rate = 0.05
  /// The allowed probability of a false alarm in the test ``ClearSlowdown``, which finds slowdowns that are
  /// beyond doubt. It is only a fifth of ``rate``, because its false alarms are added to those of the other
  /// tests.
  package var clearRate: Double { rate / 5 }
  /// Whether each case is judged as if it were the only one that has changed. The p-values are then corrected
  /// by the Bonferroni method. Otherwise, the method of Benjamini and Hochberg is used, which finds changes
  /// more easily if many cases have changed.
  public var isEachAlone = false
  /// The confidence level of intervals.
  public var confidence = 0.95

  /// Creates a rule with the smallest change that matters, as a fraction.
  public init(threshold: Double) { self.threshold = threshold }

  /// The tolerance, as the logarithm of a time ratio. A change counts only if it is certainly larger than the
  /// tolerance, which is a third of the threshold.
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

  /// A slowdown that is as large as the threshold, as the logarithm of its time ratio. It is log 1.05 if the
  /// threshold is 0.05.
  var limit: Double { log(1 + threshold) }

  /// The smallest slowdown that is beyond doubt and is reported without further measurements, as the
  /// logarithm of a time ratio. If the threshold is 0.05, it is log 1.15, because three times the threshold
  /// is 0.15. The test ``ClearSlowdown`` compares each pair of measurements with this limit.
  var limitBeyondDoubt: Double { log(1 + Comparison.thresholdsBeyondDoubt * threshold) }
}

/// The measured times of one build or kernel in one case, from which it is judged whether it is slower than
/// the base. Each trial contributes one value: the logarithm of the time of the build or kernel divided by
/// the time of the base.
package struct CaseEvidence {
  package private(set) var values: [Double] = []
  /// The number of values at the moment when the case first seemed to have changed (when it was flagged), or
  /// nil if it does not seem to have changed. The values up to this moment gave rise to the suspicion, so
  /// only later values can confirm the change.
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

  /// Returns the p-value of a change of the time. A small value means that the times differ by more than the
  /// tolerance ``Rule/margin``, either upwards or downwards.
  package func p(_ rule: Rule) -> Double {
    let test = SignedRank(values)
    return min(1, 2 * min(test.p(above: rule.margin), test.p(below: -rule.margin)))
  }

  /// Returns the largest distance of the true time ratio from 1 that the values still allow, as a fraction.
  /// It is the distance between 1 and the end of the confidence interval that is farther from 1. The result
  /// is nil if there are too few values.
  package func noise(_ rule: Rule) -> Double? {
    SignedRank(values).interval(confidence: rule.confidence).map {
      exp(max(-$0.lowerBound, $0.upperBound)) - 1
    }
  }

  /// Flags the case if it seems to have changed, which is so if the p-value is small enough. Removes the flag
  /// otherwise.
  ///
  /// - Parameter p: The p-value of the change, adjusted for the number of cases.
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

  /// Returns whether a suspected change has been confirmed. The earlier values, which gave rise to the
  /// suspicion, are not used. The values that were measured later must show the change on their own.
  func isConfirmed(_ rule: Rule) -> Bool {
    guard let flaggedAt, values.count > flaggedAt else { return false }
    let fresh = SignedRank(values[flaggedAt...].map { $0 * direction })
    return (fresh.estimate ?? 0) > rule.margin && fresh.p(above: 0) <= rule.rate
  }

  /// Returns the verdict on the values so far. A case is called slower if later measurements have confirmed
  /// the slowdown, or if the slowdown is beyond doubt. It is called faster only if later measurements have
  /// confirmed it. In all other cases, the confidence interval of the time ratio determines the verdict.
  package func verdict(_ rule: Rule) -> Verdict {
    if isConfirmed(rule) { return direction > 0 ? .regressed : .improved }
    if isClear { return .regressed }
    guard let interval = SignedRank(values).interval(confidence: rule.confidence),
      interval.upperBound < rule.limit
    else { return .unclear }
    return -rule.limit < interval.lowerBound ? .same : .notSlower
  }

  /// Returns whether the case must be measured further. A case that seems to have changed is measured until
  /// the change is confirmed or no longer seems to exist. Any other case is measured until it is proven to be
  /// unchanged.
  package func isOpen(_ rule: Rule) -> Bool {
    isFlagged ? !isConfirmed(rule) : verdict(rule) != .same
  }

  /// Returns the estimated time ratio with its confidence interval. The interval has no limits if there are
  /// too few values.
  package func ratio(_ rule: Rule) -> Ratio? {
    let test = SignedRank(values)
    return test.estimate.map { Ratio(logarithm: $0, test.interval(confidence: rule.confidence)) }
  }
}
