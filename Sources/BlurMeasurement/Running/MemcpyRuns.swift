import Blur
import BlurRecords

/// Plain copies of a picture into one output, by the executor and the thread team that kernels use.
final class MemcpyRuns {
  /// The copy on this machine.
  static let kernel = Kernel(
    name: Case.memcpy, summary: "a plain copy", promise: .exact(),
    planner: { (problem) throws(BlurError) in CopyPlan(problem) })
  /// How the number of threads is found on which a copy is fastest: the fastest sample counts.
  private static let trial = TimingSettings(repetitions: 3, minTime: 0.001, warmUp: 0)

  private let kernel: Kernel
  private let buffers: CaseBuffers
  private let hash: String
  private var fastestThreads: Int?

  /// - Parameters:
  ///   - hash: of the pixels of `input`.
  ///   - kernel: what copies.
  init(of input: Image, hash: String, by kernel: Kernel = MemcpyRuns.kernel) throws(BlurError) {
    self.kernel = kernel
    buffers = try CaseBuffers(input)
    self.hash = hash
  }

  /// The copy on this number of threads, made once and found right.
  func copy(_ workload: Workload, threads: Int) throws(BlurError) -> PreparedCase {
    var workload = workload
    workload.threads = threads
    let copy = try PreparedCase(
      .copying(workload), kernel, buffers, checks: PreparedCase.Checks(inputHash: hash))
    guard copy.verified?.outputHash == hash, copy.verified?.violation == nil else {
      throw .failed(kernel: Case.memcpy, reason: "the copy differs from its source")
    }
    return copy
  }

  /// On how many threads a copy is fastest, of 1 to `most`: found once for the picture.
  func fastestThreads(
    _ workload: Workload, upTo most: Int, _ stopwatch: some Stopwatch
  ) throws(MeasurementError) -> Int {
    if let fastestThreads { return fastestThreads }
    let copies = (1...max(1, most)).compactMap { try? copy(workload, threads: $0) }
    guard copies.count > 1 else { return 1 }
    let samples = try stopwatch.time(
      copies.map { copy in TimedTask(name: copy.item.name, iterate: copy.iterate) }, Self.trial)
    let fastest = samples.filter { $0.failure == nil }.min { $0.realTime < $1.realTime }
    let threads = copies.first { $0.item.name == fastest?.name }?.item.workload.threads ?? 1
    fastestThreads = threads
    return threads
  }
}

/// What the times of a picture's kernels are compared with: the copy on the number of threads on which it is
/// fastest, whatever number the kernels have, timed interleaved with them.
public struct MemcpyBaseline: Sendable {
  /// How many threads the copy had.
  let threads: Int
  /// Wall times in nanoseconds: the median with its interval, and the least.
  let time: Estimate, fastest: Double

  /// Nil of no times.
  public init?(_ times: [Double], threads: Int) {
    guard let time = Estimate(times), let fastest = times.min(), fastest > 0 else { return nil }
    (self.threads, self.time, self.fastest) = (threads, time, fastest)
  }

  /// Writes into a record with a time how it compares.
  public func measure(_ record: inout Record) {
    record.memcpyRatio = record.realTime.flatMap { ($0 / time.median).finite }
    record.memcpyThreads = threads
    (record.memcpyLow, record.memcpyHigh) = (time.low, time.high)
  }
}
