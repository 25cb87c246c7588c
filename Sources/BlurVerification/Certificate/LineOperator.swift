import Blur

/// A linear filter for lines of `count` pixels, stored as a matrix. Output pixel i is a weighted sum of the
/// input pixels, and row i of the matrix holds their weights.
package struct LineOperator: Sendable {
  /// The number of pixels in a line.
  package let count: Int
  private(set) var weights: [Double]

  /// Creates an operator from the rows of its matrix, stored one after the other.
  package init(count: Int, weights: [Double]) {
    self.count = count
    self.weights = weights
  }

  /// Creates the operator that blurs a line of `count` pixels exactly as `definition` specifies. The edge
  /// mode says how the line continues beyond its ends.
  init(_ definition: Truth.Definition, sigma: Double, edge: EdgeMode, count: Int) {
    self.init(window: definition.weights(sigma), edge: edge, count: count)
  }

  /// Creates the operator that computes a weighted sum over a window at each position of a line. The number
  /// of weights must be odd. The edge mode says how the line continues beyond its ends. The colour of edge
  /// mode `constant` counts as black.
  package init(window: [Double], edge: EdgeMode, count: Int) {
    self.init(count: count, weights: [Double](repeating: 0, count: count * count))
    let line = ReferenceLine(window: window, count: count, edge: edge)
    for i in 0..<count {
      for (input, weight) in line.terms(of: i).inside { weights[i * count + input] = weight }
    }
  }

  /// Returns the weights that output `i` gives to the inputs.
  func row(_ i: Int) -> ArraySlice<Double> { weights[i * count..<(i + 1) * count] }

  /// The weight of input `k` in output `i`.
  subscript(i: Int, k: Int) -> Double { weights[i * count + k] }

  /// Returns the result of the operator for a line of input samples. Each output is a weighted sum of the
  /// inputs.
  func applied(to line: [Double]) -> [Double] {
    (0..<count).map { i in zip(row(i), line).reduce(0) { $0 + $1.0 * $1.1 } }
  }

  /// Returns how much the weights of output `i` differ between this operator and `other`: the sum of the
  /// absolute differences.
  package func distance(_ i: Int, to other: LineOperator) -> Double {
    zip(row(i), other.row(i)).reduce(0) { $0 + abs($1.0 - $1.1) }
  }

  /// Returns how much the weights of output `i` differ from the weights of output `j`: half the sum of the
  /// absolute differences.
  ///
  /// Two weights are compared if their inputs are at the same position relative to their outputs: for each d,
  /// the weight of input `i + d` is compared with the weight of input `j + d`. If one of these inputs would
  /// lie beyond an end of the line, this d is left out.
  func difference(_ i: Int, _ j: Int) -> Double {
    let shift = j - i
    let common = max(0, -shift)..<min(count, count - shift)
    return common.reduce(0) { $0 + abs(self[i, $1] - self[j, $1 + shift]) } / 2
  }

  /// Returns how asymmetric the weights of output `i` are: half the sum of the absolute differences between
  /// these weights and the same weights mirrored at pixel `i`.
  func asymmetry(_ i: Int) -> Double {
    let radius = min(i, count - 1 - i)
    return (0...radius).reduce(0) { $0 + abs(self[i, i + $1] - self[i, i - $1]) }
  }

  /// Returns the sum of the weights of output `i`.
  func sum(_ i: Int) -> Double { row(i).reduce(0, +) }

  /// Returns the weighted mean and variance of the distances from output `i` to its inputs.
  func moments(_ i: Int) -> (mean: Double, variance: Double) {
    let sum = sum(i)
    let mean = (0..<count).reduce(0) { $0 + self[i, $1] * Double($1 - i) } / sum
    let square = (0..<count).reduce(0) { $0 + self[i, $1] * Double($1 - i) * Double($1 - i) } / sum
    return (mean, square - mean * mean)
  }

  /// Returns the typical rounding noise in the measured weights of output `i`. Where `reference` has a weight
  /// of exactly 0, the measured weight should be 0 too, so its magnitude shows how large the noise is.
  func noise(_ i: Int, outside reference: LineOperator) -> Double {
    let far = (0..<count).lazy.filter { reference[i, $0] == 0 }.map { abs(self[i, $0]) }.sorted()
    // The median of the magnitudes estimates the standard deviation of the noise and is hardly influenced by
    // outliers. For normally distributed noise, this median is 0.6745 standard deviations.
    return far.isEmpty ? 0 : far[far.count / 2] / 0.6745
  }

  /// Returns a copy of the operator in which small weights that are probably only noise are set to 0. Only
  /// weights that are 0 in `reference` can be noise. Such a weight is set to 0 if its magnitude is below
  /// `least`, or below five times the noise of its output.
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
