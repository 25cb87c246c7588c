import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification

/// The reference of a scene: played by a kernel that is exact to 10⁻⁵ of full scale.
final class SceneTruth {
  private let player: ScenePlayer
  /// Frames between two pairs.
  private static let every = 12

  /// - Parameter tested: the kernel that is compared; the reference is another one.
  init(_ scene: any Scene.Type, on device: Device, beside tested: String, seed: UInt64) throws(BlurError) {
    let name = tested == "dct-fine" ? "simd-fine" : "dct-fine"
    player = try ScenePlayer(scene, on: device, kernel: try Registry.kernel(named: name), seed: seed)
  }

  /// Whether a frame is compared: pairs of neighbours, for flicker, and the last.
  private func isCompared(_ frame: Int) -> Bool {
    frame % Self.every < 2 || frame == player.frames - 1
  }

  /// Compares a player with the reference, and leaves its last frame on its screen. All of its frames are
  /// played, for none may jump; of the reference only those that are compared.
  func judge(_ tested: ScenePlayer) throws(BlurError) -> Finding {
    var finding = Finding()
    var jump: Jump?
    var before: (shown: Image, truth: Image?, backdrop: Region?)?
    for frame in 0..<tested.frames {
      let (shown, backdrop) = (try tested.shown(frame), tested.backdrop(frame))
      if let before, let backdrop, let earlier = before.backdrop,
        let levels = shown.jump(since: before.shown, in: backdrop, earlier), levels > jump?.levels ?? -1
      {
        jump = Jump(levels: levels, frame: frame, regions: (earlier, backdrop))
      }
      let truth = isCompared(frame) ? try player.shown(frame) : nil
      if let truth {
        finding.error = max(finding.error, shown.difference(from: truth).largest)
        if let before, let earlier = before.truth, earlier.layout == truth.layout {
          finding.flicker = max(
            finding.flicker, shown.levelsOfChange(since: before.shown, beyond: truth, since: earlier))
        }
      }
      for (name, value) in tested.findings(frame) where name == "stale_levels" {
        finding.stale = max(finding.stale ?? 0, value)
      }
      before = (shown, truth, backdrop)
    }
    finding.jump = jump?.levels
    finding.truthJump = try jump.flatMap { (jump) throws(BlurError) in try truth(of: jump) }
    finding.hash = PixelHash.of(tested.screen)
    return finding
  }

  /// The largest change of a backdrop, and between which frames it is.
  private struct Jump {
    let levels: Double
    /// The second of the two frames.
    let frame: Int
    let regions: (Region, Region)
  }

  /// How far the reference changes there.
  private func truth(of jump: Jump) throws(BlurError) -> Double? {
    let earlier = try player.shown(jump.frame - 1)
    return try player.shown(jump.frame).jump(since: earlier, in: jump.regions.1, jump.regions.0)
  }

  /// The result, in levels.
  struct Finding {
    var error = 0.0, flicker = 0.0
    /// The largest change of the backdrop from one frame to the next, and how far the truth changes between
    /// the same two frames; nil where no two frames show the same part of it.
    var jump: Double?, truthJump: Double?
    var stale: Double?
    /// The hash of the last frame.
    var hash = ""
  }
}
