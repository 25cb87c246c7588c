import Blur

/// A linear operator on lines of `count` samples, as a matrix: row i holds the weight of each input in output
/// i.
struct LineOperator: Sendable {
  let count: Int
  private(set) var weights: [Double]

  /// Takes the rows of a matrix, one after the other.
  init(count: Int, weights: [Double]) {
    self.count = count
    self.weights = weights
  }

  /// What a definition makes of a line that its edge mode continues.
  init(_ definition: Truth.Definition, sigma: Double, edge: EdgeMode, count: Int) {
    self.init(window: definition.weights(sigma), edge: edge, count: count)
  }

  /// The weighted sum over a window, an odd number of weights, of a line that an edge mode continues. The
  /// constant is no input.
  init(window: [Double], edge: EdgeMode, count: Int) {
    self.init(count: count, weights: [Double](repeating: 0, count: count * count))
    let line = ReferenceLine(window: window, count: count, edge: edge)
    for i in 0..<count {
      for (input, weight) in line.terms(of: i).inside { weights[i * count + input] = weight }
    }
  }

  /// The weights of all inputs in output `i`.
  func row(_ i: Int) -> ArraySlice<Double> { weights[i * count..<(i + 1) * count] }

  /// The weight of input `k` in output `i`.
  subscript(i: Int, k: Int) -> Double { weights[i * count + k] }

  /// The outputs for a line.
  func applied(to line: [Double]) -> [Double] {
    (0..<count).map { i in zip(row(i), line).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  /// Σ|e| of output `i`, with e the differences from another operator's weights.
  func distance(_ i: Int, to other: LineOperator) -> Double {
    zip(row(i), other.row(i)).reduce(0) { $0 + abs($1.0 - $1.1) }
  }

  /// What outputs `i` and `j` have different, laid over each other: half the sum of absolute differences.
  ///
  /// Inputs that only one of them has, beyond the line's ends, do not count.
  func difference(_ i: Int, _ j: Int) -> Double {
    let shift = j - i
    let common = max(0, -shift)..<min(count, count - shift)
    return common.reduce(0) { $0 + abs(self[i, $1] - self[j, $1 + shift]) } / 2
  }

  /// Half the sum of absolute differences between output `i` and its mirror image.
  func asymmetry(_ i: Int) -> Double {
    let radius = min(i, count - 1 - i)
    return (0...radius).reduce(0) { $0 + abs(self[i, i + $1] - self[i, i - $1]) }
  }

  /// The sum of the weights of output `i`.
  func sum(_ i: Int) -> Double { row(i).reduce(0, +) }

  /// The mean and the variance of the distances from output `i` to its inputs, by weight.
  func moments(_ i: Int) -> (mean: Double, variance: Double) {
    let sum = sum(i)
    let mean = (0..<count).reduce(0) { $0 + self[i, $1] * Double($1 - i) } / sum
    let square = (0..<count).reduce(0) { $0 + self[i, $1] * Double($1 - i) * Double($1 - i) } / sum
    return (mean, square - mean * mean)
  }

  /// The usual size of rounding in the weights of output `i`: of those that are 0 in `reference`.
  func noise(_ i: Int, outside reference: LineOperator) -> Double {
    let far = (0..<count).lazy.filter { reference[i, $0] == 0 }.map { abs(self[i, $0]) }.sorted()
    // The median of the magnitudes of a normal distribution is 0.6745 of its deviation.
    return far.isEmpty ? 0 : far[far.count / 2] / 0.6745
  }

  /// The operator without the weights that are 0 in `reference` and cannot be told from rounding: those below
  /// five times the noise of their output, or below `least`.
  func cleaned(of noise: [Double], least: Double, outside reference: LineOperator) -> LineOperator {
    var cleaned = self
    for i in 0..<count {
      let threshold = max(5 * noise[i], least)
      for k in 0..<count where reference[i, k] == 0 && abs(self[i, k]) < threshold {
        cleaned.weights[i * count + k] = 0
      }
    }
    return cleaned
  }
}
