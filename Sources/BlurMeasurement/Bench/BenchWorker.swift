import Blur
import BlurRecords
import BlurVerification
import CLinux

/// Opens cases and times them on request, while another process decides the order: the side of a comparison
/// that measures.
///
/// A worker has numbered slots; a slot holds one case at a time.
public final class BenchWorker {
  private let kernels: [Kernel]
  private let seed: UInt64
  private let scene: SceneOpener
  private var slots: [Int: Slot] = [:]
  private let watch = DisturbanceWatch()
  /// Pictures by layout, for painting is slow; and the bytes that they may have together.
  private var painted: [ImageLayout: Image] = [:]
  private static let mostPainted = 1 << 26

  private struct Slot {
    let opened: any BenchCase
    /// What is timed: the case's task, or a slower one.
    let task: TimedTask
    /// The CPU that the case is kept on, negative for all.
    let cpu: Int32
  }

  /// Makes a case of a scene ready; the last argument says whether its frames are held to the truth.
  public typealias SceneOpener = (Case, Kernel, Bool) throws(BlurError) -> any BenchCase

  /// Makes a worker of these kernels; `seed` is that of the pictures.
  ///
  /// - Parameter scene: makes cases of scenes ready; by default they are refused.
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

  /// Makes a case ready in a slot.
  public func open(_ slot: Int, _ entry: BenchRequest) -> Findings {
    slots[slot] = nil
    do {
      let item = try Case(name: entry.name)
      guard let kernel = kernels.first(where: { $0.name == item.kernel }) else {
        var findings = Findings(problem: "no kernel is called \(item.kernel)")
        findings.isGone = true
        return findings
      }
      guard item.isa.isAvailable else { return Findings(problem: "\(item.isa.name) is not available") }
      let cpu = item.workload.threads == 1 ? Int32(truncatingIfNeeded: entry.cpu) : -1
      affinity_set(cpu)
      let opened = try open(item, kernel, entry)
      let task = entry.slowdown > 0 ? opened.task.slowed(by: entry.slowdown) : opened.task
      if !opened.findings.isWrong { slots[slot] = Slot(opened: opened, task: task, cpu: cpu) }
      var findings = opened.findings
      findings.promise = kernel.promise.description
      findings.promisedLevels = kernel.promise.bound(for: item.workload.layout.format)
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
    return try PreparedCase(item, kernel, picture, judge: judge)
  }

  private func picture(_ layout: ImageLayout) throws(BlurError) -> Image {
    if let image = painted[layout] { return image }
    let bytes = painted.keys.reduce(layout.byteCount) { $0 + $1.byteCount }
    if bytes > Self.mostPainted { painted = [:] }
    let image = try TestImage.deadLeaves.image(layout, seed: seed)
    painted[layout] = image
    return image
  }

  /// Wall time of a blur of the slot's case, the mean of `iterations`.
  ///
  /// - Throws: ``MeasurementError/failed(_:)``, also for a slot without a case.
  public func sample(_ slot: Int, iterations: Int) throws(MeasurementError) -> BenchSample {
    guard let slot = slots[slot] else { throw .failed("slot \(slot) holds no case") }
    guard (1...1_000_000_000).contains(iterations) else { throw .failed("\(iterations) iterations") }
    // Slots take turns; and threads that the case has started since it was opened are let go.
    affinity_set(slot.cpu)
    return try RetriedSample.take(slot.task, iterations: iterations, watch: watch)
  }

  /// Instructions of one blur of the slot's case, by the CPU's own counters.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` with the reason why there are no counters here.
  public func instructions(_ slot: Int) throws(MeasurementError) -> UInt64 {
    guard let slot = slots[slot] else { throw .failed("slot \(slot) holds no case") }
    affinity_set(slot.cpu)
    return try slot.opened.instructions()
  }

  /// Empties a slot, and says what went wrong while its case was timed.
  public func close(_ slot: Int) -> String? {
    defer { slots[slot] = nil }
    return slots[slot]?.opened.violation
  }
}
