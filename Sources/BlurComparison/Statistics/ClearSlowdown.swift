/// A test that shows that a slowdown is beyond doubt. The test works on pairs of runs of the old version
/// (base) and the new version (head), where the base is run twice as a control. It needs fewer pairs than a
/// rank test, because it requires a strong effect: in nearly all pairs, the head must be far slower than both
/// runs of the base, and these two runs must agree.
///
/// A pair is *clear* if the times of the two base runs differ by at most δ, and the head takes at least 3 δ
/// longer than either of them. Suppose that the head is not slower, so that the three times are independent
/// samples of the same distribution. A pair is then clear with a probability of at most 2/√3 − 1 = 0.155,
/// whatever the distribution is.
///
/// Proof: assume that the distribution contains two times that are closer than 3 δ. One of the two times can
/// be replaced by the other one without making a clear pair less probable. The worst case is therefore a
/// distribution whose times are 3 δ apart, like the rungs of a ladder. Let q be the probability of the lowest
/// rung, and also the probability of each higher rung given that no lower rung occurs. A pair is then clear
/// with the probability q(1 − q) / (3 − 3q + q²).
struct ClearSlowdown {
  /// The largest possible probability that the head appears clearly slower in one pair although it is not
  /// slower.
  static let chance = 2 / 3.0.squareRoot() - 1

  private let pairs: BinomialRate

  /// Creates a test by counting the pairs in which the head is clearly slower.
  ///
  /// - Parameters:
  ///   - head: The logarithms of the ratios of the head to the base, one for each pair.
  ///   - control: The logarithms of the ratios of the base's second run to its first run.
  ///   - rule: The rule whose threshold is δ.
  init(_ head: [Double], beside control: [Double], _ rule: Rule) {
    let pairs = zip(head, control)
    let clear = pairs.filter { head, control in
      abs(control) <= rule.limit && head - max(0, control) >= rule.limitBeyondDoubt
    }
    self.pairs = BinomialRate(clear.count, of: min(head.count, control.count))
  }

  /// The p-value: the probability that a head that is not slower appears clearly slower in at least as many
  /// pairs as were counted.
  var p: Double { pairs.atLeast(rate: Self.chance) }
}
