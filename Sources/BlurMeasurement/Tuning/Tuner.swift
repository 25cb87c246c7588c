import Blur
import BlurRecords
import BlurWisdom
import Foundation

/// Measures how long kernels take on given workloads. The times go into the wisdom file, which the library
/// later uses to choose the fastest kernel.
public struct Tuner {
  /// The kernels that are measured.
  private let kernels: [Kernel]
  /// Whether to also measure kernels that cannot be the fastest according to their estimated times.
  private let measuresAll: Bool
  private let probe: CoreProbe

  /// The fraction of a workload's measuring time during which samples are taken only while the CPU cores are
  /// free of other programs. After that, samples are taken on busy cores too.
  private static let waiting = 0.6
  /// The limit, as a multiple of the shortest time, below which a kernel counts as one of the fastest. If one
  /// of the fastest kernels was never measured while the CPU cores were free of other programs, the workload
  /// is marked as noisy.
  private static let contested = 1.5
  /// The shortest duration, in nanoseconds, of a blur that counts as long. During a long blur, quiet and
  /// noisy moments average out, so the samples of a long blur count even if other programs were running.
  private static let long = 400_000.0

  /// Creates a tuner for the given kernels. Its measurements use `probe` to detect when other programs slow
  /// the CPU cores down.
  package init(
    _ kernels: [Kernel] = Registry.kernels, measuresAll: Bool = false, probe: CoreProbe = CoreProbe()
  ) {
    (self.kernels, self.measuresAll, self.probe) = (kernels, measuresAll, probe)
  }

  /// Measures the workloads one after the other until the time is used up. Each result is passed to `found`
  /// before the next workload begins. Any remaining time is used to repeat the workloads whose measurements
  /// other programs have disturbed.
  ///
  /// - Parameters:
  ///   - workloads: The workloads to measure.
  ///   - budget: The number of seconds for all workloads together. Each workload gets a share of this time.
  ///     At least one short sample of each kernel is always taken, even if it exceeds the share.
  ///   - progress: A function that is called before each workload is measured.
  ///   - found: A function that receives each result.
  /// - Returns: The number of workloads that were measured.
  public func tune(
    _ workloads: [Workload], budget: Double, progress: (RunProgress) -> Void,
    found: (Wisdom.Problem) throws(MeasurementError) -> Void
  ) throws(MeasurementError) -> Int {
    let start = ContinuousClock.seconds
    let shares = workloads.map(share)
    var (queue, measured) = (Array(workloads.indices), 0)
    while !queue.isEmpty {
      var noisy: Set<Int> = []
      var quietest = [Double](repeating: 0, count: workloads.count)
      var left = queue.reduce(0) { $0 + shares[$1] }
      for (place, index) in queue.enumerated() {
        let elapsed = ContinuousClock.seconds - start
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
      // A workload is measured again if its measurement was noisy, or if the cores turn out to have been
      // slowed down during the measurement. To detect such a slowdown, `quietest` holds the shortest time
      // that the probe's loop had taken by the end of each measurement. If the loop has run clearly faster
      // since then, the cores were not at full speed during the measurement.
      queue = queue.filter {
        noisy.contains($0)
          || quietest[$0] > probe.limit * probe.least(threads: workloads[$0].threads)
      }
    }
    return measured
  }

  /// Returns the kernels that are worth measuring for this workload, with each of their instruction sets.
  private func candidates(for workload: Workload) -> [LikelyKernel] {
    let all = workload.candidates(kernels)
    return measuresAll ? all : LikelyKernel.open(all)
  }

  /// Returns the estimated time in nanoseconds for taking one sample of each candidate. The workloads share
  /// the measuring time in proportion to these estimates.
  private func share(_ workload: Workload) -> Double {
    candidates(for: workload).reduce(1) { sum, candidate in
      sum + max(SuccessiveHalving.sampleTime, candidate.estimate.isFinite ? candidate.estimate : 0)
    }
  }

  /// Measures the suitable kernels for a workload and returns their times.
  package func measured(_ workload: Workload, seconds: Double) throws(MeasurementError) -> Wisdom.Problem {
    let start = ContinuousClock.seconds
    let bench = try TuningBench(workload, candidates(for: workload), probe)
    let opened = bench.candidates
    var least = Double.infinity
    let halving = SuccessiveHalving(bounds: opened.map(\.bound)) {
      (number, iterations) throws(MeasurementError) in
      // At first, samples are taken only while the CPU cores are free of other programs. If the cores are
      // never free, the tuner gives up waiting after a part of the measuring time, so that enough time
      // remains for measuring on busy cores.
      let sample = try bench.sample(number, iterations: iterations) {
        least < Self.long && ContinuousClock.seconds - start < seconds * Self.waiting
      }
      least = min(least, sample.time)
      return least < Self.long ? sample : TuningSample(time: sample.time, isQuiet: true)
    } goesOn: {
      ContinuousClock.seconds - start < seconds
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
  /// Creates the workload that a problem in the wisdom file describes. Returns nil if sigma differs between
  /// the axes, because a workload has only one sigma.
  package init?(_ problem: MeasuredProblem) {
    guard problem.sigma.x == problem.sigma.y else { return nil }
    self.init(
      threads: problem.threads, layout: problem.layout, sigma: problem.sigma.x, edge: problem.edge)
  }

  /// The description of this workload that identifies its measured times in the wisdom file.
  package var problem: MeasuredProblem {
    get throws(MeasurementError) {
      do throws(BlurError) {
        return MeasuredProblem(layout, sigma: try Sigma(sigma), edge: edge, threads: threads)
      } catch { throw .failed("\(fullTitle): \(error)") }
    }
  }
}
