import Blur
import Foundation

/// What a filter does to lines of 1000 samples that are continued half-sample-symmetrically: each result as a
/// weighted sum of the line's own samples.
struct LineMatrix: Sendable {
  static let count = 1000

  /// Results by samples, row after row.
  private var weights = [Double](repeating: 0, count: count * count)

  /// The matrix of a filter, by its answer to each unit impulse, eight at a time.
  init(_ filter: some AxisFilter) {
    let margin = filter.reach
    let length = Self.count + 2 * margin
    let inside = (-margin..<Self.count + margin).map { EdgeMode.reflect.index(of: $0, count: Self.count)! }
    let line = UnsafeMutablePointer<Lanes>.allocate(capacity: length)
    let scratch = UnsafeMutablePointer<Lanes>.allocate(capacity: filter.scratchCount(length) + 1)
    defer {
      line.deallocate()
      scratch.deallocate()
    }
    for first in stride(from: 0, to: Self.count, by: Lanes.scalarCount) {
      for (i, sample) in inside.enumerated() {
        // SAFETY: the line holds `length` lanes, of trivial type.
        line[i] = .zero
        if (first..<first + Lanes.scalarCount).contains(sample) { line[i][sample - first] = 1 }
      }
      filter.filter(line, length, scratch)
      for row in 0..<Self.count {
        for lane in 0..<Lanes.scalarCount {
          weights[row * Self.count + first + lane] = line[margin + row][lane]
        }
      }
    }
  }

  /// The matrix of the sampled Gaussian, cut at the smallest radius r with erfc(r/√2σ) ≤ tolerance/2 and
  /// divided by its sum.
  init(truncatedGaussian sigma: Double, tolerance: Double) {
    var radius = 0
    while erfc(Double(radius) / (2.0.squareRoot() * sigma)) > tolerance / 2 { radius += 1 }
    let samples = (-radius...radius).map { exp(-pow(Double($0) / sigma, 2) / 2) }
    let sum = samples.reduce(0, +)
    for row in 0..<Self.count {
      for (k, sample) in samples.enumerated() {
        let column = EdgeMode.reflect.index(of: row + k - radius, count: Self.count)!
        weights[row * Self.count + column] += sample / sum
      }
    }
  }

  /// The largest row sum of the differences' magnitudes.
  func distance(to other: LineMatrix) -> Double {
    let rows = (0..<Self.count).map { row in
      (row * Self.count..<(row + 1) * Self.count).reduce(0) { $0 + abs(weights[$1] - other.weights[$1]) }
    }
    return rows.max()!
  }
}
