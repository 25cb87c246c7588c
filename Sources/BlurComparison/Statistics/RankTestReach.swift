import BlurRecords
import BlurVerification
import Synchronization

extension RankTest {
  /// Returns how far the true shift of paired samples must be from the tested shift so that the test detects
  /// the difference with the probability `power`. The distance is in standard deviations of normally
  /// distributed values. The result is nil if `count` pairs are too few for the given significance level.
  ///
  /// For up to 50 pairs, the distance is found by simulating 2000 data sets. For more pairs, it is computed
  /// with a formula from two quantiles of the normal distribution. The formula cannot be used for few pairs
  /// and small significance levels, because its result is then far too small: the test needs nearly all
  /// values to be above the tested shift.
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

  /// The simulated distances, which are computed only once.
  private static let simulations = Mutex<[SimulationKey: Double]>([:])
}

/// A simulation of the signed-rank test: the number of pairs, the position of the lower end of the confidence
/// interval among the Walsh averages, and the power.
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
