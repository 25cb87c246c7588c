import Blur
import BlurRecords
import BlurVerification
import CLinux

/// Prepares benchmark cases and times them on request. A comparison starts several measuring processes, each
/// with one worker. The process that runs the comparison decides in which order the cases are timed.
///
/// A worker has numbered slots, and each slot holds at most one case.
public final class BenchWorker {
  private let kernels: [Kernel]
  private let seed: UInt64
  private let scene: SceneOpener
  private var slots: [Int: Slot] = [:]
  private let sampler = Sampler(watch: DisturbanceWatch())
  /// A cache of test images, because painting an image is slow. The key is the layout of the image. If a new
  /// image would make the cache larger than `mostPainted` bytes, the cache is emptied first.
  private var painted: [ImageLayout: Image] = [:]
  private static let mostPainted = 1 << 26

  private struct Slot {
    let opened: any BenchCase
    /// The task that is timed. This is the task of the case, or an artificially slowed version of it.
    let task: TimedTask
    /// The index of the CPU that runs the case. If the index is negative, the case may run on any CPU.
    let cpu: Int32
  }

  /// Prepares a case that plays a scene, which is a user interface effect made of several frames. The last
  /// argument says whether the frames are compared with the exact blur.
  public typealias SceneOpener = (Case, Kernel, Bool) throws(BlurError) -> any BenchCase

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - kernels: The kernels that a request can name.
  ///   - seed: The seed of the random test images.
  ///   - scene: Prepares cases that play scenes (user interface effects). By default, such cases are refused.
  public init(
    kernels: [Kernel], seed: UInt64 = 1,
    scene: @escaping SceneOpener = { (item, _, _) throws(BlurError) in
      throw .unsupported(kernel: item.kernel, reason: "scenes")
    }
  ) {
    self.scene = scene
    self.kernels = kernels
    self.seed = seed
  }

  /// Prepares a case for timing and stores it in the slot with this number. If the case cannot be timed, the
  /// slot stays empty and the result says why.
  public func open(_ slot: Int, _ entry: BenchRequest) -> Findings {
    slots[slot] = nil
    do {
      let item = try Case(name: entry.name)
      guard let kernel = kernels.first(where: { $0.name == item.kernel }) else {
        var findings = Findings(problem: "no kernel is called \(item.kernel)")
        findings.isGone = true
        return findings
      }
      guard item.isa.isAvailable else {
        return Findings(problem: "this CPU does not support the instruction set \(item.isa.name)")
      }
      let cpu = item.workload.threads == 1 ? Int32(truncatingIfNeeded: entry.cpu) : -1
      affinity_set(cpu)
      let opened = try open(item, kernel, entry)
      let task = entry.slowdown > 0 ? opened.task.slowed(by: entry.slowdown) : opened.task
      if !opened.findings.isWrong { slots[slot] = Slot(opened: opened, task: task, cpu: cpu) }
      var findings = opened.findings
      findings.promise = kernel.promise.description
      findings.promisedLevels = kernel.promise.bound(for: item.workload.blurredFormat)
      return findings
    } catch BlurError.failed(_, let reason) {
      return Findings(problem: reason, isWrong: true)
    } catch {
      return Findings(problem: "\(error)")
    }
  }

  private func open(
    _ item: Case, _ kernel: Kernel, _ entry: BenchRequest
  ) throws(BlurError) -> any BenchCase {
    let workload = item.workload
    if workload.scene != nil { return try scene(item, kernel, entry.isVerified) }
    let picture = try picture(workload.layout)
    let judge =
      entry.isVerified ? try Judge(picture, workload, threads: workload.threads, seed: seed) : nil
    return try PreparedCase(
      item, kernel, picture, judge: judge, kernelOptions: entry.kernelOptions ?? [])
  }

  private func picture(_ layout: ImageLayout) throws(BlurError) -> Image {
    if let image = painted[layout] { return image }
    let bytes = painted.keys.reduce(layout.byteCount) { $0 + $1.byteCount }
    if bytes > Self.mostPainted { painted = [:] }
    let image = try TestImage.deadLeaves.image(layout, seed: seed)
    painted[layout] = image
    return image
  }

  /// Times `iterations` blurs of a case and returns their mean wall time.
  ///
  /// - Parameter slot: The slot number that was passed to ``open(_:_:)`` for this case.
  /// - Throws: ``MeasurementError/failed(_:)``, for example if no case is stored under this number.
  public func sample(_ slot: Int, iterations: Int) throws(MeasurementError) -> BenchSample {
    guard let slot = slots[slot] else { throw .failed("internal error: slot \(slot) holds no case") }
    guard (1...1_000_000_000).contains(iterations) else {
      throw .failed("internal error: a sample of \(iterations) iterations was requested")
    }
    // Each case may need a different CPU, so the calling thread is pinned again before each sample. The call
    // also allows all other threads of the process to run on any CPU. Otherwise, threads that a pinned thread
    // has started would stay on its CPU.
    affinity_set(slot.cpu)
    let sample = try sampler.sample(slot.task, iterations: iterations)
    return BenchSample(nanoseconds: sample.realTime, disturbance: sample.disturbance)
  }

  /// Counts the instructions of one blur of a case with the hardware counters of the CPU.
  ///
  /// - Parameter slot: The slot number that was passed to ``open(_:_:)`` for this case.
  /// - Throws: ``MeasurementError/failed(_:)`` with the reason if the hardware counters cannot be used.
  public func instructions(_ slot: Int) throws(MeasurementError) -> UInt64 {
    guard let slot = slots[slot] else { throw .failed("internal error: slot \(slot) holds no case") }
    affinity_set(slot.cpu)
    return try slot.opened.instructions()
  }

  /// Removes the case that ``open(_:_:)`` stored under this number. Returns the error that occurred while the
  /// case was timed, or nil if there was no error.
  public func close(_ slot: Int) -> String? {
    defer { slots[slot] = nil }
    return slots[slot]?.opened.violation
  }
}
