import Blur
import Testing

@testable import BlurScenes

@Suite("Backdrops do not flash")
struct SceneJumpTests {
  /// Large enough for edges to matter, small enough to play all frames by two kernels.
  private static let device = try! Device("small", width: 192, height: 256, scale: 0.5)
  /// An edge of full contrast that moves 3 points in a frame changes a blur of sigma 10 points by at most
  /// 255 · 3 / (√(2π) · 10) = 31 levels, and by up to twice that where the edge is mirrored.
  private static let most = 62.0

  /// The largest change of a backdrop from one frame to the next.
  private func jump(_ scene: any Scene.Type, _ kernel: String) throws -> Double {
    let player = try ScenePlayer(scene, on: Self.device, kernel: try Registry.kernel(named: kernel))
    var before: (image: Image, region: Region?)?
    var largest = 0.0
    for frame in 0..<scene.frames {
      let shown = try player.shown(frame)
      let region = player.backdrop(frame)
      if let region, let before, let earlier = before.region {
        largest = max(largest, shown.jump(since: before.image, in: region, earlier))
      }
      before = (shown, region)
    }
    return largest
  }

  @Test(
    "From one frame to the next they change little, and as much as the truth", arguments: SceneTests.names)
  func scenes(name: String) throws {
    let scene = try #require(Scenes.named(name))
    let (shown, truth) = (try jump(scene, "pyramid"), try jump(scene, "dct-fine"))
    #expect(truth <= Self.most && abs(shown - truth) <= 8, "\(shown) and \(truth) levels")
  }

  @Test("A live backdrop that repeats the edge of the screen is noticed")
  func clamped() throws {
    let wrong = try jump(ClampedScreen.self, "pyramid")
    #expect(wrong > 1.5 * Self.most, "\(wrong) levels")
  }
}

/// Wrong: a feed scrolls below a live backdrop that repeats whichever row touches the edge.
private final class ClampedScreen: Scene {
  static var name: String { "clamped" }
  static var summary: String { "" }
  static var why: String { "" }
  static var frames: Int { 90 }
  private let device: Device
  private let backdrop: Backdrop
  private var content: Image
  private(set) var screen: Image

  init(_ stage: Stage) throws(BlurError) {
    device = stage.device
    backdrop = try Backdrop(.light, stage, on: device)
    content = try device.image()
    screen = try device.image()
  }

  var blurred: ImageLayout { screen.layout }
  var sigma: Double { BackdropEffect.light.radius * device.scale }
  var edge: EdgeMode { .clamp }
  func prepare(_ frame: Int) {
    let feed = Feed(seed: 1, scale: device.scale)
    content.withMutableView {
      feed.draw(into: $0, offset: StaticAgainstLive.offset(frame, scale: device.scale))
    }
  }
  func present(_ frame: Int) throws(BlurError) { try backdrop.show(content, in: &screen) }
}
