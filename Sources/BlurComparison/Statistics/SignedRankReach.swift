import BlurRecords
import BlurVerification
import Synchronization

/// Computes how sensitive the signed-rank test is. For normally distributed data, it computes how far the
/// median must exceed the tested value before the test is likely to notice.
enum SignedRankReach {
  /// Returns how far the true median must be from the tested value so that the test detects the difference
  /// with the probability `power`. The distance is in standard deviations. The result is nil if `count`
  /// values are too few for the given significance level.
  ///
  /// For up to 50 values, the distance is found by simulating 2000 data sets. For more values, it is computed
  /// with a formula from two quantiles of the normal distribution. The formula cannot be used for few values
  /// and small significance levels, because its result is then far too small: the test needs nearly all
  /// values to be above the tested value.
  static func of(_ count: Int, significance: Double, power: Double) -> Double? {
    guard let rank = SignedRank.rank(count, tail: significance) else { return nil }
    guard count <= 50 else {
      let error = (.pi / (3 * Double(count))).squareRoot()
      return error * (Normal.quantile(power) - Normal.quantile(significance))
    }
    let key = Key(count: count, rank: rank, power: power)
    if let found = known.withLock({ $0[key] }) { return found }
    let reach = simulated(key)
    known.withLock { $0[key] = reach }
    return reach
  }

  private struct Key: Hashable {
    let count: Int, rank: Int
    let power: Double
  }

  private static let known = Mutex<[Key: Double]>([:])

  private static func simulated(_ key: Key) -> Double? {
    var generator = SplitMix64(seed: UInt64(key.count))
    let bounds = (0..<2000).map { _ in
      let values = (0..<key.count).map { _ in Normal.draw(using: &generator) }
      return -SignedRank.walshAverages(values)[key.rank]
    }
    return Statistics.quantile(key.power, of: bounds)
  }
}
