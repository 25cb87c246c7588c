import Blur
import BlurRecords
import Foundation

/// Measures workloads for wisdom.
public struct Tuner {
  /// The kernels that may be chosen.
  private let kernels: [Kernel]
  /// Whether kernels that the cost model thinks hopeless are measured too.
  private let measuresAll: Bool
  private let stopwatch = GoogleBenchmark()
  private let probe: CoreProbe

  /// The part of a workload's time in which calm cores are waited for.
  private static let waiting = 0.6
  /// Candidates that take less than so many times as long as the quickest must have been measured on calm cores.
  private static let contested = 1.5

  /// Blurs of so many nanoseconds meet calm and busy spells alike: there the shortest of all samples counts.
  private static let long = 400_000.0

  /// Makes a tuner of these kernels.
  public init(kernels: [Kernel] = Registry.kernels, measuresAll: Bool = false) {
    self.init(kernels, measuresAll: measuresAll, probe: CoreProbe())
  }

  /// - Parameter probe: says when somebody disturbs.
  init(_ kernels: [Kernel] = Registry.kernels, measuresAll: Bool = false, probe: CoreProbe) {
    (self.kernels, self.measuresAll, self.probe) = (kernels, measuresAll, probe)
  }

  /// Measures each workload and hands it on before the next begins, until the time is up. What is left of it goes to
  /// those that somebody else disturbed.
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
    var (queue, measured) = (Array(workloads.indices), 0)
    while !queue.isEmpty {
      var disturbed: Set<Int> = []
      var calm = [Double](repeating: 0, count: workloads.count)
      var left = queue.reduce(0) { $0 + efforts[$1] }
      for (place, index) in queue.enumerated() {
        let elapsed = stopwatch.now - start
        guard elapsed < budget else { return measured }
        let title = workloads[index].fullTitle
        progress(Progress(index: place, count: queue.count, title: title, elapsed: elapsed))
        let result = try self.measured(
          workloads[index], seconds: (budget - elapsed) * efforts[index] / left)
        try found(result)
        if result.disturbed == true { disturbed.insert(index) }
        calm[index] = probe.least(threads: workloads[index].threads)
        left -= efforts[index]
        measured = max(measured, place + 1)
      }
      // What seemed calm may have been less so than what came later.
      queue = queue.filter {
        disturbed.contains($0)
          || calm[$0] > probe.limit * probe.least(threads: workloads[$0].threads)
      }
    }
    return measured
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
      bench = try TuningBench(workload, probe)
      for candidate in candidates where try bench.open(candidate) { opened.append(candidate) }
    } catch { throw .failed("\(workload.fullTitle): \(error)") }
    var least = Double.infinity
    let halving = Halving(bounds: opened.map(\.bound)) { (number, iterations) throws(MeasurementError) in
      // Where the cores are never calm, there must be time left to measure all the same.
      let sample = try bench.sample(number, iterations: iterations) {
        least < Self.long && stopwatch.now - start < seconds * Self.waiting
      }
      least = min(least, sample.time)
      return least < Self.long ? sample : TuningSample(time: sample.time, isCalm: true)
    } goesOn: {
      stopwatch.now - start < seconds
    }
    let times = try halving.times()
    var found = Wisdom.Workload(
      workload,
      times: zip(opened, times).map { candidate, time in
        Wisdom.Time(
          kernel: candidate.kernel.name, isa: candidate.isa.name, ns: time.nanoseconds.rounded(),
          within: candidate.bound)
      }.sorted { $0.ns < $1.ns })
    let isDisturbed = times.contains { !$0.isCalm && $0.nanoseconds < Self.contested * least }
    if isDisturbed { found.disturbed = true }
    return found
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
