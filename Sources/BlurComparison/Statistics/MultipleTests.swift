import Foundation

/// Corrections for many tests at once, some of which have small p-values by chance.
enum MultipleTests {
  /// Returns p-values that are adjusted for the number of tests. For example, if all tests with an adjusted
  /// p-value of at most 0.05 count as discoveries, at most 5 % of these discoveries are expected to be false.
  ///
  /// Source: Y. Benjamini and Y. Hochberg, "Controlling the False Discovery Rate", 1995. The method is valid
  /// for independent tests, and for tests whose errors tend to occur together.
  ///
  /// - Parameter values: The p-values, from 0 to 1.
  /// - Returns: The adjusted value for each p-value, in the same order. An adjusted value is never smaller
  ///   than its p-value.
  static func benjaminiHochberg(_ values: [Double]) -> [Double] {
    var adjusted = values
    var least = 1.0
    for (rank, index) in values.indices.sorted(by: { values[$0] < values[$1] }).enumerated().reversed() {
      least = min(least, values[index] * Double(values.count) / Double(rank + 1))
      adjusted[index] = least
    }
    return adjusted
  }

  /// Returns how many pairs of measurements per case are needed to prove a change, even if only one of many
  /// cases has changed. With n pairs, the smallest possible p-value of a two-sided signed-rank test is
  /// 2^(1−n). This value must be at most q/m, where m is the number of cases and q is the allowed rate. The
  /// number of pairs is therefore 1 + ⌈log₂(m/q)⌉.
  ///
  /// - Parameters:
  ///   - cases: The number of cases that are tested. Values below 1 count as 1.
  ///   - rate: The allowed fraction of false discoveries, greater than 0 and at most 1.
  static func pairsNeeded(cases: Int, rate: Double) -> Int {
    1 + Int(log2(Double(max(1, cases)) / min(1, max(rate, .leastNormalMagnitude))).rounded(.up))
  }

  /// Returns how many processes per side are needed to prove a change if the sides were measured in different
  /// runs, even if only one of many cases has changed. With n processes per side, the smallest possible
  /// p-value of a two-sided rank-sum test is 2 divided by the binomial coefficient 2n over n. This value must
  /// be at most q/m, as in ``pairsNeeded(cases:rate:)``.
  static func processesNeeded(cases: Int, rate: Double) -> Int {
    let limit = log(rate / Double(max(1, cases)))
    return (1...).first { count in
      let n = Double(count)
      return log(2) + 2 * lgamma(n + 1) - lgamma(2 * n + 1) <= limit
    } ?? 1
  }
}
