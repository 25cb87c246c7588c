import Blur
import BlurText
import BlurVerification
import Foundation

/// The accuracy experiment of P. Getreuer, "A survey of Gaussian convolution algorithms", Image Processing On
/// Line 3 (2013), repeated with the filters of this library's own kernels.
///
/// Each algorithm is applied to lines of 1000 samples, which are continued beyond their ends by reflection
/// (half-sample symmetry). The weights with which an algorithm computes all samples of such a line form a
/// matrix h̃. The weights of the sampled Gaussian, truncated with a tolerance of 10⁻¹⁵, form a matrix h. For
/// each row, the absolute values of h̃ − h are added up. The table lists the largest of these sums, which is
/// the largest possible error for samples between −1 and 1. Deriche's weights come from the paper and are
/// not divided by their sum.
struct GetreuerTable {
  /// The standard deviations, in pixels, that Getreuer's paper examines.
  static let sigmas: [Double] = [1, 2, 5, 10, 20, 50]

  /// The names of the algorithms, in the same order as in Getreuer's paper.
  let algorithms: [String]
  /// For each standard deviation in pixels, the largest error of each algorithm for samples between −1 and 1.
  /// The keys are the names of the algorithms.
  let rows: [(sigma: Double, errors: [String: Double])]

  /// Computes the errors of all algorithms for the given standard deviations.
  init(sigmas: [Double] = Self.sigmas) {
    let columns = Algorithm.all
    algorithms = columns.map(\.name)
    rows = concurrentMap(sigmas) { sigma in
      let exact = LineOperator(truncatedGaussian: sigma, tolerance: 1e-15)
      let errors = columns.map { ($0.name, $0.matrix(sigma).distance(to: exact)) }
      return (sigma: sigma, errors: Dictionary(uniqueKeysWithValues: errors))
    }
  }

  /// The table as text, with a line for each algorithm and a column for each sigma.
  var text: String {
    let sigmas = rows.map { row in
      Column<String>("σ = \(row.sigma.short)", .right) { String(format: "%.4e", row.errors[$0] ?? .nan) }
    }
    let table = Table([Column<String>("largest error (row sum of |h̃ − h|)") { $0 }] + sigmas)
    return "Getreuer 2013, N = 1000, half-sample-symmetric\n\n" + table.text(algorithms) + "\n"
  }

  /// A CSV table with a header line and a line for each combination of algorithm and sigma.
  var csv: String {
    Table<(name: String, sigma: Double, error: Double)>([
      Column("algorithm") { $0.name }, Column("sigma") { $0.sigma.short }, Column("max_row_sum") { $0.error },
    ]).csv(
      algorithms.flatMap { name in
        rows.map { (name: name, sigma: $0.sigma, error: $0.errors[name] ?? Double.nan) }
      })
  }
}

/// One of the compared algorithms, which is a row of the printed results.
private struct Algorithm: Sendable {
  let name: String
  let matrix: @Sendable (_ sigma: Double) -> LineOperator

  init(_ name: String, _ filter: @escaping @Sendable (Double) -> any AxisFilter) {
    self.name = name
    matrix = { LineOperator(filter($0)) }
  }

  init(truncated name: String, tolerance: Double) {
    self.name = name
    matrix = { LineOperator(truncatedGaussian: $0, tolerance: tolerance) }
  }

  static let all =
    [Algorithm(truncated: "FIR, tolerance 1e-2", tolerance: 1e-2)]
    + [3, 4, 5].map { k in Algorithm("box, K = \(k)") { ExtendedBoxFilter(plainSigma: $0, passes: k) } }
    + [3, 4, 5].map { k in Algorithm("extended box, K = \(k)") { ExtendedBoxFilter(sigma: $0, passes: k) } }
    + [3, 4, 5].map { k in Algorithm("SII, K = \(k)") { StackedIntegralsFilter(sigma: $0, boxes: k) } }
    + [Algorithm("Alvarez-Mazorra, K = 4") { RecursiveCascade(heatOf: $0) }]
    + [2, 3, 4].map { k in
      Algorithm("Deriche, K = \(k)") { DericheFilter(sigma: $0, order: k, isNormalized: false) }
    }
    + [3, 4, 5].map { k in
      Algorithm("Vliet-Young-Verbeek, K = \(k)") { VanVlietYoungVerbeekFilter(sigma: $0, order: k) }
    }
}

extension LineOperator {
  /// The number of samples in the lines of the experiment.
  private static let paperCount = 1000

  /// Creates the matrix of weights of a filter. To find the weights, the filter is applied to lines in which
  /// one sample is 1 and all others are 0. Eight such lines are filtered at once.
  fileprivate init(_ filter: some AxisFilter) {
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
  fileprivate init(truncatedGaussian sigma: Double, tolerance: Double) {
    var radius = 0
    while erfc(Double(radius) / (2.0.squareRoot() * sigma)) > tolerance / 2 { radius += 1 }
    let samples = (-radius...radius).map { exp(-pow(Double($0) / sigma, 2) / 2) }
    let sum = samples.reduce(0, +)
    self.init(window: samples.map { $0 / sum }, edge: .reflect, count: Self.paperCount)
  }

  /// Returns the largest difference between the two matrices. For each row, the absolute differences of the
  /// weights are added up, and the largest of these sums is returned.
  fileprivate func distance(to other: LineOperator) -> Double {
    (0..<count).map { distance($0, to: other) }.max() ?? 0
  }
}
