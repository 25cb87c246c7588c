import Foundation

/// Corrections for many tests at once, some of which have small p-values by chance.
public enum MultipleTests {
  /// Returns adjusted p-values. Among the tests with an adjusted value of at most q, the expected fraction of
  /// false discoveries is at most q.
  ///
  /// Benjamini and Hochberg, "Controlling the False Discovery Rate", 1995. The method is valid for
  /// independent tests, and for tests whose errors tend to occur together.
  ///
  /// - Parameter values: The p-values, from 0 to 1.
  /// - Returns: The adjusted value for each p-value, in the same order. None is smaller than the p-value
  ///   itself.
  public static func benjaminiHochberg(_ values: [Double]) -> [Double] {
    var adjusted = values
    var least = 1.0
    for (rank, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated().reversed() {
      least = min(least, values[index] * Double(values.count) / Double(rank + 1))
      adjusted[index] = least
    }
    return adjusted
  }

  /// Returns the smallest number of pairs with which a two-sided signed-rank test can find a change in a
  /// single one of many cases. The number is 1 + ⌈log₂(m/q)⌉, because the smallest possible p-value of n
  /// pairs is 2^(1−n).
  ///
  /// - Parameters:
  ///   - cases: The number m of cases that are tested. Values below 1 count as 1.
  ///   - rate: The allowed fraction q of false discoveries, greater than 0 and at most 1.
  public static func pairsNeeded(cases: Int, rate: Double) -> Int {
    1 + Int(log2(Double(max(1, cases)) / min(1, max(rate, .leastNormalMagnitude))).rounded(.up))
  }
}
