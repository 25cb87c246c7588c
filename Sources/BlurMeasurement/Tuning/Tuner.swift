import Blur
import Foundation

/// Measures workloads for wisdom.
public struct Tuner {
  /// The kernels that may be chosen.
  private let kernels: [Kernel]
  /// Whether kernels that the cost model thinks hopeless are measured too.
  private let measuresAll: Bool
  private let stopwatch = GoogleBenchmark()

  /// Makes a tuner of these kernels.
  public init(kernels: [Kernel] = Registry.kernels, measuresAll: Bool = false) {
    self.kernels = kernels
    self.measuresAll = measuresAll
  }

  /// Measures each workload and hands it on before the next begins, until the time is up.
  ///
  /// - Parameters:
  ///   - budget: seconds for all; each workload gets its share, and at least one short sample of each candidate.
  ///   - progress: called before each workload.
  ///   - found: receives what was measured.
  /// - Returns: how many workloads were measured.
  public func tune(
    _ workloads: [Workload], budget: Double, progress: (Progress) -> Void,
    found: (Wisdom.Workload) throws(MeasurementError) -> Void
  ) throws(MeasurementError) -> Int {
    let start = stopwatch.now
    let efforts = workloads.map(effort)
    var left = efforts.reduce(0, +)
    for (index, workload) in workloads.enumerated() {
      let elapsed = stopwatch.now - start
      guard elapsed < budget else { return index }
      progress(Progress(index: index, count: workloads.count, title: workload.fullTitle, elapsed: elapsed))
      try found(try measured(workload, seconds: (budget - elapsed) * efforts[index] / left))
      left -= efforts[index]
    }
    return workloads.count
  }

  /// Those worth measuring.
  private func candidates(for workload: Workload) -> [TuningCandidate] {
    let all = TuningCandidate.all(kernels, for: workload.layout.format)
    return measuresAll ? all : TuningCandidate.open(all, for: workload)
  }

  /// What a workload needs in proportion to others: the time of a sample of each candidate, by the cost model.
  private func effort(_ workload: Workload) -> Double {
    let times = TuningCandidate.predictions(for: workload)
    return candidates(for: workload).reduce(1) { sum, candidate in
      sum + max(Halving.sampleTime, times[candidate.name] ?? 0)
    }
  }

  /// The times of a workload's candidates.
  func measured(_ workload: Workload, seconds: Double) throws(MeasurementError) -> Wisdom.Workload {
    let start = stopwatch.now
    let candidates = candidates(for: workload)
    let bench: TuningBench
    var opened: [TuningCandidate] = []
    do throws(BlurError) {
      bench = try TuningBench(workload)
      for candidate in candidates where try bench.open(candidate) { opened.append(candidate) }
    } catch { throw .failed("\(workload.fullTitle): \(error)") }
    let halving = Halving(bounds: opened.map(\.bound)) { (number, iterations) throws(MeasurementError) in
      try bench.nanoseconds(number, iterations: iterations)
    } goesOn: {
      stopwatch.now - start < seconds
    }
    let times = zip(opened, try halving.times()).map { candidate, time in
      Wisdom.Time(
        kernel: candidate.kernel.name, isa: candidate.isa.name, ns: time.rounded(), within: candidate.bound)
    }
    return Wisdom.Workload(workload, times: times.sorted { $0.ns < $1.ns })
  }
}

extension Wisdom.Workload {
  /// The workload in a file of wisdom.
  public init(_ workload: Workload, times: [Wisdom.Time] = []) {
    self.init(
      format: workload.layout.format, width: workload.layout.width, height: workload.layout.height,
      sigma: workload.sigma, edge: workload.edge.name, threads: workload.threads, times: times)
  }
}
