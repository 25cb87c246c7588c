extension Rule {
  /// The largest possible probability that a pair is clear even though the head is not slower.
  /// ``pOfClearSlowdown(_:beside:)`` explains what a clear pair is.
  static let clearChance = 2 / 3.0.squareRoot() - 1

  /// Tests for a slowdown that is beyond doubt. In each pair of measurements, the old version (base) is timed
  /// twice and the new version (head) once. The test finds a slowdown if nearly all pairs agree that the head
  /// is slower: the two times of the base are about equal, and the head takes much longer. The test finds
  /// only large slowdowns, but it needs fewer pairs than a rank test.
  ///
  /// A pair is called *clear* if the times of the two base runs differ by at most δ, and the head takes at
  /// least 3 δ longer than either of them. If the head is not slower, the three times are independent samples
  /// of the same distribution. A pair is then clear with a probability of at most 2/√3 − 1 = 0.155, whatever
  /// the distribution is.
  ///
  /// Proof: if the distribution contains two times that are less than 3 δ apart, one of them can be replaced
  /// with the other without making a clear pair less probable. In the worst case, all possible times are
  /// therefore at least 3 δ apart. Let q be the probability of the smallest possible time. In the worst case,
  /// each larger possible time also has the conditional probability q, given that the time is at least that
  /// large. A pair is then clear with the probability q(1 − q) / (3 − 3q + q²), whose maximum is 2/√3 − 1.
  ///
  /// - Parameters:
  ///   - head: For each pair, the logarithm of the head's time divided by the base's time.
  ///   - control: For each pair, the logarithm of the time of the base's second run divided by the time of
  ///     its first run.
  /// - Returns: The p-value of the test. A small value means that the head is certainly slower. The p-value
  ///   is the probability that at least the observed number of pairs would be clear if the head were not
  ///   slower.
  func pOfClearSlowdown(_ head: [Double], beside control: [Double]) -> Double {
    let clear = zip(head, control).filter { head, control in
      abs(control) <= limit && head - max(0, control) >= limitBeyondDoubt
    }
    return BinomialRate(clear.count, of: min(head.count, control.count)).atLeast(rate: Self.clearChance)
  }
}
