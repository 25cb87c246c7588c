import BlurRecords
import BlurVerification

/// A lasting change (a step) in a short series of values, such as the logarithms of the times that a case
/// took on many dates.
///
/// The algorithm is called E-divisive. It splits the series where the values before and after the split
/// differ most, as measured by the energy distance. Then it rearranges the values in many ways, and counts
/// how often the clearest split of the rearranged values is at least as clear as the split of the series. If
/// this is rare, the split is a step, and the algorithm continues in both parts.
///
/// A single outlier is not mistaken for a step, but it can hide a step among few values. Without outliers, a
/// step of three standard deviations is found 9 times in 10 if it is in the middle of 12 values, or after two
/// thirds of 20 values.
///
/// Source: Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
/// Data", 2014.
public struct ChangePoint: Codable, Equatable, Sendable {
  /// The index of the first value after the step.
  public let index: Int
  /// The p-value of the step: the probability that the same values in random order have a step that is at
  /// least as clear. After a step has split the series in two, further steps in the two parts never have a
  /// smaller p-value than this step.
  public let p: Double
  /// The size of the step: the median of the values from this step to the next one, minus the median of the
  /// values from the previous step to this one.
  public let shift: Double

  /// The smallest number of values between two steps, or between a step and an end of the series.
  public static let smallestSegment = 3

  /// The length of the shortest series that can have a significant step, at the significance level 0.05. In a
  /// series of 7 values, even the clearest step has a p-value of 2 · 3! · 4! / 7! = 0.057.
  public static let smallestCount = 8

  /// Returns the steps of a series, in order.
  ///
  /// - Parameters:
  ///   - values: The values of the series. If one of them is not finite, no steps are found.
  ///   - significance: The largest p-value for which a split counts as a step. It is also the probability of
  ///     finding a step in pure noise.
  ///   - permutations: The number of random orders to try if there are more than 8 values. The smallest
  ///     possible p-value is then 1/(permutations + 1). For 8 values, all orders are tried.
  public static func steps(
    in values: [Double], significance: Double = 0.05, permutations: Int = 1999
  ) -> [ChangePoint] {
    guard values.allSatisfy(\.isFinite) else { return [] }
    let splits = splits(of: values[...], ledBy: 0, significance, permutations)
    let bounds = [0] + splits.map(\.index) + [values.count]
    return splits.enumerated().map { place, split in
      let before = Statistics.median(Array(values[bounds[place]..<split.index]))
      let after = Statistics.median(Array(values[split.index..<bounds[place + 2]]))
      return ChangePoint(index: split.index, p: split.p, shift: (after ?? 0) - (before ?? 0))
    }
  }

  private typealias Split = (index: Int, p: Double)

  /// Splits a section of the series in two if the values of the two parts differ significantly, and then
  /// splits both parts in the same way. Returns all splits.
  ///
  /// - Parameter p: The p-value of the split that created this section. No split within the section gets a
  ///   smaller p-value.
  private static func splits(
    of values: ArraySlice<Double>, ledBy p: Double, _ significance: Double, _ permutations: Int
  ) -> [Split] {
    guard values.count >= smallestCount else { return [] }
    var energy = EnergySplit(Array(values))
    let best = energy.best(Array(0..<values.count))
    let p = max(p, energy.p(of: best.divergence, permutations: permutations))
    guard p <= significance else { return [] }
    let index = values.startIndex + best.index
    return splits(of: values[..<index], ledBy: p, significance, permutations) + [(index, p)]
      + splits(of: values[index...], ledBy: p, significance, permutations)
  }
}

/// Finds the clearest split of a series: the position at which the values before and after it differ most, as
/// measured by the energy distance. It can also find the clearest split of the same values in a different
/// order.
struct EnergySplit {
  private let count: Int
  /// The distances between all pairs of values, as a square matrix that is stored row by row.
  private let distances: [Double]
  /// A summed-area table of the distances in the current order. The element in row i and column j is the sum
  /// of all distances between one of the first i values and one of the first j values.
  private var sums: [Double]

  init(_ values: [Double]) {
    count = values.count
    distances = values.flatMap { value in values.map { abs($0 - value) } }
    sums = Array(repeating: 0, count: (values.count + 1) * (values.count + 1))
  }

  /// Returns the clearest split of the values in the given order, and the split's divergence, which measures
  /// how clear the split is. The values before the split are compared with the values between the split and
  /// an end position. All possible end positions are tried, because a second, later step could otherwise hide
  /// the first one (Matteson and James, 2014).
  mutating func best(_ order: [Int]) -> (index: Int, divergence: Double) {
    sum(order)
    let smallest = ChangePoint.smallestSegment
    let row = count + 1
    var best = (index: 0, divergence: -Double.infinity)
    for index in smallest...count - smallest {
      let before = Double(index)
      let within = sums[index * row + index]
      for end in index + smallest...count {
        let after = Double(end - index)
        let across = sums[index * row + end] - within
        let beyond = sums[end * row + end] - within - 2 * across
        // The mean distance within each part is a sum of distances divided by their number. `within` is the
        // sum of the distances between the values before the split, and `beyond` is the sum for the values
        // after it. Both sums count each pair of values twice, so for n values, the number of distances is n
        // (n − 1).
        let distance =
          2 * across / (before * after) - within / (before * (before - 1)) - beyond / (after * (after - 1))
        let divergence = before * after / (before + after) * distance
        if divergence > best.divergence { best = (index, divergence) }
      }
    }
    return best
  }

  /// Returns the p-value of a split: the probability that the same values, put in random order, have a split
  /// whose divergence is at least as large. For up to 8 values, all orders are tried. For more values, random
  /// orders are tried.
  ///
  /// The random trials stop early once 20 orders have such a split. The p-value remains valid (Besag and
  /// Clifford, "Sequential Monte Carlo p-values", 1991).
  mutating func p(of divergence: Double, permutations: Int) -> Double {
    // The largest divergence of shuffled values may be mathematically equal to `divergence`, but slightly
    // smaller because of rounding errors, as its terms are added in a different order. The bound is slightly
    // below `divergence`, so that such a shuffle still counts.
    let bound = divergence - 1e-9 * abs(divergence)
    var order = Array(0..<count)
    var reached = 0
    var tried = 0
    if count <= 8 {
      Self.forEachOrder(&order, count) { order in
        tried += 1
        if best(order).divergence >= bound { reached += 1 }
      }
      return Double(reached) / Double(tried)
    }
    var generator = SplitMix64(seed: UInt64(count))
    while tried < permutations {
      order.shuffle(using: &generator)
      tried += 1
      if best(order).divergence >= bound { reached += 1 }
      if reached == 20 { return Double(reached) / Double(tried) }
    }
    return Double(reached + 1) / Double(tried + 1)
  }

  private mutating func sum(_ order: [Int]) {
    let row = count + 1
    for (i, first) in order.enumerated() {
      var sum = 0.0
      for (j, second) in order.enumerated() {
        sum += distances[first * count + second]
        sums[(i + 1) * row + j + 1] = sums[i * row + j + 1] + sum
      }
    }
  }

  /// Calls `visit` with every order of the first `length` items (Heap, "Permutations by Interchanges", 1963).
  private static func forEachOrder(_ order: inout [Int], _ length: Int, _ visit: ([Int]) -> Void) {
    guard length > 1 else { return visit(order) }
    for i in 0..<length - 1 {
      forEachOrder(&order, length - 1, visit)
      order.swapAt(length % 2 == 0 ? i : 0, length - 1)
    }
    forEachOrder(&order, length - 1, visit)
  }
}
