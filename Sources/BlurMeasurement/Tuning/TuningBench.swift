import Blur
import BlurRecords
import BlurVerification
import CLinux

/// Times several kernels on one workload. The kernels share one input image and one output image.
///
/// The outputs are not verified, because the tests and the command `verify` check the errors of these
/// kernels. The contents of the image do not matter, because the times do not depend on them.
package final class TuningBench {
  /// The candidates whose kernels support the workload.
  package private(set) var candidates: [LikelyKernel] = []
  private let workload: Workload
  private let probe: CoreProbe
  private let sampler = Sampler()
  private var cases: [PreparedCase] = []

  /// Allocates the images and makes a plan for each candidate. If the workload has one thread, the calling
  /// thread is pinned to one CPU.
  package init(
    _ workload: Workload, _ candidates: [LikelyKernel], _ probe: CoreProbe
  ) throws(MeasurementError) {
    (self.workload, self.probe) = (workload, probe)
    let buffers: CaseBuffers
    do throws(BlurError) {
      buffers = try CaseBuffers(TestImage.alphaRamp.image(workload.layout, seed: 1), isGuarded: false)
    } catch { throw .failed("\(workload.fullTitle): \(error)") }
    affinity_set(workload.threads == 1 ? 0 : -1)
    for candidate in candidates {
      let item = Case(kernel: candidate.kernel.name, isa: candidate.instructionSet, workload: workload)
      do throws(BlurError) {
        cases.append(try PreparedCase(item, candidate.kernel, buffers))
        self.candidates.append(candidate)
      } catch {
        guard case .unsupported = error else { throw .failed("\(workload.fullTitle): \(error)") }
      }
    }
  }

  deinit { affinity_set(-1) }

  /// Waits until the CPU cores are free of other programs, then times a candidate and returns the mean time
  /// of `iterations` blurs.
  ///
  /// - Parameter waits: Returns whether to keep waiting for free cores. When it returns false, the sample is
  ///   taken even if other programs are running.
  package func sample(
    _ number: Int, iterations: Int, while waits: () -> Bool
  ) throws(MeasurementError) -> TuningSample {
    let prepared = cases[number]
    while true {
      let before = probe.waitForQuiet(threads: workload.threads, while: waits)
      let time = try sampler.sample(prepared.task, iterations: iterations, attempts: 2).realTime
      if let failure = prepared.failure { throw .failed(failure) }
      let isQuiet = max(before, probe.slowdown(threads: workload.threads)) <= probe.limit
      if isQuiet || !waits() { return TuningSample(time: time, isQuiet: isQuiet) }
    }
  }
}

extension Workload {
  /// Returns the kernels that promise an error bound. Each kernel is listed once for each of its instruction
  /// sets, with the estimated time of a blur.
  package func candidates(_ kernels: [Kernel]) -> [LikelyKernel] {
    guard let parameters = try? parameters(isa: .best) else { return [] }
    let blurred = layout.forKernels(parameters.sigma)
    return LikelyKernel.all(of: kernels, for: blurred, parameters, threads: threads)
  }
}
