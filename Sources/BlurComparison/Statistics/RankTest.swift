import BlurRecords
import BlurVerification
import Synchronization

/// A rank test of whether the times of the head are longer or shorter than the times of the base. It also
/// estimates the *shift*, which is the logarithm of the head's time divided by the base's time.
///
/// Paired samples are tested with Wilcoxon's signed-rank test. This test assumes that the values are
/// symmetric around their median, but not that they are normally distributed. As in Wilcoxon's paper, values
/// equal to the tested shift are left out.
///
/// Separate samples are tested with the rank-sum test of Wilcoxon, Mann and Whitney.
///
/// Probabilities are exact for up to 200 paired values, and for up to 60 separate values on both sides
/// together. Equal values (ties) share the mean of their ranks, and the exact probabilities take the ties
/// into account. For more values, the normal distribution with the same mean and variance is used.
///
/// Sources: Wilcoxon, "Individual Comparisons by Ranking Methods", 1945; Mann and Whitney, "On a Test of
/// Whether One of Two Random Variables Is Stochastically Larger than the Other", 1947; Hollander and Wolfe,
/// "Nonparametric Statistical Methods", 1999, chapters 3 and 4.
struct RankTest: Sendable {
  private let samples: LogTimes
  /// Estimates of the shift, in ascending order. For paired samples, they are the Walsh averages, which are
  /// the means of all pairs of ratios. For separate samples, they are all differences between a value of the
  /// head and a value of the base.
  private let shifts: [Double]

  /// Creates a test of the samples of one case. Values that are not finite are left out.
  init(_ samples: LogTimes) {
    self.samples = samples.finite
    switch self.samples {
    case .paired(let ratios): shifts = Self.walshAverages(ratios)
    case .separate(let base, let head):
      shifts = head.flatMap { value in base.map { value - $0 } }.sorted()
    }
  }

  /// Returns the one-sided p-value for the claim that the true shift is greater than `shift`. A small p-value
  /// is evidence for this claim. The p-value is 1 if one side has no values.
  func p(above shift: Double) -> Double {
    let (sum, null) = ranks(at: shift)
    return null.atLeast(sum)
  }

  /// Returns the one-sided p-value for the claim that the true shift is smaller than `shift`. See
  /// ``p(above:)``.
  func p(below shift: Double) -> Double {
    let (sum, null) = ranks(at: shift)
    return null.atMost(sum)
  }

  /// The estimated shift, which is the median of ``shifts``, or nil if one side has no values.
  ///
  /// Source: Hodges and Lehmann, "Estimates of Location Based on Rank Tests", 1963.
  var estimate: Double? { Statistics.median(shifts) }

  /// Returns a confidence interval, which contains the true shift with at least the given probability. It
  /// consists of all shifts that the two-sided test does not reject. The result is nil if there are too few
  /// values: with n pairs, for example, the probability can be at most 1 − 2^(1−n).
  ///
  /// Equal values (ties) and zeros are not taken into account here, which can only make the interval wider
  /// than necessary.
  ///
  /// - Parameter confidence: The probability, between 0 and 1.
  func interval(confidence: Double) -> ClosedRange<Double>? {
    let tail = (1 - confidence) / 2
    let end =
      switch samples {
      case .paired(let ratios): Self.intervalStart(pairs: ratios.count, tail: tail)
      case .separate(let base, let head):
        Self.intervalStart(
          .ofDrawing(head.count, from: RankDistribution.distinct(base.count + head.count)),
          least: head.count * (head.count + 1), among: shifts.count, tail: tail)
      }
    return end.map { shifts[$0]...shifts[shifts.count - 1 - $0] }
  }

  /// Returns the smallest slowdown that a repetition of this experiment would be likely to detect, as a
  /// shift. A slowdown is detected if the test proves that the true shift is larger than `margin`. The
  /// repetition is assumed to have the same number of pairs and the same spread. The result is nil if there
  /// are too few values, or if the samples are not paired.
  ///
  /// - Parameters:
  ///   - margin: The tolerance: the largest shift that does not count as a change.
  ///   - significance: The largest one-sided p-value that counts as a proof.
  ///   - power: The probability that the repetition detects the change.
  func detectable(beyond margin: Double, significance: Double, power: Double) -> Double? {
    guard case .paired(let ratios) = samples, let spread = Self.spread(of: ratios),
      let reach = Self.reach(pairs: ratios.count, significance: significance, power: power)
    else { return nil }
    return margin + reach * spread
  }

