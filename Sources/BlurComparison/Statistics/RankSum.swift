import BlurRecords

/// The test of Wilcoxon, Mann and Whitney for two independent samples. It tests whether the second sample
/// lies higher or lower than the first one, and estimates by how much.
///
/// Probabilities are exact for up to 60 values in both samples together. Equal values (ties) share the mean
/// of their ranks, and the exact probabilities take the ties into account. For more values, the normal
/// distribution with the same mean and variance is used.
///
/// Mann and Whitney, "On a Test of Whether One of Two Random Variables Is Stochastically Larger than the
/// Other", 1947; Hollander and Wolfe, "Nonparametric Statistical Methods", 1999, chapter 4.
public struct RankSum: Sendable {
  private let first: [Double], second: [Double]
  private let differences: [Double]

  /// Creates a test of two samples. Values that are not finite are left out.
  public init(_ first: [Double], _ second: [Double]) {
    let first = first.filter(\.isFinite)
    let second = second.filter(\.isFinite)
    self.first = first
    self.second = second
    differences = second.flatMap { value in first.map { value - $0 } }.sorted()
  }

  /// Tests whether the second sample is shifted upwards by more than `shift` relative to the first one.
  /// Returns the one-sided p-value, which is small if this is so. The tested hypothesis is that the second
  /// sample is shifted by at most `shift`. The p-value is 1 if a sample is empty.
  public func p(above shift: Double) -> Double {
    let (sum, null) = ranks(at: shift)
    return null.atLeast(sum)
  }

  /// Tests whether the second sample is shifted by less than `shift` relative to the first one. Returns the
  /// one-sided p-value, which is small if this is so. The tested hypothesis is that the second sample is
  /// shifted by at least `shift`. The p-value is 1 if a sample is empty.
  public func p(below shift: Double) -> Double {
    let (sum, null) = ranks(at: shift)
    return null.atMost(sum)
  }

  /// Tests whether the second sample is shifted by any other amount than `shift` relative to the first one.
  /// Returns the two-sided p-value, which is small if this is so.
  public func twoSided(at shift: Double) -> Double {
    let (sum, null) = ranks(at: shift)
    return min(1, 2 * min(null.atLeast(sum), null.atMost(sum)))
  }

  /// The estimated shift of the second sample relative to the first. To compute it, each value of the first
  /// sample is subtracted from each value of the second one, and the median of the differences is taken. The
  /// estimate is nil if a sample is empty.
  public var estimate: Double? { Statistics.median(differences) }

  /// Returns a confidence interval for the shift of the second sample relative to the first. It contains the
  /// true shift with at least the given probability. It consists of all shifts that the two-sided test does
  /// not reject. The result is nil if there are too few values.
  ///
  /// Equal values (ties) are not taken into account here, which can only make the interval wider than
  /// necessary.
  ///
  /// - Parameter confidence: The probability, between 0 and 1.
  public func interval(confidence: Double) -> ClosedRange<Double>? {
    guard !differences.isEmpty else { return nil }
    let null = RankDistribution.ofDrawing(
      second.count, from: RankDistribution.distinct(first.count + second.count))
    let least = second.count * (second.count + 1)
    guard let sum = null.largest(withTail: (1 - confidence) / 2), sum >= least else { return nil }
    // The call of `min` matters only if `confidence` is negative. The lower end of the interval would
    // otherwise lie above its upper end.
    let rank = min((sum - least) / 2, (differences.count - 1) / 2)
    return differences[rank]...differences[differences.count - 1 - rank]
  }

  /// Returns the sum of ranks on which the test is based. `shift` is subtracted from the values of the second
  /// sample, the values of both samples are ranked together, and the doubled ranks of the second sample are
  /// added up. `null` is the distribution that this sum has if the two samples then have the same
  /// distribution.
  private func ranks(at shift: Double) -> (sum: Int, null: RankDistribution) {
    guard !differences.isEmpty else { return (0, .exact([1])) }
    let ranks = RankDistribution.doubledRanks(second.map { $0 - shift } + first)
    return (ranks.prefix(second.count).reduce(0, +), .ofDrawing(second.count, from: ranks))
  }
}
