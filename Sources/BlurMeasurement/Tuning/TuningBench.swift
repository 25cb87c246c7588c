import Blur
import BlurRecords
import BlurVerification
import CLinux

/// One image and one result that the candidates of a workload share while they are timed: the only place where tuning
/// plans and runs kernels.
///
/// Nothing is verified here: kernels of the list are held to their promises by the tests and by `verify`, and their
/// times do not depend on the picture.
final class TuningBench {
  /// The candidates that did not refuse.
  private(set) var candidates: [LikelyKernel] = []
  private let workload: Workload
  private let probe: CoreProbe
  private let input: Image
  private var output: Image
  private var plans: [BlurPlan] = []

  /// Makes the buffers and plans the candidates; cases of one thread are kept on one CPU.
  init(
    _ workload: Workload, _ candidates: [LikelyKernel], _ probe: CoreProbe
  ) throws(MeasurementError) {
    (self.workload, self.probe) = (workload, probe)
    do throws(BlurError) {
      input = try TestImage.alphaRamp.image(workload.layout, seed: 1)
      output = try Image(workload.layout)
    } catch { throw .failed("\(workload.fullTitle): \(error)") }
    affinity_set(workload.threads == 1 ? 0 : -1)
    for candidate in candidates {
      do throws(BlurError) {
        let parameters = try workload.parameters(isa: candidate.instructionSet)
        plans.append(
          try BlurPlan(candidate.kernel, for: workload.layout, parameters, threads: workload.threads))
        self.candidates.append(candidate)
      } catch {
        guard case .unsupported = error else { throw .failed("\(workload.fullTitle): \(error)") }
      }
    }
  }

  deinit { affinity_set(-1) }

  /// Times a candidate's blurs, the mean of so many, while the cores are quiet.
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
      let before = probe.waitForQuiet(threads: workload.threads, while: waits)
      let time = try QuietSample.nanoseconds(task, iterations: iterations, attempts: 2)
      if let failure { throw .failed("\(failure)") }
      let isQuiet = max(before, probe.slowdown(threads: workload.threads)) <= probe.limit
      if isQuiet || !waits() { return TuningSample(time: time, isQuiet: isQuiet) }
    }
  }
}

extension Workload {
  /// The kernels that promise a bound, with their estimated times.
  func candidates(_ kernels: [Kernel]) -> [LikelyKernel] {
    guard let parameters = try? parameters(isa: .best) else { return [] }
    return LikelyKernel.all(of: kernels, for: layout, parameters, threads: threads)
  }
}
