import Foundation

/// The evidence on whether the head is slower than the base in one case: the times of both sides, and what
/// has been concluded from them so far.
///
/// The times come either from processes that were measured alternately, or from the records of two runs.
/// ``samples`` distinguishes these two sources, which need different rank tests. Changes that were found in
/// alternating measurements must be confirmed by later measurements. Changes in records need no such
/// confirmation.
struct CaseEvidence {
  /// The times of both sides.
  private(set) var samples: LogTimes
  private var test: RankTest
  /// The range of time changes that a change in the machine alone can explain, as logarithms of time ratios.
  /// The range always contains 0. If both sides were measured together, it contains only 0.
  private let drift: ClosedRange<Double>
  /// The spread of the times between processes, as the logarithm of a time ratio. A change counts only if it
  /// exceeds both this spread and the tolerance of the rule.
  private let spread: Double
  /// Whether the times can prove a change. If they cannot, a slowdown only makes the case suspect.
  private let isProvable: Bool
  /// The p-value for a change in time, adjusted for the number of cases. It is nil if the case has not been
  /// judged, or if its times cannot prove a change.
  private(set) var p: Double?
  /// The number of samples at the moment when the case was flagged, or nil if the case is not flagged. A case
  /// is flagged if it seems to have changed. These samples raised the suspicion, so only later samples can
  /// confirm the change.
  private var flaggedAt: Int?
  /// The direction of the estimated change in time: 1 for slower, −1 for faster.
  private var direction = 0.0
  /// Whether the slowdown is so large that it is beyond doubt. In that case, no later samples are needed to
  /// confirm it.
  private var isClear = false

  /// Creates evidence from the times of both sides. By default, there are no times yet.
  init(
    _ samples: LogTimes = .paired([]), drift: ClosedRange<Double> = 0...0, spread: Double = 0,
    isProvable: Bool = true
  ) {
    self.samples = samples
    self.drift = drift
    self.spread = spread
    self.isProvable = isProvable
    test = RankTest(samples)
  }

  /// Replaces the times of both sides with all times that have been measured so far.
  mutating func update(_ samples: LogTimes) {
    self.samples = samples
    test = RankTest(samples)
  }

  // MARK: Judging

  /// Finds the cases that seem to have changed, and flags them. The p-values are corrected for the number of
  /// cases, because among many p-values, some are small by chance. Cases whose times cannot prove a change
  /// are left out.
  ///
  /// - Parameters:
  ///   - evidence: The evidence on all cases.
  ///   - controls: For each case, the evidence on whether two measurements of the base differ. It is needed
  ///     to find slowdowns that are beyond doubt. If the array is empty, no slowdown counts as beyond doubt.
  ///   - rules: The rule for each case. The rules may differ only in their thresholds.
  static func judge(
    _ evidence: inout [CaseEvidence], beside controls: [CaseEvidence] = [], _ rules: [Rule]
  ) {
    guard let rule = rules.first else { return }
    let provable = evidence.indices.filter { evidence[$0].isProvable }
    let ps = rule.adjusted(provable.map { evidence[$0].unadjusted(rules[$0]) })
    for (index, p) in zip(provable, ps) { evidence[index].flag(p: p, rules[index]) }
    let clear = controls.indices.map { index in
      rules[index].pOfClearSlowdown(
        evidence[index].samples.ratios, beside: controls[index].samples.ratios)
    }
    for (index, p) in rule.adjusted(clear).enumerated() { evidence[index].isClear = p <= rule.clearRate }
  }

  /// Returns the p-value for a change in time, before the correction for the number of cases. A small value
  /// is evidence that the head is slower or faster by more than the tolerance and the drift together.
  private func unadjusted(_ rule: Rule) -> Double {
    let margin = max(rule.margin, spread)
    let slower = test.p(above: drift.upperBound + margin)
    let faster = test.p(below: drift.lowerBound - margin)
    return min(1, 2 * min(slower, faster))
  }

