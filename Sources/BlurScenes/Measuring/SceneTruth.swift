import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification

/// The reference for the frames of a scene. The frames of a tested kernel are compared with reference frames,
/// which are rendered with a kernel whose error is at most 10⁻⁵ of full scale.
final class SceneTruth {
  private let player: ScenePlayer
  /// The length, in frames, of the periods into which a scene is divided. The first two frames of each period
  /// are compared with the reference.
  private static let every = 12

  /// Plans the reference for a scene.
  ///
  /// - Parameter tested: The name of the tested kernel. The reference uses a different kernel.
  init(_ scene: Scene, on device: Device, beside tested: String) throws(BlurError) {
    let name = tested == "dct-fine" ? "simd-fine" : "dct-fine"
    player = try ScenePlayer(scene, Stage(device, kernel: try Registry.kernel(named: name)))
  }

  /// Returns whether a frame is compared with the reference. The first two of every 12 frames are compared,
  /// because it takes two successive frames to find flicker. The last frame of the scene is compared, too.
  private func isCompared(_ frame: Int) -> Bool {
    frame % Self.every < 2 || frame == player.scene.frames - 1
  }

  /// Plays all frames of a scene with the tested kernel and compares some of them with the reference. All
  /// frames must be played, because a sudden change can occur between any two successive frames. The
  /// reference plays only the frames that are compared. Afterwards, the screen of `tested` shows the last
  /// frame.
  func judge(_ tested: ScenePlayer) throws(BlurError) -> Finding {
    var finding = Finding()
    var jump: Jump?
    var before: (shown: Image, truth: Image?, backdrop: Region?)?
    for frame in 0..<tested.scene.frames {
      let (shown, backdrop) = (try tested.shown(frame), tested.backdrop(frame))
      if let before, let backdrop, let earlier = before.backdrop,
        let levels = shown.jump(since: before.shown, in: backdrop, earlier), levels > jump?.levels ?? -1
      {
        jump = (levels, frame, (earlier, backdrop))
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
    finding.hash = tested.screen.pixelHash
    return finding
  }

  /// The largest change of a blurred background from one frame to the next. `levels` is the size of the
  /// change in 8-bit levels. `frame` is the index of the later frame. The two `regions` are the parts of the
  /// screen that show the blurred background, first in the earlier frame and then in the later frame.
  private typealias Jump = (levels: Double, frame: Int, regions: (Region, Region))

  /// Returns the largest change of any pixel in the exact reference between the two frames of `jump`, in
  /// 8-bit levels. Returns nil if the blurred backgrounds of the two frames do not overlap.
  private func truth(of jump: Jump) throws(BlurError) -> Double? {
    let earlier = try player.shown(jump.frame - 1)
    return try player.shown(jump.frame).jump(since: earlier, in: jump.regions.1, jump.regions.0)
  }

  /// The result of comparing a tested scene with the reference. All differences are in 8-bit levels.
  struct Finding {
    var error = 0.0, flicker = 0.0
    /// The largest change of the blurred background from one frame to the next (`jump`), and the change
    /// between these two frames in the exact reference (`truthJump`). Both values are nil if the blurred
    /// backgrounds of successive frames never overlap.
    var jump: Double?, truthJump: Double?
    var stale: Double?
    /// The hash of the last frame.
    var hash = ""
  }
}
