import BlurRecords
import BlurVerification
import Synchronization

/// Computes how sensitive the signed-rank test is: how far the median of normally distributed data must
/// exceed the tested value before the test is likely to detect the difference.
enum SignedRankReach {
  /// Returns the smallest difference between the true median and the tested value that the test detects with
  /// the probability `power`, in standard deviations. The test uses `count` values and the significance level
  /// `significance`. The result is nil if `count` is too small for this level.
  ///
  /// The test detects a difference if a certain Walsh average (a mean of two values) is above the tested
  /// value. For up to 50 values, the smallest difference is found by simulating 2000 data sets. For more
  /// values, it is the usual sum of two normal quantiles. For few values and small significance levels this
  /// sum would be far too small, because nearly all values must then be above the tested value.
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
