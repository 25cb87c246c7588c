import Blur
import BlurRecords
import BlurText
import BlurVerification

/// A case that is timed on request.
public protocol BenchCase: AnyObject {
  /// What was found out when it was made ready.
  var findings: Findings { get }
  /// What went wrong while it was timed.
  var violation: String? { get }
  /// What is timed.
  var task: TimedTask { get }
  /// Instructions of one iteration, by the CPU's own counters.
  func instructions() throws(MeasurementError) -> UInt64
}

extension PreparedCase: BenchCase {
  /// Prepares a case on buffers of its own: a copy of the picture, so that every case has other pages of
  /// memory.
  ///
  /// - Parameter judge: holds the result to its promise; nil where that was done before.
  convenience init(_ item: Case, _ kernel: Kernel, _ picture: Image, judge: Judge?) throws(BlurError) {
    let input = try picture.copy()
    let checks = Checks(
      inputHash: PixelHash.of(input),
      judge: judge.map { judge in { output, _ in judge.judge(output, by: kernel) } })
    try self.init(item, kernel, CaseBuffers(input), checks: checks)
  }

  public var findings: Findings {
    var findings = Findings()
    findings.outputHash = verified?.outputHash
    findings.maxErrorLevels = verified?.deviation?.maxLevels.finite
    findings.problem = verified?.violation
    findings.isWrong = findings.problem != nil
    return findings
  }

  public var task: TimedTask {
    TimedTask(name: item.name, threads: item.workload.threads) { self.iterate() }
  }

  /// Instructions of one blur, by the CPU's own counters: those of this thread, so for one thread only.
  public func instructions() throws(MeasurementError) -> UInt64 {
    let counters = try HardwareCounters()
    iterate()
    guard let count = counters.count(iterate) else { throw .failed("the hardware counters were taken away") }
    return count.instructions
  }
}

extension Image {
  /// The same pixels in other memory.
  fileprivate func copy() throws(BlurError) -> Image {
    var copy = try Image(layout)
    withView { source in
      copy.withMutableView { target in
        // SAFETY: both images have this layout.
        target.base.copyMemory(from: source.base, byteCount: layout.byteCount)
      }
    }
    return copy
  }
}
