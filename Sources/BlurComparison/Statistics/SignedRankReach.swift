import BlurRecords
import BlurVerification
import Synchronization

/// How far normal data must lie beyond a value for the signed-rank test to show it.
enum SignedRankReach {
  /// The distance in standard deviations that `count` values show with probability `power`; nil where there
  /// are too few values for the significance.
  ///
  /// The test shows a shift when the Walsh average of the critical rank is above the tested value. For up to
  /// 50 values this counts 2000 simulated sets. The usual sum of two normal quantiles comes out far too small
  /// for few values and small significances, where nearly every value must lie beyond; above 50 values it is
  /// used.
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
