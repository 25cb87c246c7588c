import Blur
import BlurMeasurement
import BlurRecords
import BlurText

/// Measures the cost constants, from which the library estimates how long a kernel takes. Each constant is
/// the time of one kind of operation, such as an operation on a whole vector.
///
/// Kernels that have code for several instruction sets are timed with each of them. Each kernel also counts
/// its operations of each kind. The constants are fitted so that they predict the measured times from these
/// counts. No constant may be negative, and relative errors are minimised.
struct ConstantsFit {
  private let kernels = Registry.kernels.filter { $0.instructionSets.count > 1 }
  private let probe = CoreProbe()

  /// Kernels that take longer than this multiple of the fastest time are left out of the fit. The library
  /// would never choose them, so their times need not be predicted well.
  private static let hopeless = 6.0
  private static let samples = 12
  /// The number of seconds during which a workload is sampled only while the CPU cores are free of other
  /// programs. After that, samples are taken on busy cores too.
  private static let waiting = 2.0

  /// Measures the times of the kernels and returns the constants that predict these times best, for each
  /// instruction set of this CPU. The `error` of a set is the median relative error of the predicted times.
  func measure(
    _ workloads: [Workload], progress: (RunProgress) -> Void
  ) throws(MeasurementError) -> [(set: InstructionSet, constants: CostConstants, error: Double)] {
    let start = ContinuousClock.seconds
    var rows: [InstructionSet: [Row]] = [:]
    for (index, workload) in workloads.enumerated() {
      progress(
        RunProgress(
          index: index, count: workloads.count, title: workload.fullTitle,
          elapsed: ContinuousClock.seconds - start))
      for (set, row) in try measured(workload) { rows[set, default: []].append(row) }
    }
    return rows.sorted { $0.key < $1.key }.map { set, rows in
      let constants = Self.fitted(rows)
      let errors = rows.map { abs($0.predicted(constants) / $0.time - 1) }
      return (set, CostConstants(constants), Statistics.median(errors) ?? 0)
    }
  }

  private func measured(_ workload: Workload) throws(MeasurementError) -> [(InstructionSet, Row)] {
    let end = ContinuousClock.seconds + Self.waiting
    let bench = try TuningBench(workload, workload.candidates(kernels), probe)
    var times: [Double] = []
    for number in bench.candidates.indices {
      times.append(try bench.sample(number, iterations: 1) { ContinuousClock.seconds < end }.time)
    }
    let least = times.min() ?? 0
    let open = times.indices.filter { times[$0] < Self.hopeless * least }
    try Sampler.interleaved(open, rounds: Self.samples) { (number) throws(MeasurementError) in
      let iterations = Sampler.iterations(lasting: 100_000, each: times[number])
      let sample = try bench.sample(number, iterations: iterations) { ContinuousClock.seconds < end }
      times[number] = min(times[number], sample.time)
    }
    return open.compactMap { number in
      let (kernel, set) = (bench.candidates[number].kernel, bench.candidates[number].instructionSet)
      guard let parameters = try? workload.parameters(isa: set) else { return nil }
      let cost = kernel.cost(workload.layout, parameters, set, threads: workload.threads)
      guard cost.scalars.isFinite else { return nil }
      return (set, Row(cost, time: times[number]))
    }
  }

  /// A measured time, and the number of operations of each kind that it took.
  struct Row {
    let counts: [Double]
    let time: Double

    init(_ cost: Cost, time: Double) {
      counts = [cost.vectors, cost.partials, cost.scalars, cost.rows, 1]
      self.time = time
    }

    func predicted(_ constants: [Double]) -> Double {
      zip(counts, constants).reduce(0) { $0 + $1.0 * $1.1 }
    }
  }

  /// Returns the non-negative constants that minimise the sum of the absolute relative errors. The fit is an
  /// iteratively reweighted least-squares fit: each squared error is divided by the absolute error of the
  /// round before, so outliers count less.
  static func fitted(_ rows: [Row]) -> [Double] {
    var weights = [Double](repeating: 1, count: rows.count)
    var constants: [Double] = []
    for _ in 0..<50 {
      constants = leastSquares(rows, weights)
      weights = rows.map { 1 / max(abs($0.predicted(constants) / $0.time - 1), 0.003) }
    }
    return constants
  }

  /// Returns the constants that minimise the weighted sum of the squared relative errors. If some constants
  /// come out negative, the most negative one is set to 0 and the others are fitted again, until none is
  /// negative.
  private static func leastSquares(_ rows: [Row], _ weights: [Double]) -> [Double] {
    let count = rows.first?.counts.count ?? 0
    var kinds = (0..<count).filter { kind in rows.contains { $0.counts[kind] > 0 } }
    while !kinds.isEmpty {
      // The matrix of the normal equations of the least-squares fit. Its last column holds the right-hand
      // side.
      var matrix = kinds.map { _ in [Double](repeating: 0, count: kinds.count + 1) }
      for (row, weight) in zip(rows, weights) {
        let scaled = kinds.map { row.counts[$0] / row.time } + [1]
        for i in kinds.indices {
          for j in scaled.indices { matrix[i][j] += weight * scaled[i] * scaled[j] }
        }
      }
      let solution = solved(matrix)
      guard let least = kinds.indices.min(by: { solution[$0] < solution[$1] }), solution[least] < 0 else {
        var constants = [Double](repeating: 0, count: count)
        for (kind, constant) in zip(kinds, solution) { constants[kind] = constant }
        return constants
      }
      kinds.remove(at: least)
    }
    return [Double](repeating: 0, count: count)
  }

  /// Solves linear equations by elimination. The matrix is positive definite, so no rows have to be
  /// exchanged.
  private static func solved(_ matrix: [[Double]]) -> [Double] {
    var matrix = matrix
    let count = matrix.count
    for i in 0..<count {
      for j in 0..<count where j != i && matrix[i][i] != 0 {
        let factor = matrix[j][i] / matrix[i][i]
        for k in i...count { matrix[j][k] -= factor * matrix[i][k] }
      }
    }
    return matrix.enumerated().map { i, row in row[i] == 0 ? 0 : row[count] / row[i] }
  }

  /// Returns Swift source code with the constants of this machine, as an entry for the list in
  /// `MachineConstants.swift`.
  ///
  /// - Parameter threads: The costs of using other threads. They are rounded to hundreds of nanoseconds.
  static func source(
    _ found: [(set: InstructionSet, constants: CostConstants, error: Double)], threads: ThreadCosts,
    machine: String, date: String
  ) -> String {
    let sets = found.map { set, constants, _ in
      "      \(set.name): CostConstants(vector: \(constants.vector.threeDigits), partial: "
        + "\(constants.partial.threeDigits), scalar: \(constants.scalar.threeDigits), row: "
        + "\(constants.row.threeDigits), start: \(constants.start.threeDigits)),\n"
    }
    let hundreds = { (time: Double) in 100 * Int((time / 100).rounded()) }
    let errors = found.map { "\($0.set.name) \(($0.error * 100).rounded().short) %" }.joined(separator: ", ")
    return """
          // \(machine), \(date.prefix(10)). Median error of predictions: \(errors).
          MachineConstants(
      \(sets.joined())\
            waking: \(hundreds(threads.waking)), handing: \(hundreds(threads.handing))),
      """
  }
}

extension CostConstants {
  fileprivate init(_ numbers: [Double]) {
    self.init(
      vector: numbers[0], partial: numbers[1], scalar: numbers[2], row: numbers[3], start: numbers[4])
  }
}
