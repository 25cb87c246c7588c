/// A test for a slowdown that is beyond doubt. It needs fewer pairs than a rank test, because it demands that
/// in nearly all pairs the head took far longer than both runs of the base, and that these two runs agreed.
///
/// A pair is *clear* if the two runs of the base differ by at most δ, and the head takes at least 3 δ longer
/// than either of them. If the three processes of a pair are independent and have equally distributed times,
/// the probability of a clear pair is at most 2/√3 − 1 = 0.155, whatever the distribution is.
///
/// The reason is as follows. If two times are closer than 3 δ, both can be moved to one of the two places,
/// namely the one with more clear triples, and no clear triple is lost. The worst case is therefore a ladder
/// of times that are 3 δ apart. If the lowest rung has the probability q, and each higher rung has the
/// probability q given that no lower rung is hit, a pair is clear with the probability q(1 − q) / (3 − 3q +
/// q²).
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

  /// The probability that the head appears clearly slower in at least this many pairs although it is not
  /// slower.
  var p: Double { pairs.atLeast(rate: Self.chance) }
}
