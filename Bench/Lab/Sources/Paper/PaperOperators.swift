import Blur
import BlurVerification
import Foundation

/// The matrices with which an accuracy experiment is repeated: P. Getreuer, "A survey of Gaussian convolution
/// algorithms", 2013. The experiment filters lines of `paperCount` samples that are continued by reflection
/// (half-sample symmetry).
extension LineOperator {
  static let paperCount = 1000

  /// Creates the matrix of weights of a filter. To find the weights, the filter is applied to lines in which
  /// one sample is 1 and all others are 0. Eight such lines are filtered at once.
  init(_ filter: some AxisFilter) {
    let count = Self.paperCount
    var weights = [Double](repeating: 0, count: count * count)
    let margin = filter.radius
    let length = count + 2 * margin
    let inside = (-margin..<count + margin).compactMap { EdgeMode.reflect.index(of: $0, count: count) }
    let line = UnsafeMutablePointer<Lanes>.allocate(capacity: length)
    let scratch = UnsafeMutablePointer<Lanes>.allocate(capacity: filter.scratchCount(length) + 1)
    defer {
      line.deallocate()
      scratch.deallocate()
    }
    for first in stride(from: 0, to: count, by: Lanes.scalarCount) {
      for (i, sample) in inside.enumerated() {
        // SAFETY: `line` was allocated for `length` elements, and `i` stays below `length`. The elements are
        // vectors of numbers, so uninitialised memory can simply be assigned to.
        line[i] = .zero
        if (first..<first + Lanes.scalarCount).contains(sample) { line[i][sample - first] = 1 }
      }
      filter.filter(line, length, scratch)
      for row in 0..<count {
        for lane in 0..<Lanes.scalarCount {
          weights[row * count + first + lane] = line[margin + row][lane]
        }
      }
    }
    self.init(count: count, weights: weights)
  }

  /// Creates the matrix of the sampled Gaussian. The Gaussian is truncated at the smallest radius r with
  /// erfc(r/√2σ) ≤ tolerance/2, and its weights are divided by their sum.
  init(truncatedGaussian sigma: Double, tolerance: Double) {
    var radius = 0
    while erfc(Double(radius) / (2.0.squareRoot() * sigma)) > tolerance / 2 { radius += 1 }
    let samples = (-radius...radius).map { exp(-pow(Double($0) / sigma, 2) / 2) }
    let sum = samples.reduce(0, +)
    self.init(window: samples.map { $0 / sum }, edge: .reflect, count: Self.paperCount)
  }

  /// Returns the largest difference between the two matrices. For each row, the absolute differences of the
  /// weights are added up, and the largest of these sums is returned.
  func distance(to other: LineOperator) -> Double {
    (0..<count).map { distance($0, to: other) }.max() ?? 0
  }
}
