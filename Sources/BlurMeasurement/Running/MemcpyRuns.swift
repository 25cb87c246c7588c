import Blur
import BlurRecords

/// Copies an image into an output image without blurring it. The copies run with the same executor and the
/// same threads as the kernels.
final class MemcpyRuns {
  /// A kernel that copies the image instead of blurring it.
  static let kernel = Kernel(
    name: Case.memcpy, summary: "a plain copy", promise: .exact(),
    planner: { (problem) throws(BlurError) in CopyPlan(problem) })
  /// The settings for finding out how many threads make a copy fastest. For each number of threads, only the
  /// fastest sample counts.
  private static let trial = TimingSettings(repetitions: 3, minTime: 0.001, warmUp: 0)

  private let kernel: Kernel
  private let buffers: CaseBuffers
  private let hash: String
  private var fastestThreads: Int?

  /// Prepares to copy an image. `hash` is the hash of the image's pixels.
  init(of input: Image, hash: String, by kernel: Kernel = MemcpyRuns.kernel) throws(BlurError) {
    self.kernel = kernel
    // Straight and unused alpha get special treatment in a blur, but a plain copy must not change them. The
    // copied images therefore get a layout in which alpha is premultiplied.
    let plain = try input.layout.forKernels(Sigma(0))
    let bytes = plain == input.layout ? [] : input.bytes
    buffers = try CaseBuffers(bytes.isEmpty ? input : Image(plain, copying: bytes.span.bytes))
    self.hash = hash
  }

  /// Prepares a case that copies the image on the given number of threads. Throws an error if the copy
  /// differs from the original.
  func copy(_ workload: Workload, threads: Int) throws(BlurError) -> PreparedCase {
    var workload = workload
    workload.threads = threads
    let copy = try PreparedCase(
      .copying(workload), kernel, buffers, checks: PreparedCase.Checks(inputHash: hash))
    guard copy.verified?.outputHash == hash, copy.verified?.violation == nil else {
      throw .failed(kernel: Case.memcpy, reason: "its output differs from its input")
    }
    return copy
  }

  /// Returns the number of threads, from 1 to `most`, with which copying the image is fastest. The first call
  /// times copies, and later calls return the same number.
  func fastestThreads(
    _ workload: Workload, upTo most: Int, _ sampler: Sampler
  ) throws(MeasurementError) -> Int {
    if let fastestThreads { return fastestThreads }
    let copies = (1...max(1, most)).compactMap { try? copy(workload, threads: $0) }
    guard copies.count > 1 else { return 1 }
    let samples = try sampler.samples(
      of: copies.map { copy in TimedTask(name: copy.item.name, iterate: copy.iterate) }, Self.trial)
    let times = samples.map { $0.map(\.realTime).filter { $0 > 0 }.min() ?? .infinity }
    let fastest = copies.indices.min { times[$0] < times[$1] } ?? 0
    let threads = copies[fastest].item.workload.threads
    fastestThreads = threads
    return threads
  }
}

/// The time that it takes to copy an image, as a baseline for the times of the kernels. The copy runs on the
/// number of threads that makes it fastest, even if the kernels use a different number. The samples of the
/// copy are interleaved with the samples of the kernels.
public struct MemcpyBaseline: Sendable {
  /// The number of threads that copied the image.
  let threads: Int
  /// The median wall time with its confidence interval, and the shortest wall time, in nanoseconds.
  let time: Estimate, fastest: Double

  /// Creates a baseline from the times of copying an image on `threads` threads. Returns nil if `times` is
  /// empty or holds an impossible time.
  public init?(_ times: [Double], threads: Int) {
    guard let time = Estimate(times), let fastest = times.min(),
      times.allSatisfy(Record.possibleTimes.contains)
    else { return nil }
    (self.threads, self.time, self.fastest) = (threads, time, fastest)
  }

  /// Adds the time of copying the image to a kernel's record. If the record has a time, the ratio of this
  /// time to the copying time is added too.
  public func measure(_ record: inout Record) {
    record.memcpyRatio = record.realTime.flatMap { ($0 / time.median).finite }
    record.memcpyThreads = threads
    (record.memcpyLow, record.memcpyHigh) = (time.low, time.high)
  }
}