  /// Flags the case if the p-value `p`, which is adjusted for the number of cases, is small enough. Removes
  /// the flag otherwise.
  mutating func flag(p: Double, _ rule: Rule) {
    self.p = p
    direction = (test.estimate ?? 0) < 0 ? -1 : 1
    if p > rule.rate {
      flaggedAt = nil
    } else if flaggedAt == nil {
      flaggedAt = samples.count
    }
  }

  /// Whether the case seems to have changed.
  var isFlagged: Bool { flaggedAt != nil }

  /// Returns whether a suspected change has been confirmed. The earlier samples, which gave rise to the
  /// suspicion, are not used. The samples that were measured later must show the change on their own.
  ///
  /// If the sides were measured in different runs, there are no later samples, and a suspected change counts
  /// as confirmed.
  private func isConfirmed(_ rule: Rule) -> Bool {
    guard let flaggedAt else { return false }
    guard case .paired(let ratios) = samples else { return true }
    guard ratios.count > flaggedAt else { return false }
    let fresh = RankTest(.paired(ratios[flaggedAt...].map { $0 * direction }))
    return (fresh.estimate ?? 0) > rule.margin && fresh.p(above: 0) <= rule.rate
  }

  // MARK: Conclusions

  /// Returns the verdict that the samples so far allow.
  ///
  /// A case is called slower if the slowdown is confirmed or beyond doubt, and faster only if the improvement
  /// is confirmed. Otherwise, the confidence interval of the time ratio may prove that the case is the same
  /// or not slower. If the interval proves neither and the sides were measured in different runs, the case is
  /// suspect if its slowdown exceeds the tolerance and the drift of the machine together.
  func verdict(_ rule: Rule) -> Verdict {
    if isConfirmed(rule) { return direction > 0 ? .regressed : .improved }
    if isClear { return .regressed }
    if let interval = test.interval(confidence: rule.confidence), interval.upperBound < rule.limit {
      return -rule.limit < interval.lowerBound ? .same : .notSlower
    }
    guard case .separate = samples, let estimate = test.estimate else { return .unclear }
    return estimate > drift.upperBound + rule.margin ? .suspect : .unclear
  }

  /// Returns whether the case must be measured further. A case that seems to have changed is measured until
  /// the change is confirmed or disappears. Any other case is measured until it is proven to be unchanged.
  ///
  /// A slowdown that is beyond doubt must be confirmed, too. If its measurement ended as soon as the test for
  /// such slowdowns succeeded once, the test would have one chance for a false alarm in each stage. The
  /// probability of a false alarm could then exceed ``Rule/clearRate``.
  func isOpen(_ rule: Rule) -> Bool {
    isFlagged ? !isConfirmed(rule) : verdict(rule) != .same
  }

  /// Returns how far the true time ratio may be from 1, as a fraction: the distance from 1 to the farther end
  /// of the confidence interval. The result is nil if there are too few samples.
  func noise(_ rule: Rule) -> Double? {
    test.interval(confidence: rule.confidence).map { exp(max(-$0.lowerBound, $0.upperBound)) - 1 }
  }

  /// Returns the estimated time ratio with its confidence interval. The interval is unbounded if there are
  /// too few samples. The result is nil if one side has no times.
  func ratio(_ rule: Rule) -> Ratio? {
    test.estimate.map { Ratio(logarithm: $0, test.interval(confidence: rule.confidence)) }
  }

  /// Returns the smallest slowdown, as a fraction, that would be found with a probability of 95 % if the same
  /// number of pairs were measured again. The result is nil if there are too few samples, or if they are not
  /// paired.
  ///
  /// - Parameter cases: The number of cases that are tested. The more cases are tested, the larger a slowdown
  ///   must be to be found.
  func smallestDetectable(among cases: Int, _ rule: Rule) -> Double? {
    test.detectable(beyond: rule.margin, significance: rule.rate / 2 / Double(cases), power: 0.95)
      .map { exp($0) - 1 }
  }
}
