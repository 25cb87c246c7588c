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
  private var times: [Double] = []

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

  func begin(countsAllocations: Bool) {
    times = []
    if countsAllocations { allocated = nil }
  }

  func play(_ frame: Int, countsAllocations: Bool) {
    do throws(BlurError) {
      try player.prepare(frame)
      let time = try countsAllocations ? counted(frame) : presented(frame)
      times.append(time / .nanoseconds(1))
    } catch { failure = "frame \(frame): \(error)" }
  }

  /// Presents a frame and returns the time that this takes.
  private func presented(_ frame: Int) throws(BlurError) -> Duration {
    let start = ContinuousClock.now
    try player.present(frame)
    return ContinuousClock.now - start
  }

  /// Presents a frame and returns the time that this takes. The number of bytes that the frame allocates is
  /// added to `allocated`.
  private func counted(_ frame: Int) throws(BlurError) -> Duration {
    allocations_begin(item.workload.threads > 1)
    defer {
      let bytes = allocations_end()
      allocated = bytes < 0 ? nil : (allocated ?? 0) + bytes
    }
    return try presented(frame)
  }

  /// Ends one playback of the scene and returns the times of its frames in nanoseconds. The scene was also
  /// played once for verification. If the last frame now has different pixels than it had then, the case is
  /// marked as failed.
  func end() -> [Double] {
    if failure == nil, PixelHash.of(player.screen) != finding.hash {
      failure = "the last frame had different pixels when it was verified"
    }
    return times
  }
}
