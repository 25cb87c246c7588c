import Foundation

/// Many tests at once: what remains of their p-values when some must be small by chance.
public enum MultipleTests {
  /// The p-values adjusted so that, of the tests with at most q, no more than a share q is expected to be
  /// false.
  ///
  /// Benjamini and Hochberg, "Controlling the False Discovery Rate", 1995. It holds for independent tests and
  /// for such that tend to err together.
  ///
  /// - Parameter values: from 0 to 1.
  /// - Returns: one for each, in the same order, never smaller than the value itself.
  public static func benjaminiHochberg(_ values: [Double]) -> [Double] {
    var adjusted = values
    var least = 1.0
    for (rank, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated().reversed() {
      least = min(least, values[index] * Double(values.count) / Double(rank + 1))
      adjusted[index] = least
    }
    return adjusted
  }

  /// How many pairs a two-sided signed-rank test needs to find one change among many cases at all:
  /// 1 + ⌈log₂(m/q)⌉, because its smallest p is 2^(1−n).
  ///
  /// - Parameters:
  ///   - cases: how many are tested, m; fewer than 1 count as 1.
  ///   - rate: the share of false discoveries that is allowed, q: more than 0, up to 1.
  public static func pairsNeeded(cases: Int, rate: Double) -> Int {
    1 + Int(log2(Double(max(1, cases)) / min(1, max(rate, .leastNormalMagnitude))).rounded(.up))
  }
}