  /// Returns the standard deviation of the values, estimated from the median distance between two values, on
  /// the assumption that the values are normally distributed. Outliers hardly change this estimate. It is as
  /// robust as the median absolute deviation, and varies less if there are only ten values.
  ///
  /// Source: Shamos, "Geometry and Statistics: Problems at the Interface", 1976.
  private static func spread(of values: [Double]) -> Double? {
    let distances = values.indices.flatMap { i in values[..<i].map { abs($0 - values[i]) } }
    return Statistics.median(distances).map { $0 / (2.0.squareRoot() * Normal.quantile(0.75)) }
  }

  /// Returns the doubled rank sum on which the test is based. Also returns `null`, the distribution of this
  /// sum if the true shift is `shift`. For paired samples, the ratios are ranked by their distance from
  /// `shift`, and the sum is taken over the ratios above `shift`. For separate samples, `shift` is subtracted
  /// from the values of the head, both sides are ranked together, and the sum is taken over the head.
  private func ranks(at shift: Double) -> (sum: Int, null: RankDistribution) {
    guard !shifts.isEmpty else { return (0, .exact([1])) }
    switch samples {
    case .paired(let ratios):
      let differences = ratios.map { $0 - shift }.filter { $0 != 0 }
      let ranks = RankDistribution.doubledRanks(differences.map(abs))
      let sum = zip(differences, ranks).reduce(0) { $1.0 > 0 ? $0 + $1.1 : $0 }
      return (sum, .ofSigns(ranks))
    case .separate(let base, let head):
      let ranks = RankDistribution.doubledRanks(head.map { $0 - shift } + base)
      return (ranks.prefix(head.count).reduce(0, +), .ofDrawing(head.count, from: ranks))
    }
  }

  /// Returns the means of all pairs of values, including each value with itself, in ascending order.
  static func walshAverages(_ values: [Double]) -> [Double] {
    values.indices.flatMap { i in values[...i].map { $0 / 2 + values[i] / 2 } }.sorted()
  }

  /// Returns the position of the lower end of a confidence interval for the shift of paired samples, as an
  /// index into the sorted Walsh averages. The one-sided test at the significance level `tail` rejects every
  /// shift below this average. The result is nil if there are too few values.
  static func intervalStart(pairs count: Int, tail: Double) -> Int? {
    intervalStart(
      .ofSigns(RankDistribution.distinct(count)), least: 0, among: count * (count + 1) / 2, tail: tail)
  }

  /// Returns the position of the lower end of a confidence interval among `count` sorted estimates of the
  /// shift, or nil if there are too few values.
  ///
  /// - Parameters:
  ///   - null: The distribution of the doubled rank sum if all values are different.
  ///   - least: The smallest doubled rank sum.
  private static func intervalStart(
    _ null: RankDistribution, least: Int, among count: Int, tail: Double
  ) -> Int? {
    guard count > 0, let sum = null.largest(withTail: tail), sum >= least else { return nil }
    // If `tail` is more than one half, the lower end of a confidence interval would be above its upper end.
    // The function `min` prevents this.
    return min((sum - least) / 2, (count - 1) / 2)
  }
}

extension RankTest {
  /// Returns how far the true shift of paired samples must be from the tested shift for the test to detect
  /// the difference with the probability `power`. The distance is in standard deviations. The values are
  /// assumed to be normally distributed. Returns nil if `count` pairs are too few for the given significance
  /// level.
  ///
  /// For up to 50 pairs, the difference is found by simulating 2000 data sets. For more pairs, it is computed
  /// from two quantiles of the normal distribution. For few pairs and small significance levels, the
  /// result of this formula would be far too small, because the test then needs nearly all values to be above
  /// the tested shift.
  static func reach(pairs count: Int, significance: Double, power: Double) -> Double? {
    guard let start = intervalStart(pairs: count, tail: significance) else { return nil }
    guard count <= 50 else {
      let error = (.pi / (3 * Double(count))).squareRoot()
      return error * (Normal.quantile(power) - Normal.quantile(significance))
    }
    let key = SimulationKey(count: count, start: start, power: power)
    if let found = simulations.withLock({ $0[key] }) { return found }
    let reach = key.simulated()
    simulations.withLock { $0[key] = reach }
    return reach
  }

  /// The results of all simulations so far, so that no simulation runs twice.
  private static let simulations = Mutex<[SimulationKey: Double]>([:])
}

/// The parameters of a simulation of the signed-rank test: the number of pairs, the position of the lower end
/// of the confidence interval among the Walsh averages, and the power.
private struct SimulationKey: Hashable {
  let count: Int, start: Int
  let power: Double

  func simulated() -> Double? {
    var generator = SplitMix64(seed: UInt64(count))
    let bounds = (0..<2000).map { _ in
      let values = (0..<count).map { _ in Normal.draw(using: &generator) }
      return -RankTest.walshAverages(values)[start]
    }
    return Statistics.quantile(power, of: bounds)
  }
}
