import Blur
import Testing

@testable import BlurScenes

@Suite("Backdrops must not flash")
struct SceneJumpTests {
  /// A screen that is large enough for its edges to matter, and small enough to play all frames with two
  /// kernels.
  private static let device = Device(name: "small", width: 192, height: 256, scale: 0.5)

  /// Returns the largest change of a blurred backdrop, in levels, if an edge of full contrast moves by
  /// `points` in a frame. The blur changes by at most 255 · points / (√(2π) · sigma), with sigma in points,
  /// and by up to twice that where the edge is mirrored.
  private static func most(_ points: Double, _ sigma: Double) -> Double {
    2 * 255 * points / ((2 * Double.pi).squareRoot() * sigma)
  }

  /// The largest change between two frames that each scene's backdrop may have, in levels. It follows from
  /// the speed of the content below the backdrop, and from the blur.
  private static let bounds: [String: Double] = [
    // The effect appears and disappears in 30 frames, so its opacity changes by 1/30 per frame. The change
    // between the layouts takes 24 frames and is fastest in its middle, at 1.75 times its mean speed, which
    // gives the larger bound.
    "modal-over-split-view": 255 * 1.75 / 24,
    // At the start of this transition, sigma rises from 0 to small values. A thin line loses much of its
    // contrast in these first frames, so large changes are right.
    "custom-transition": 64,
    "live-status-bar": most(3, 10),
    "static-against-live": most(4, 30),
    "reveal": 0,
    "many-cards": most(2.5, 20),
    // The card moves by 4 points in a frame, and the feed moves by 2 points the other way.
    "rounded-card": most(6, 16),
    // No edge is mirrored near the middle of the bar, so half of the general bound suffices. The effect
    // multiplies colour differences by 1.4 (its saturation), and a tint with an opacity of 0.18 reduces them.
    "glass": most(3, 4) / 2 * 1.4 * 0.82,
    "acrylic": most(2, 30),
    // Sigma is 0 at the lower end of the bar and 16 points at its upper end. The bound uses the sigma at two
    // thirds of the bar's height, which is about 10.8 points.
    "progressive-bar": most(3, 10.8),
  ]

  /// Returns the largest change of a backdrop from one frame to the next, and how many pairs of frames were
  /// compared.
  private func jump(_ scene: Scene, _ kernel: String) throws -> (levels: Double, frames: Int) {
    let player = try ScenePlayer(scene, on: Self.device, kernel: try Registry.kernel(named: kernel))
    var before: (image: Image, region: Region?)?
    var jumps: [Double] = []
    for frame in 0..<scene.frames {
      let shown = try player.shown(frame)
      let region = player.backdrop(frame)
      if let region, let before, let earlier = before.region,
        let jump = shown.jump(since: before.image, in: region, earlier)
      {
        jumps.append(jump)
      }
      before = (shown, region)
    }
    return (jumps.max() ?? 0, jumps.count)
  }

  @Test(
    "A backdrop changes little from one frame to the next, and as much as the exact blur does",
    arguments: SceneTests.names)
  func scenes(name: String) throws {
    let scene = try #require(Scene.named(name))
    let (shown, truth) = (try jump(scene, "pyramid"), try jump(scene, "dct-fine"))
    let most = try #require(Self.bounds[name])
    #expect(truth.levels <= most && abs(shown.levels - truth.levels) <= 8, "\(shown) and \(truth) levels")
    #expect(shown.frames >= 55, "it is measured of too few frames")
  }

  /// A scene with a deliberate mistake. A feed scrolls below a blurred backdrop that uses the edge mode
  /// clamp. So each row of the feed that reaches the edge of the screen is repeated, and the blur changes
  /// abruptly.
  private static let clampedScreen = Scene(
    name: "clamped", summary: "", why: "", frames: 90, app: .feed(speed: 4),
    layers: { (scene, stage) throws(BlurError) in
      [try BackdropLayer(scene, stage) { _ in .init(effect: .light) }]
    })

  @Test("A live backdrop that repeats the edge of the screen is detected")
  func clamped() throws {
    let wrong = try jump(Self.clampedScreen, "pyramid")
    #expect(wrong.levels > 1.5 * Self.most(4, 30), "\(wrong) levels")
  }
}
