import BlurRecords

/// Wilcoxon's signed-rank test of paired data, such as logarithms of ratios of times: whether they lie around
/// a value, and where they lie.
///
/// It supposes that the data are symmetric around their median, not that they are normal. Probabilities are
/// exact for up to 200 values, also with ties (middle ranks, and the distribution given these ties); above,
/// they are those of the normal distribution with the same mean and variance. Values equal to the tested one
/// are dropped, as Wilcoxon did.
///
/// Wilcoxon, "Individual Comparisons by Ranking Methods", 1945; Hollander and Wolfe, "Nonparametric
/// Statistical Methods", 1999, chapter 3.
public struct SignedRank: Sendable {
  private let values: [Double]
  private let averages: [Double]

  /// Takes the differences of pairs; values that are not finite are left out.
  public init(_ values: [Double]) {
    self.values = values.filter(\.isFinite)
    averages = Self.walshAverages(self.values)
  }

  /// How many values there are.
  public var count: Int { values.count }

  /// The probability of data as high as these, or higher, if their median were at most `shift`.
  public func p(above shift: Double) -> Double {
    let (sum, null) = signedRanks(at: shift)
    return null.atLeast(sum)
  }

  /// The probability of data as low as these, or lower, if their median were at least `shift`.
  public func p(below shift: Double) -> Double {
    let (sum, null) = signedRanks(at: shift)
    return null.atMost(sum)
  }

  /// The probability of data as far from `shift` as these, or farther, if their median were `shift`.
  public func twoSided(at shift: Double) -> Double {
    let (sum, null) = signedRanks(at: shift)
    return min(1, 2 * min(null.atLeast(sum), null.atMost(sum)))
  }

  /// Where the data lie: the median of the means of all pairs, each value with itself too; nil of nothing.
  ///
  /// Hodges and Lehmann, "Estimates of Location Based on Rank Tests", 1963.
  public var estimate: Double? { Statistics.median(averages) }

  /// The values that the two-sided test does not refuse: they hold the median with at least this probability.
  /// Nil where there are too few values: n of them give no more than 1 − 2^(1−n).
  ///
  /// Ties and zeros are not counted as such here, which can only make the interval longer than it must be.
  ///
  /// - Parameter confidence: between 0 and 1.
  public func interval(confidence: Double) -> ClosedRange<Double>? {
    guard let rank = Self.rank(count, tail: (1 - confidence) / 2) else { return nil }
    return averages[rank]...averages[averages.count - 1 - rank]
  }

  /// The smallest shift that as many new data with this spread show with probability `power`, when they are
  /// tested against "the median is at most `margin`"; nil where there are too few values.
  ///
  /// The spread is Shamos's: it belongs to the same pairs as ``estimate``, is as little moved by outliers,
  /// and varies less at ten values than the median deviation does.
  ///
  /// - Parameters:
  ///   - margin: in the unit of the values.
  ///   - significance: the largest p that counts, one-sided.
  public func detectable(beyond margin: Double, significance: Double, power: Double) -> Double? {
    guard let spread, let reach = SignedRankReach.of(count, significance: significance, power: power) else {
      return nil
    }
    return margin + reach * spread
  }

  /// The standard deviation of normal data, from the median distance of two values.
  ///
  /// Shamos, "Geometry and Statistics: Problems at the Interface", 1976.
  private var spread: Double? {
    let distances = values.indices.flatMap { i in values[..<i].map { abs($0 - values[i]) } }
    return Statistics.median(distances).map { $0 / (2.0.squareRoot() * Normal.quantile(0.75)) }
  }

  private func signedRanks(at shift: Double) -> (sum: Int, null: RankDistribution) {
    let differences = values.map { $0 - shift }.filter { $0 != 0 }
    let ranks = RankDistribution.doubledRanks(differences.map(abs))
    let sum = zip(differences, ranks).reduce(0) { $1.0 > 0 ? $0 + $1.1 : $0 }
    return (sum, .ofSigns(ranks))
  }

  /// The means of all pairs in order, each value with itself too.
  static func walshAverages(_ values: [Double]) -> [Double] {
    values.indices.flatMap { i in values[...i].map { $0 / 2 + values[i] / 2 } }.sorted()
  }

  /// The index of the Walsh average up to which the one-sided test refuses values, with probability `tail` or
  /// less.
  static func rank(_ count: Int, tail: Double) -> Int? {
    guard count > 0 else { return nil }
    let rank = RankDistribution.ofSigns(RankDistribution.distinct(count)).largest(withTail: tail)
    // A tail beyond one half would turn the interval around.
    return rank.map { min($0 / 2, (count * (count + 1) / 2 - 1) / 2) }
  }
}
