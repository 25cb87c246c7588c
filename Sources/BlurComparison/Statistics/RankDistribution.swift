import Foundation

/// The probability distribution of a sum of ranks if the tested hypothesis is true. The rank of a value is
/// its position among the sorted values.
///
/// Equal values share the mean of their ranks, which may be a fraction such as 2.5. All ranks are therefore
/// doubled, so that they are integers.
enum RankDistribution {
  /// The exact distribution. Element s of the array is the probability that the doubled rank sum is s.
  case exact([Double])
  /// A normal distribution with the mean and standard deviation of the exact distribution. It is used with a
  /// continuity correction.
  case normal(mean: Double, deviation: Double)

  /// The largest number of values for which the exact distribution is computed. `mostSigns` applies to the
  /// signed-rank test, and `mostDrawn` to the rank-sum test. For more values, a normal distribution is used
  /// instead.
  private static let mostSigns = 200, mostDrawn = 60

  /// Returns the doubled rank of each value, which is twice its position among the sorted values. Equal
  /// values share the mean of their ranks.
  static func doubledRanks(_ values: [Double]) -> [Int] {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var ranks = Array(repeating: 0, count: values.count)
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count && values[order[end]] == values[order[start]] { end += 1 }
      for index in order[start..<end] { ranks[index] = start + end + 1 }
      start = end
    }
    return ranks
  }

  /// Returns the doubled ranks of `count` values that are all different: 2, 4, 6 and so on.
  static func distinct(_ count: Int) -> [Int] { (0..<count).map { 2 * $0 + 2 } }

  /// Returns the distribution of the rank sum in the signed-rank test. Each of the given ranks is included in
  /// the sum with a probability of ½.
  static func ofSigns(_ ranks: [Int]) -> RankDistribution {
    guard ranks.count <= mostSigns else {
      let squares = ranks.reduce(0.0) { $0 + Double($1) * Double($1) }
      return .normal(mean: Double(ranks.reduce(0, +)) / 2, deviation: squares.squareRoot() / 2)
    }
    var probabilities = [1.0]
    for rank in ranks {
      let shifted = Array(repeating: 0, count: rank) + probabilities
      let kept = probabilities + Array(repeating: 0, count: rank)
      probabilities = zip(kept, shifted).map { ($0 + $1) / 2 }
    }
    return .exact(probabilities)
  }

  /// Returns the distribution of the rank sum in the rank-sum test. The sum is taken over `count` of the
  /// given ranks, and all possible choices of these ranks are equally likely.
  static func ofDrawing(_ count: Int, from ranks: [Int]) -> RankDistribution {
    let total = ranks.reduce(0, +)
    guard ranks.count <= mostDrawn else {
      let all = Double(ranks.count)
      let drawn = Double(count)
      let mean = Double(total) / all
      let squares = ranks.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
      let variance = drawn * (all - drawn) / (all * (all - 1)) * squares
      return .normal(mean: drawn * mean, deviation: variance.squareRoot())
    }
    // `ways[k][s]` is the number of ways to choose k ranks whose sum is s. Each iteration of the loop adds
    // one more rank that can be chosen.
    var ways = Array(repeating: Array(repeating: 0.0, count: total + 1), count: count + 1)
    ways[0][0] = 1
    for (seen, rank) in ranks.enumerated() {
      for chosen in stride(from: min(seen + 1, count), to: 0, by: -1) {
        for sum in rank..<total + 1 { ways[chosen][sum] += ways[chosen - 1][sum - rank] }
      }
    }
    let all = ways[count].reduce(0, +)
    return .exact(ways[count].map { $0 / all })
  }

  /// Returns the probability that the doubled rank sum is at least `sum`.
  func atLeast(_ sum: Int) -> Double {
    switch self {
    case .exact(let probabilities): min(1, probabilities[min(sum, probabilities.count)...].reduce(0, +))
    case .normal(let mean, let deviation): Normal.below((mean - Double(sum) + 1) / deviation)
    }
  }

  /// Returns the probability that the doubled rank sum is at most `sum`.
  func atMost(_ sum: Int) -> Double {
    switch self {
    case .exact(let probabilities): min(1, probabilities.prefix(sum + 1).reduce(0, +))
    case .normal(let mean, let deviation): Normal.below((Double(sum) + 1 - mean) / deviation)
    }
  }

  /// Returns the largest rank sum s such that the probability of a sum of s or less is at most `tail`.
  /// Returns nil if there is no such sum.
  func largest(withTail tail: Double) -> Int? {
    // A small tolerance is needed because of rounding errors. For example, (1 − 0.9)/2 is slightly less than
    // 0.05 in floating point.
    let tail = tail * (1 + 1e-12)
    guard atMost(0) <= tail else { return nil }
    switch self {
    case .exact(let probabilities):
      var sum = 0
      var below = probabilities[0]
      while sum + 1 < probabilities.count && below + probabilities[sum + 1] <= tail {
        sum += 1
        below += probabilities[sum]
      }
      return sum
    case .normal(let mean, let deviation):
      return Int((mean - 1 + deviation * Normal.quantile(tail)).rounded(.down))
    }
  }
}

/// The normal distribution with a mean of 0 and a standard deviation of 1.
enum Normal {
  /// Returns the probability that a number with the standard normal distribution is below `z`.
  static func below(_ z: Double) -> Double { erfc(-z / 2.0.squareRoot()) / 2 }

  /// Finds, by bisection, the number z such that a normally distributed number is below z with the
  /// probability `share`.
  ///
  /// - Parameter share: A fraction greater than 0 and less than 1.
  static func quantile(_ share: Double) -> Double {
    var low = -40.0
    var high = 40.0
    for _ in 0..<100 {
      let middle = (low + high) / 2
      if below(middle) < share { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// Returns a normally distributed random number with mean 0 and standard deviation 1 (Box and Muller, "A
  /// Note on the Generation of Random Normal Deviates", 1958).
  static func draw(using generator: inout some RandomNumberGenerator) -> Double {
    // The random number can be 0, and the logarithm of 0 is −∞. One minus the random number is always
    // positive.
    let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
  }
}
