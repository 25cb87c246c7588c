import Blur
import BlurRecords

/// Measures the constants by which times are estimated.
///
/// Kernels that have loops for several instruction sets are timed with each of them, and the constants fitted
/// that predict the times from the operations the kernels count: least squares of relative errors, no
/// constant below 0.
public struct ConstantsFit {
  private let kernels: [Kernel]
  private let probe = CoreProbe()

  /// Candidates that take more times as long as the fastest of a workload say nothing about choosing.
  private static let hopeless = 6.0
  private static let samples = 12
  /// Seconds in which the samples of a workload wait for quiet cores.
  private static let waiting = 2.0

  public init(kernels: [Kernel] = Registry.kernels) {
    self.kernels = kernels.filter { $0.instructionSets.count > 1 }
  }

  /// The constants of each instruction set of this CPU, and the median relative error of their predictions.
  public func measure(
    _ workloads: [Workload], progress: (RunProgress) -> Void
  ) throws(MeasurementError) -> [(set: InstructionSet, constants: CostConstants, error: Double)] {
    let watch = GoogleBenchmark()
    let start = watch.now
    var rows: [InstructionSet: [Row]] = [:]
    for (index, workload) in workloads.enumerated() {
      progress(
        RunProgress(
          index: index, count: workloads.count, title: workload.fullTitle, elapsed: watch.now - start))
      for (set, row) in try measured(workload) { rows[set, default: []].append(row) }
    }
    return rows.sorted { $0.key < $1.key }.map { set, rows in
      let constants = Self.fitted(rows)
      let errors = rows.map { abs($0.predicted(constants) / $0.time - 1) }
      return (set, CostConstants(constants), Statistics.median(errors) ?? 0)
    }
  }

  private func measured(_ workload: Workload) throws(MeasurementError) -> [(InstructionSet, Row)] {
    let watch = GoogleBenchmark()
    let end = watch.now + Self.waiting
    let bench = try TuningBench(workload, workload.candidates(kernels), probe)
    var times: [Double] = []
    for number in bench.candidates.indices {
      times.append(try bench.sample(number, iterations: 1) { watch.now < end }.time)
    }
    let least = times.min() ?? 0
    let open = times.indices.filter { times[$0] < Self.hopeless * least }
    for _ in 0..<Self.samples {
      for number in open.shuffled() {
        let iterations = SampleLength.iterations(lasting: 100_000, each: times[number])
        let sample = try bench.sample(number, iterations: iterations) { watch.now < end }
        times[number] = min(times[number], sample.time)
      }
    }
    return open.compactMap { number in
      let candidate = bench.candidates[number]
      guard let cost = workload.cost(candidate), cost.scalars.isFinite else { return nil }
      return (candidate.instructionSet, Row(cost, time: times[number]))
    }
  }

  /// A time, and how many operations of each kind it took.
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

  /// Constants of at least 0 with the least sum of relative errors: of squares, each weighted by the inverse
  /// of its root in the round before, so that outliers count less.
  static func fitted(_ rows: [Row]) -> [Double] {
    var weights = [Double](repeating: 1, count: rows.count)
    var constants: [Double] = []
    for _ in 0..<50 {
      constants = leastSquares(rows, weights)
      weights = rows.map { 1 / max(abs($0.predicted(constants) / $0.time - 1), 0.003) }
    }
    return constants
  }

  /// Least squares of relative errors. Kinds of operations that would get a negative constant get 0, one
  /// after the other.
  private static func leastSquares(_ rows: [Row], _ weights: [Double]) -> [Double] {
    let count = rows.first?.counts.count ?? 0
    var kinds = (0..<count).filter { kind in rows.contains { $0.counts[kind] > 0 } }
    while !kinds.isEmpty {
      // The normal equations, with the right side as the last column.
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

  /// The solution of linear equations, by elimination; the matrix is positive definite, so that no rows
  /// change places.
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

  /// The source of this machine in the list of `MeasuredConstants.swift`.
  ///
  /// - Parameter threads: rounded to hundreds of nanoseconds.
  public static func source(
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

extension Workload {
  /// The operations that a candidate counts.
  fileprivate func cost(_ candidate: LikelyKernel) -> Cost? {
    (try? parameters(isa: candidate.instructionSet)).map {
      candidate.kernel.cost(layout, $0, candidate.instructionSet, threads: threads)
    }
  }
}
