import BlurRecords

/// The test of Wilcoxon, Mann and Whitney: whether a second sample lies higher or lower than a first one that
/// was taken independently of it, and by how much.
///
/// Probabilities are exact for up to 60 values together, also with ties (middle ranks, and the distribution
/// given these ties); above, they are those of the normal distribution with the same mean and variance.
///
/// Mann and Whitney, "On a Test of Whether One of Two Random Variables Is Stochastically Larger than the
/// Other", 1947; Hollander and Wolfe, "Nonparametric Statistical Methods", 1999, chapter 4.
public struct RankSum: Sendable {
  private let first: [Double], second: [Double]
  private let differences: [Double]

  /// Takes two samples; values that are not finite are left out.
  public init(_ first: [Double], _ second: [Double]) {
    let first = first.filter(\.isFinite)
    let second = second.filter(\.isFinite)
    self.first = first
    self.second = second
    differences = second.flatMap { value in first.map { value - $0 } }.sorted()
  }

  /// The probability of a second sample as high as this one, or higher, if it were shifted by at most
  /// `shift`. 1 where a sample is empty.
  public func p(above shift: Double) -> Double {
    let (sum, null) = ranks(at: shift)
    return null.atLeast(sum)
  }

  /// The probability of a second sample as low as this one, or lower, if it were shifted by at least `shift`.
  /// 1 where a sample is empty.
  public func p(below shift: Double) -> Double {
    let (sum, null) = ranks(at: shift)
    return null.atMost(sum)
  }

  /// The probability of a second sample as far from `shift` as this one, or farther, if that were the shift.
  public func twoSided(at shift: Double) -> Double {
    let (sum, null) = ranks(at: shift)
    return min(1, 2 * min(null.atLeast(sum), null.atMost(sum)))
  }

  /// How much higher the second sample is: the median of all differences; nil where a sample is empty.
  public var estimate: Double? { Statistics.median(differences) }

  /// The shifts that the two-sided test does not refuse: they hold the true one with at least this
  /// probability. Nil where there are too few values.
  ///
  /// Ties are not counted as such here, which can only make the interval longer than it must be.
  ///
  /// - Parameter confidence: between 0 and 1.
  public func interval(confidence: Double) -> ClosedRange<Double>? {
    guard !differences.isEmpty else { return nil }
    let null = RankDistribution.ofDrawing(
      second.count, from: RankDistribution.distinct(first.count + second.count))
    let least = second.count * (second.count + 1)
    guard let sum = null.largest(withTail: (1 - confidence) / 2), sum >= least else { return nil }
    // A tail beyond one half would turn the interval around.
    let rank = min((sum - least) / 2, (differences.count - 1) / 2)
    return differences[rank]...differences[differences.count - 1 - rank]
  }

  /// The doubled rank sum of the second sample.
  private func ranks(at shift: Double) -> (sum: Int, null: RankDistribution) {
    guard !differences.isEmpty else { return (0, .exact([1])) }
    let ranks = RankDistribution.doubledRanks(second.map { $0 - shift } + first)
    return (ranks.prefix(second.count).reduce(0, +), .ofDrawing(second.count, from: ranks))
  }
}
