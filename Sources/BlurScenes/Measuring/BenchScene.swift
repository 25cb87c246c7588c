import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification

/// A benchmark case that times a scene, which is an animation of a user interface with a blur. The timed task
/// presents two frames of the scene again and again: the first frame, and the frame in the middle.
///
/// When the first frame is presented for the first time, the scene also does work that is needed only once,
/// such as blurring a snapshot of the screen for later frames. This work is not repeated when the frame is
/// presented again.
public final class BenchScene: BenchCase {
  public let findings: Findings
  private let name: String, threads: Int
  private let first: ScenePlayer, middle: ScenePlayer
  private let hash: String
  private var failure: String?

  /// Prepares a scene so that it can be timed. The scene uses the given kernel and the number of threads of
  /// the benchmark case.
  ///
  /// - Parameter isVerified: Whether frames of the scene are compared with the reference.
  public init(_ item: Case, _ kernel: Kernel, isVerified: Bool) throws(BlurError) {
    guard let name = item.workload.scene, let scene = Scene.named(name.scene),
      let device = Device.named(name.device)
    else { throw .unsupported(kernel: item.kernel, reason: "this scene, which this build does not have") }
    (self.name, threads) = (item.name, item.workload.threads)
    let stage = { Stage(device, kernel: kernel, isa: item.isa, threads: item.workload.threads) }
    (first, middle) = (try ScenePlayer(scene, stage()), try ScenePlayer(scene, stage()))
    var findings = Findings()
    if isVerified {
      let truth = try SceneTruth(scene, on: device, beside: item.kernel)
      let found = try truth.judge(middle)
      findings.maxErrorLevels = found.error.isFinite ? found.error : nil
    }
    try first.prepare(0)
    _ = try middle.shown(0)
    try middle.prepare(scene.frames / 2)
    try middle.present(scene.frames / 2)
    hash = middle.screen.pixelHash
    findings.outputHash = hash
    self.findings = findings
  }

  public var violation: String? {
    failure
      ?? (middle.screen.pixelHash == hash
        ? nil : "a frame had different pixels when it was presented again")
  }

  public var task: TimedTask { TimedTask(name: name, threads: threads) { self.play() } }

  public func instructions() throws(MeasurementError) -> UInt64 {
    throw .failed("instructions cannot be counted for scenes")
  }

  private func play() {
    do throws(BlurError) {
      try first.present(0)
      try middle.present(middle.scene.frames / 2)
    } catch { failure = "\(error)" }
  }
}
