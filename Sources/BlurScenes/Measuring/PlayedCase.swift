import Blur
import BlurMeasurement
import BlurRecords
import CLinux

/// A benchmark case that is measured by rendering all frames of an animated scene.
final class PlayedCase {
  let item: Case
  let finding: SceneTruth.Finding
  /// The time that planning the whole scene took, and the time of the first frame after that, in nanoseconds.
  let planning: Double, firstFrame: Double
  private(set) var failure: String?
  /// The number of bytes that were allocated during all frames except the first one, or nil if allocations
  /// were not counted.
  private(set) var allocated: Int?
  /// The size in bytes of all memory that the scene keeps allocated: its images, plans and scratch memory. It
  /// is nil if memory was not counted.
  let held: Int?
  private let player: ScenePlayer
  /// The number of the frame that is presented, or -1 before the first frame.
  private var frame = -1
  private var countsAllocations = false

  init(
    _ item: Case, _ kernel: Kernel, _ scene: Scene, _ device: Device, truth: SceneTruth
  ) throws(BlurError) {
    self.item = item
    let before = allocations_held()
    let start = ContinuousClock.now
    let stage = Stage(device, kernel: kernel, isa: item.isa, threads: item.workload.threads)
    player = try ScenePlayer(scene, stage)
    planning = (ContinuousClock.now - start) / .nanoseconds(1)
    try player.prepare(0)
    let presenting = ContinuousClock.now
    try player.present(0)
    firstFrame = (ContinuousClock.now - presenting) / .nanoseconds(1)
    held = before < 0 ? nil : allocations_held() - before
    finding = try truth.judge(player)
  }

  /// Begins to play the scene again, from the first frame.
  func begin(countsAllocations: Bool) {
    frame = -1
    self.countsAllocations = countsAllocations
    if countsAllocations { allocated = nil }
  }

  /// The task whose iterations present the frames of the scene in order. The content of each frame is drawn
  /// before it is presented.
  var task: TimedTask {
    TimedTask(name: item.name, threads: item.workload.threads) {
      self.frame += 1
      self.attempt { () throws(BlurError) in try self.player.prepare(self.frame) }
    } iterate: {
      self.attempt(self.present)
    }
  }

  /// Runs a step of playing the scene, unless an earlier step has failed.
  private func attempt(_ step: () throws(BlurError) -> Void) {
    guard failure == nil else { return }
    do throws(BlurError) { try step() } catch { failure = "frame \(frame): \(error)" }
  }

  /// Presents a frame. If allocations are counted, the number of bytes that the frame allocates is added to
  /// `allocated`. The first frame is not counted.
  private func present() throws(BlurError) {
    guard countsAllocations, frame > 0 else { return try player.present(frame) }
    allocations_begin(item.workload.threads > 1)
    defer {
      let bytes = allocations_end()
      allocated = bytes < 0 ? nil : (allocated ?? 0) + bytes
    }
    try player.present(frame)
  }

  /// Ends one playback of the scene. The scene was also played once for verification. If the last frame now
  /// has different pixels than it had then, the case is marked as failed.
  func end() {
    if failure == nil, player.screen.pixelHash != finding.hash {
      failure = "the last frame had different pixels when it was verified"
    }
  }
}
