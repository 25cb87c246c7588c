/// Whether a head is slower beyond doubt, which takes fewer pairs than a test of ranks: in nearly all of them
/// it took far longer than both runs of the base, which agreed.
///
/// A pair is *clear* where the runs of the base differ by δ at most, and the head takes 3 δ longer than
/// either. If the three processes of a pair are alike and independent, that has a probability of at most
/// 2/√3 − 1 = 0.155, whatever the distribution of their times. For moving two times that are closer than 3 δ
/// onto each other, to the place with more clear triples, loses none, so that the worst case is a ladder of
/// times 3 δ apart. With the share q on the lowest rung, and the same above it, the probability is
/// q(1 − q) / (3 − 3q + q²).
struct ClearSlowdown {
  /// The largest probability of a clear pair where the head is no slower.
  static let chance = 2 / 3.0.squareRoot() - 1

  private let pairs: BinomialRate

  /// - Parameters:
  ///   - head: log ratios to the base, one for each pair.
  ///   - control: those of the base's second run.
  ///   - rule: whose threshold is δ.
  init(_ head: [Double], beside control: [Double], _ rule: Rule) {
    let pairs = zip(head, control)
    let clear = pairs.filter { head, control in
      abs(control) <= rule.limit && head - max(0, control) >= rule.limitBeyondDoubt
    }
    self.pairs = BinomialRate(clear.count, of: min(head.count, control.count))
  }

  /// The probability of as many clear pairs, or more, where the head is no slower.
  var p: Double { pairs.atLeast(rate: Self.chance) }
}
