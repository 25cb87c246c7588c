import Blur
import BlurRecords
import BlurVerification
import CLinux

/// One image and one result that the candidates of a workload share while they are timed.
///
/// Nothing is verified here: kernels of the list are held to their promises by the tests and by `verify`, and their
/// times do not depend on the picture.
final class TuningBench {
  private let workload: Workload
  private let probe: CoreProbe
  private let input: Image
  private var output: Image
  private var plans: [BlurPlan] = []

  /// Makes the buffers; cases of one thread are kept on one CPU.
  init(_ workload: Workload, _ probe: CoreProbe) throws(BlurError) {
    (self.workload, self.probe) = (workload, probe)
    affinity_set(workload.threads == 1 ? 0 : -1)
    input = try TestImage.alphaRamp.image(workload.layout, seed: 1)
    output = try Image(workload.layout)
  }

  deinit { affinity_set(-1) }

  /// Plans a candidate, which gets the next number; false if it refuses.
  func open(_ candidate: TuningCandidate) throws(BlurError) -> Bool {
    do throws(BlurError) {
      plans.append(
        try BlurPlan(
          candidate.kernel, for: workload.layout, try workload.parameters(isa: candidate.isa),
          threads: workload.threads))
      return true
    } catch {
      guard case .unsupported = error else { throw error }
      return false
    }
  }

  /// Times a candidate's blurs, the mean of so many, while the cores are calm.
  ///
  /// - Parameter waits: asked while they are not; when it says no, the sample is taken all the same.
  func sample(
    _ number: Int, iterations: Int, while waits: () -> Bool
  ) throws(MeasurementError) -> TuningSample {
    var failure: BlurError?
    let task = TimedTask(name: "\(workload.title) \(number)") { [self] in
      do throws(BlurError) { try plans[number].blur(input, into: &output) } catch { failure = error }
    }
    while true {
      let before = probe.calm(threads: workload.threads, while: waits)
      let time = try QuietSample.nanoseconds(task, iterations: iterations, attempts: 2)
      if let failure { throw .failed("\(failure)") }
      let isCalm = max(before, probe.slowdown(threads: workload.threads)) <= probe.limit
      if isCalm || !waits() { return TuningSample(time: time, isCalm: isCalm) }
    }
  }
}

/// A kernel with an instruction set that may be the quickest of a workload.
struct TuningCandidate {
  let kernel: Kernel
  let isa: InstructionSet
  /// The error that it promises not to exceed, in levels.
  let bound: Double

  /// Kernels that the cost model expects to take more times as long as the quickest of the same bound need not be
  /// measured.
  private static let hopeless = 3.0

  /// Every kernel that promises a bound, with each instruction set; without the definition in code, which is never
  /// chosen.
  static func all(_ kernels: [Kernel], for format: PixelFormat) -> [TuningCandidate] {
    kernels.filter { $0.name != Naive.name }.flatMap { kernel in
      kernel.promise.bound(for: format).map { bound in
        InstructionSetChoice.all.sets(of: kernel).map {
          TuningCandidate(kernel: kernel, isa: $0, bound: bound)
        }
      } ?? []
    }
  }

  /// Those of which it is open whether they are the quickest within some bound, by the cost model.
  static func open(_ candidates: [TuningCandidate], for workload: Workload) -> [TuningCandidate] {
    let times = predictions(for: workload)
    let time = { (candidate: TuningCandidate) in times[candidate.name] ?? .infinity }
    let open = candidates.filter { candidate in
      let best = candidates.filter { $0.bound <= candidate.bound }.map(time).min() ?? .infinity
      return time(candidate) < hopeless * best
    }
    return open.isEmpty ? candidates : open
  }

  /// Nanoseconds of a blur by the cost model.
  static func predictions(for workload: Workload) -> [Name: Double] {
    let times = CostModel.times(
      for: workload.layout, sigma: workload.sigma, edge: workload.edge, threads: workload.threads)
    return Dictionary(times.map { (Name(kernel: $0.kernel, isa: $0.isa), $0.time) }) { $1 }
  }
}
