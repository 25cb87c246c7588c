import BlurRecords

/// Wilcoxon's signed-rank test for paired data, such as the logarithms of ratios of times. It tests whether
/// the data lie around a given value, and estimates where they lie.
///
/// The test assumes that the data are symmetric around their median, but not that they are normal.
/// Probabilities are exact for up to 200 values. Equal distances from the tested value (ties) share the mean
/// of their ranks, and the exact probabilities take the ties into account. For more values, the normal
/// distribution with the same mean and variance is used. Values equal to the tested one are dropped, as
/// Wilcoxon did.
///
/// Wilcoxon, "Individual Comparisons by Ranking Methods", 1945; Hollander and Wolfe, "Nonparametric
/// Statistical Methods", 1999, chapter 3.
public struct SignedRank: Sendable {
  private let values: [Double]
  private let averages: [Double]

  /// Creates a test of values such as the differences between the two measurements of each pair. Values that
  /// are not finite are left out.
  public init(_ values: [Double]) {
    self.values = values.filter(\.isFinite)
    averages = Self.walshAverages(self.values)
  }

  /// The number of values that the test uses.
  public var count: Int { values.count }

  /// Tests whether the median of the values is larger than `shift`. Returns the one-sided p-value, which is
  /// small if this is so. The tested hypothesis is that the median is at most `shift`.
  public func p(above shift: Double) -> Double {
    let (sum, null) = signedRanks(at: shift)
    return null.atLeast(sum)
  }

  /// Tests whether the median of the values is smaller than `shift`. Returns the one-sided p-value, which is
  /// small if this is so. The tested hypothesis is that the median is at least `shift`.
  public func p(below shift: Double) -> Double {
    let (sum, null) = signedRanks(at: shift)
    return null.atMost(sum)
  }

  /// Tests whether the median of the values differs from `shift`. Returns the two-sided p-value, which is
  /// small if this is so.
  public func twoSided(at shift: Double) -> Double {
    let (sum, null) = signedRanks(at: shift)
    return min(1, 2 * min(null.atLeast(sum), null.atMost(sum)))
  }

  /// The estimated centre of the values. The mean of every two values is computed, including the mean of each
  /// value with itself, and the estimate is the median of these means. It is nil if there are no values.
  ///
  /// Hodges and Lehmann, "Estimates of Location Based on Rank Tests", 1963.
  public var estimate: Double? { Statistics.median(averages) }

  /// Returns a confidence interval for the median of the values. It contains the true median with at least
  /// the given probability. It consists of all medians that the two-sided test does not reject. The result is
  /// nil if there are too few values: n values allow a probability of at most 1 − 2^(1−n).
  ///
  /// Equal values (ties) and zeros are not taken into account here, which can only make the interval wider
  /// than necessary.
  ///
  /// - Parameter confidence: The probability, between 0 and 1.
  public func interval(confidence: Double) -> ClosedRange<Double>? {
    guard let rank = Self.rank(count, tail: (1 - confidence) / 2) else { return nil }
    return averages[rank]...averages[averages.count - 1 - rank]
  }

  /// Returns the smallest change that a repetition of this experiment would be likely to detect. The change
  /// is expressed as the median of the values, and it counts as detected if the test proves that the median
  /// is larger than `margin`. The repetition is assumed to have the same number of values and the same
  /// spread. The result is nil if there are too few values.
  ///
  /// - Parameters:
  ///   - margin: The tolerance: the largest median that does not count as a change, in the unit of the
  ///     values.
  ///   - significance: The largest one-sided p-value that counts as a proof.
  ///   - power: The probability with which the repetition detects the change.
  public func detectable(beyond margin: Double, significance: Double, power: Double) -> Double? {
    guard let spread, let reach = SignedRankReach.of(count, significance: significance, power: power) else {
      return nil
    }
    return margin + reach * spread
  }

  /// The standard deviation of the data, estimated from the median distance between two values, on the
  /// assumption that the data are normally distributed. Outliers hardly change this estimate. It is as robust
  /// as the median absolute deviation, and it varies less if there are only ten values.
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

  /// Returns the means of all pairs of values, including each value with itself, in ascending order.
  static func walshAverages(_ values: [Double]) -> [Double] {
    values.indices.flatMap { i in values[...i].map { $0 / 2 + values[i] / 2 } }.sorted()
  }

  /// Returns the position of the lower end of a confidence interval for the median. The position is an index
  /// into the sorted Walsh averages, which are the means of every two values. The one-sided test at the
  /// significance level `tail` rejects every median below this average. The result is nil if there are too
  /// few values.
  static func rank(_ count: Int, tail: Double) -> Int? {
    guard count > 0 else { return nil }
    let rank = RankDistribution.ofSigns(RankDistribution.distinct(count)).largest(withTail: tail)
    // If `tail` is more than one half, the lower end of a confidence interval would lie above its upper end.
    // The function `min` prevents this, and changes nothing otherwise.
    return rank.map { min($0 / 2, (count * (count + 1) / 2 - 1) / 2) }
  }
}
