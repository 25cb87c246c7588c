import Blur
import BlurRecords
import BlurText
import BlurVerification
import CLinux

/// A benchmark case that is ready to be timed. A case is one kernel that blurs one test image, with a given
/// sigma, edge mode and number of threads.
public protocol BenchCase: AnyObject {
  /// The results of preparing the case, such as the hash of its output. If the case cannot be timed, the
  /// findings contain the reason.
  var findings: Findings { get }
  /// The error that occurred while the case was timed, or nil if there was none.
  var violation: String? { get }
  /// The task that is timed.
  var task: TimedTask { get }
  /// Counts the instructions of one iteration with the hardware counters of the CPU.
  func instructions() throws(MeasurementError) -> UInt64
}

extension PreparedCase: BenchCase {
  /// Prepares a case with an input image and an output image of its own. The test image is copied, so that
  /// every case uses different memory pages.
  ///
  /// - Parameters:
  ///   - judge: Checks that the error of the output does not exceed the bound that the kernel promises. Pass
  ///     nil if the output has already been checked.
  ///   - kernelOptions: The command-line options that name the external kernels, to repeat them in error
  ///     messages.
  convenience init(
    _ item: Case, _ kernel: Kernel, _ picture: Image, judge: Judge?, kernelOptions: [String] = []
  ) throws(BlurError) {
    let input = try picture.copy()
    let checks = Checks(
      inputHash: input.pixelHash,
      judge: judge.map { judge in { output, _ in judge.judge(output, by: kernel) } },
      kernelOptions: kernelOptions)
    try self.init(item, kernel, CaseBuffers(input), checks: checks)
  }

  var findings: Findings {
    var findings = Findings()
    findings.outputHash = verified?.outputHash
    findings.maxErrorLevels = verified?.deviation?.maxLevels.finite
    findings.problem = verified?.violation
    findings.isWrong = findings.problem != nil
    return findings
  }

  var task: TimedTask {
    TimedTask(
      name: item.name, threads: item.workload.threads, inspect: { self.inspect(after: $0) },
      iterate: { self.iterate() })
  }

  /// Counts the instructions of one blur with the hardware counters of the CPU. Only the calling thread is
  /// counted, so the result is correct only for cases with one thread.
  func instructions() throws(MeasurementError) -> UInt64 {
    let counter = try CounterGroup([PERF_COUNTER_INSTRUCTIONS])
    iterate()
    guard let counts = counter.count(iterate) else {
      throw .failed("another program took over the hardware counters during the measurement")
    }
    return counts[0]
  }
}

extension Image {
  /// Returns an image with the same pixels in newly allocated memory.
  fileprivate func copy() throws(BlurError) -> Image {
    var copy = try Image(layout)
    withView { source in
      copy.withMutableView { target in
        // SAFETY: both images have the layout `layout`, so each holds `layout.byteCount` bytes.
        target.unsafeBase.copyMemory(from: source.unsafeBase, byteCount: layout.byteCount)
      }
    }
    return copy
  }
}
