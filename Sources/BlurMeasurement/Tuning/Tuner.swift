import Blur
import BlurRecords
import BlurWisdom
import Foundation

/// Measures workloads for wisdom.
public struct Tuner {
  /// The kernels that may be chosen.
  private let kernels: [Kernel]
  /// Whether kernels that are estimated to be hopeless are measured too.
  private let measuresAll: Bool
  private let stopwatch = GoogleBenchmark()
  private let probe: CoreProbe

  /// The part of a workload's time in which quiet cores are waited for.
  private static let waiting = 0.6
  /// Candidates that take less than this many times as long as the fastest must have been measured on quiet
  /// cores.
  private static let contested = 1.5
  /// Blurs of this many nanoseconds meet quiet and noisy spells alike: there the shortest of all samples
  /// counts.
  private static let long = 400_000.0

  /// Makes a tuner of these kernels.
  public init(kernels: [Kernel] = Registry.kernels, measuresAll: Bool = false) {
    self.init(kernels, measuresAll: measuresAll, probe: CoreProbe())
  }

  /// - Parameter probe: tells when other programs disturb.
  init(_ kernels: [Kernel] = Registry.kernels, measuresAll: Bool = false, probe: CoreProbe) {
    (self.kernels, self.measuresAll, self.probe) = (kernels, measuresAll, probe)
  }

  /// Measures each workload and hands it on before the next begins, until the time is up. What is left of it
  /// goes to those that were noisy.
  ///
  /// - Parameters:
  ///   - budget: seconds for all; each workload gets its share, and at least one short sample of each
  ///     candidate.
  ///   - progress: called before each workload.
  ///   - found: receives what was measured.
  /// - Returns: how many workloads were measured.
  public func tune(
    _ workloads: [Workload], budget: Double, progress: (RunProgress) -> Void,
    found: (Wisdom.Problem) throws(MeasurementError) -> Void
  ) throws(MeasurementError) -> Int {
    let start = stopwatch.now
    let shares = workloads.map(share)
    var (queue, measured) = (Array(workloads.indices), 0)
    while !queue.isEmpty {
      var noisy: Set<Int> = []
      var quietest = [Double](repeating: 0, count: workloads.count)
      var left = queue.reduce(0) { $0 + shares[$1] }
      for (place, index) in queue.enumerated() {
        let elapsed = stopwatch.now - start
        guard elapsed < budget else { return measured }
        let title = workloads[index].fullTitle
        progress(RunProgress(index: place, count: queue.count, title: title, elapsed: elapsed))
        let result = try self.measured(
          workloads[index], seconds: (budget - elapsed) * shares[index] / left)
        try found(result)
        if result.noisy == true { noisy.insert(index) }
        quietest[index] = probe.least(threads: workloads[index].threads)
        left -= shares[index]
        measured = max(measured, place + 1)
      }
      // What seemed quiet may have been less so than what came later.
      queue = queue.filter {
        noisy.contains($0)
          || quietest[$0] > probe.limit * probe.least(threads: workloads[$0].threads)
      }
    }
    return measured
  }

  /// Those worth measuring.
  private func candidates(for workload: Workload) -> [LikelyKernel] {
    let all = workload.candidates(kernels)
    return measuresAll ? all : LikelyKernel.open(all)
  }

  /// What a workload needs in proportion to others: the estimated time of a sample of each candidate.
  private func share(_ workload: Workload) -> Double {
    candidates(for: workload).reduce(1) { sum, candidate in
      sum + max(SuccessiveHalving.sampleTime, candidate.estimate.isFinite ? candidate.estimate : 0)
    }
  }

  /// The times of a workload's candidates.
  func measured(_ workload: Workload, seconds: Double) throws(MeasurementError) -> Wisdom.Problem {
    let start = stopwatch.now
    let bench = try TuningBench(workload, candidates(for: workload), probe)
    let opened = bench.candidates
    var least = Double.infinity
    let halving = SuccessiveHalving(bounds: opened.map(\.bound)) {
      (number, iterations) throws(MeasurementError) in
      // Where the cores are never quiet, there must be time left to measure all the same.
      let sample = try bench.sample(number, iterations: iterations) {
        least < Self.long && stopwatch.now - start < seconds * Self.waiting
      }
      least = min(least, sample.time)
      return least < Self.long ? sample : TuningSample(time: sample.time, isQuiet: true)
    } goesOn: {
      stopwatch.now - start < seconds
    }
    let times = try halving.times()
    var found = Wisdom.Problem(
      try workload.problem,
      times: zip(opened, times).map { candidate, time in
        Wisdom.Time(
          kernel: candidate.kernel.name, isa: candidate.instructionSet.name, ns: time.nanoseconds.rounded(),
          within: candidate.bound)
      }.sorted { $0.ns < $1.ns })
    let isNoisy = times.contains { !$0.isQuiet && $0.nanoseconds < Self.contested * least }
    if isNoisy { found.noisy = true }
    return found
  }
}

extension Workload {
  /// The blur that wisdom knows; nil where sigma differs by axis, which no workload has.
  public init?(_ problem: MeasuredProblem) {
    guard problem.sigma.x == problem.sigma.y else { return nil }
    self.init(
      threads: problem.threads, layout: problem.layout, sigma: problem.sigma.x, edge: problem.edge)
  }

  /// What wisdom knows the workload by.
  public var problem: MeasuredProblem {
    get throws(MeasurementError) {
      do throws(BlurError) {
        return MeasuredProblem(layout, sigma: try Sigma(sigma), edge: edge, threads: threads)
      } catch { throw .failed("\(fullTitle): \(error)") }
    }
  }
}
