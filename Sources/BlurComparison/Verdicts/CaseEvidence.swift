import Foundation

/// What counts as a change, and with how much confidence.
public struct Rule: Sendable {
  /// The change that matters, as a share.
  public var threshold: Double
  /// The share of false discoveries among all that is found (Benjamini and Hochberg).
  public var rate = 0.05
  /// The share of comparisons in which a case may look slower beyond doubt (``ClearSlowdown``) and is not.
  /// It adds to what the other tests may find by chance, so it is a small part of that.
  package var clearRate: Double { rate / 5 }
  /// Whether each case is judged as if it were the only change among all, the hardest change to find.
  public var isEachAlone = false
  /// The confidence of intervals.
  public var confidence = 0.95

  /// Makes a rule.
  public init(threshold: Double) { self.threshold = threshold }

  /// The log ratio that a change must surely exceed: a third of the threshold.
  ///
  /// Below it either verdict is right. Without such a zone a change just at the threshold would be found half
  /// of the time however long one measures. Two builds of the same code can differ by a percent, by their
  /// addresses alone.
  package var margin: Double { log(1 + threshold * Comparison.marginShare) }

  /// The chances adjusted for their number.
  package func adjusted(_ values: [Double]) -> [Double] {
    guard isEachAlone else { return MultipleTests.benjaminiHochberg(values) }
    return values.map { min(1, $0 * Double(values.count)) }
  }

  /// The log ratio of the threshold.
  var limit: Double { log(1 + threshold) }

  /// The log ratio from which on a slowdown is beyond doubt, see ``ClearSlowdown``.
  var limitBeyondDoubt: Double { log(1 + Comparison.thresholdsBeyondDoubt * threshold) }
}

/// The log ratios of one case to the first candidate, one for each trial.
package struct CaseEvidence {
  package private(set) var values: [Double] = []
  /// The number of values when it was first flagged. Only later values can confirm it.
  private var flaggedAt: Int?
  /// The sign of the estimate: 1 for slower.
  private(set) var direction = 0.0
  /// Whether it is slower beyond doubt, so that nothing need confirm it.
  package var isClear = false

  /// No data yet.
  package init() {}

  /// Takes all values so far.
  package mutating func update(_ values: [Double]) { self.values = values }

  /// The p-value: the chance of such data if the times differed by the margin at most.
  package func p(_ rule: Rule) -> Double {
    let test = SignedRank(values)
    return min(1, 2 * min(test.p(above: rule.margin), test.p(below: -rule.margin)))
  }

  /// How far the interval extends from no difference, as a share; nil where there are too few values.
  package func noise(_ rule: Rule) -> Double? {
    SignedRank(values).interval(confidence: rule.confidence).map {
      exp(max(-$0.lowerBound, $0.upperBound)) - 1
    }
  }

  /// Flags the case or removes the flag; `p` is adjusted for the number of cases.
  package mutating func flag(p: Double, _ rule: Rule) {
    direction = (SignedRank(values).estimate ?? 0) < 0 ? -1 : 1
    if p > rule.rate {
      flaggedAt = nil
    } else if flaggedAt == nil {
      flaggedAt = values.count
    }
  }

  package var isFlagged: Bool { flaggedAt != nil }

  /// The probability of as many clear pairs, or more, where the head is no slower, see ``ClearSlowdown``.
  package func pClear(beside control: CaseEvidence, _ rule: Rule) -> Double {
    ClearSlowdown(values, beside: control.values, rule).p
  }

  /// Whether the values after the flag confirm it by themselves.
  func isConfirmed(_ rule: Rule) -> Bool {
    guard let flaggedAt, values.count > flaggedAt else { return false }
    let fresh = SignedRank(values[flaggedAt...].map { $0 * direction })
    return (fresh.estimate ?? 0) > rule.margin && fresh.p(above: 0) <= rule.rate
  }

  /// The verdict on the values so far. What the interval proves holds, whether or not a flag is confirmed.
  package func verdict(_ rule: Rule) -> Verdict {
    if isConfirmed(rule) { return direction > 0 ? .regressed : .improved }
    if isClear { return .regressed }
    guard let interval = SignedRank(values).interval(confidence: rule.confidence),
      interval.upperBound < rule.limit
    else { return .unclear }
    return -rule.limit < interval.lowerBound ? .same : .notSlower
  }

  /// Whether more values could say more: nothing is proven, or a flag waits for what confirms it.
  package func isOpen(_ rule: Rule) -> Bool {
    isFlagged ? !isConfirmed(rule) : verdict(rule) != .same
  }

  /// The ratio with its interval, unbounded where there are too few values.
  package func ratio(_ rule: Rule) -> Ratio? {
    let test = SignedRank(values)
    return test.estimate.map { Ratio(logarithm: $0, test.interval(confidence: rule.confidence)) }
  }
}
