import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification

/// The same scene played by a kernel that is right to 10⁻⁵ of full scale, beside which others are held.
final class SceneTruth {
  private let player: ScenePlayer
  /// The frames that are held to the truth: pairs that follow each other, for flicker, and the last.
  let frames: [Int]

  /// One pair of frames in so many.
  private static let every = 12

  /// - Parameter tested: the kernel that is held to it, which is not its own truth.
  init(_ scene: any Scene.Type, on device: Device, beside tested: String, seed: UInt64) throws(BlurError) {
    let name = tested == "dct-fine" ? "simd-fine" : "dct-fine"
    player = try ScenePlayer(scene, on: device, kernel: try Registry.kernel(named: name), seed: seed)
    frames = (0..<scene.frames).filter { $0 % Self.every < 2 || $0 == scene.frames - 1 }
  }

  /// Holds a player to the truth, and leaves its last frame on its screen.
  func judge(_ tested: ScenePlayer) throws(BlurError) -> Finding {
    var finding = Finding()
    var before: (frame: Int, tested: Image, truth: Image)?
    for frame in frames {
      let (shown, truth) = (try tested.shown(frame), try player.shown(frame))
      finding.error = max(finding.error, shown.difference(from: truth).largest)
      if let before, before.frame == frame - 1, before.truth.layout == truth.layout {
        finding.flicker = max(
          finding.flicker, shown.levelsOfChange(since: before.tested, beyond: truth, since: before.truth))
      }
      for (name, value) in tested.findings(frame) where name == "stale_levels" {
        finding.stale = max(finding.stale ?? 0, value)
      }
      before = (frame, shown, truth)
    }
    finding.hash = PixelHash.of(tested.screen)
    return finding
  }

  /// What was found, in levels.
  struct Finding {
    var error = 0.0, flicker = 0.0
    var stale: Double?
    /// The hash of the last frame.
    var hash = ""
  }
}
