import BlurRecords
import BlurVerification
import Synchronization

/// The distance by which normal data must lie beyond a value so that the signed-rank test shows it.
enum SignedRankReach {
  /// Returns the smallest distance, in standard deviations, that the test detects with the probability
  /// `power` if there are `count` values. The result is nil if there are too few values for the significance.
  ///
  /// The test shows a shift if the Walsh average at the critical rank is above the tested value. For up to 50
  /// values, the distance is found by simulating 2000 data sets. For more values, it is the usual sum of two
  /// normal quantiles. That sum would be far too small for few values and small significances, where nearly
  /// every value must lie beyond the tested one.
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
