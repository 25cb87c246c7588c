import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification

/// The reference of a scene: played by a kernel that is exact to 10⁻⁵ of full scale.
final class SceneTruth {
  private let player: ScenePlayer
  /// The frames that are compared: pairs of neighbours, for flicker, and the last.
  let frames: [Int]

  /// Frames between two pairs.
  private static let every = 12

  /// - Parameter tested: the kernel that is compared; the reference is another one.
  init(_ scene: any Scene.Type, on device: Device, beside tested: String, seed: UInt64) throws(BlurError) {
    let name = tested == "dct-fine" ? "simd-fine" : "dct-fine"
    player = try ScenePlayer(scene, on: device, kernel: try Registry.kernel(named: name), seed: seed)
    frames = (0..<scene.frames).filter { $0 % Self.every < 2 || $0 == scene.frames - 1 }
  }

  /// Compares a player with the reference, and leaves its last frame on its screen.
  func judge(_ tested: ScenePlayer) throws(BlurError) -> Finding {
    var finding = Finding()
    var before: (frame: Int, tested: Image, truth: Image, backdrop: Region?)?
    for frame in frames {
      let (shown, truth) = (try tested.shown(frame), try player.shown(frame))
      finding.error = max(finding.error, shown.difference(from: truth).largest)
      if let before, before.frame == frame - 1, before.truth.layout == truth.layout {
        finding.flicker = max(
          finding.flicker, shown.levelsOfChange(since: before.tested, beyond: truth, since: before.truth))
        if let region = tested.backdrop(frame), let earlier = before.backdrop {
          finding.jump = max(finding.jump, shown.jump(since: before.tested, in: region, earlier))
        }
      }
      for (name, value) in tested.findings(frame) where name == "stale_levels" {
        finding.stale = max(finding.stale ?? 0, value)
      }
      before = (frame, shown, truth, tested.backdrop(frame))
    }
    finding.hash = PixelHash.of(tested.screen)
    return finding
  }

  /// The result, in levels.
  struct Finding {
    var error = 0.0, flicker = 0.0
    /// The largest change of the backdrop from one frame to the next; the truth's is within ``flicker`` of it.
    var jump = 0.0
    var stale: Double?
    /// The hash of the last frame.
    var hash = ""
  }
}
