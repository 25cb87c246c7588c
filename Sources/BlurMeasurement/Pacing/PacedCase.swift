import Blur
import BlurRecords
import BlurText
import BlurVerification

/// A case that is timed on request.
public protocol PacedSubject: AnyObject {
  /// What was found out when it was made ready.
  var findings: Findings { get }
  /// What went wrong while it was timed.
  var complaint: String? { get }
  /// Wall time of an iteration in nanoseconds, the mean of so many, see ``CalmSample``.
  func nanoseconds(iterations: Int) throws(MeasurementError) -> Double
  /// Instructions of one iteration, by the CPU's own counters.
  func instructions() throws(MeasurementError) -> UInt64
}

/// A blur that is timed on request, on buffers of its own.
final class PacedCase: PacedSubject {
  let findings: Findings
  private let name: String
  private let plan: BlurPlan
  private let input: Image
  private var output: GuardedOutput
  private var failure: String?

  /// Plans and blurs once.
  ///
  /// - Parameter judge: holds the result to its promise; nil where that was done before.
  init(_ item: Case, _ kernel: Kernel, _ picture: Image, judge: Judge?) throws(BlurError) {
    let workload = item.workload
    name = item.name
    plan = try BlurPlan(
      kernel, for: workload.layout, try workload.parameters(isa: item.isa), threads: workload.threads)
    // A copy, so that every case has other pages of memory.
    input = try picture.copy()
    output = try GuardedOutput(workload.layout)
    let hash = PixelHash.of(input)
    try Self.blur(plan, input, into: &output)
    var findings = Findings()
    findings.outputHash = output.withView { PixelHash.of($0) }
    if let judge {
      let judgement = output.withView { judge.judge($0, by: kernel) }
      findings.maxErrorLevels = judgement.deviation.maxLevels.finite
      findings.problem = judgement.violation
    }
    if let place = output.strayWrite { findings.problem = "writes \(place)" }
    if PixelHash.of(input) != hash { findings.problem = "writes into the source" }
    findings.isWrong = findings.problem != nil
    self.findings = findings
  }

  /// Wall time of a blur in nanoseconds, the mean of so many, see ``CalmSample``.
  func nanoseconds(iterations: Int) throws(MeasurementError) -> Double {
    try CalmSample.nanoseconds(TimedTask(name: name) { self.blur() }, iterations: iterations)
  }

  /// Instructions of one blur, by the CPU's own counters: those of this thread, so for one thread only.
  func instructions() throws(MeasurementError) -> UInt64 {
    let counters = try HardwareCounters()
    blur()
    guard let count = counters.count(blur) else { throw .failed("the hardware counters were taken away") }
    return count.instructions
  }

  /// What went wrong while the case was timed.
  var complaint: String? {
    if let failure { return failure }
    if let place = output.strayWrite { return "writes \(place)" }
    let hash = output.withView { PixelHash.of($0) }
    return hash == findings.outputHash ? nil : "the output differs from one blur to the next"
  }

  private func blur() {
    do { try Self.blur(plan, input, into: &output) } catch { failure = "\(error)" }
  }

  private static func blur(
    _ plan: BlurPlan, _ input: Image, into output: inout GuardedOutput
  ) throws(BlurError) {
    try output.withMutableView { (target) throws(BlurError) in
      try input.withView { (source) throws(BlurError) in try plan.blur(source, into: target) }
    }
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
