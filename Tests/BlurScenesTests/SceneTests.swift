import Blur
import BlurRecords
import Testing

@testable import BlurScenes

@Suite("All scenes")
struct SceneTests {
  static let names = Scenes.all.map { $0.name }

  @Test("Scenes are found by their names, which differ, and say what they stand for")
  func found() throws {
    #expect(Set(Self.names).count == 5)
    for scene in Scenes.all {
      #expect(Scenes.named(scene.name) == scene)
      #expect(!scene.summary.isEmpty && scene.why.count > 100 && !scene.why.contains("\n"))
    }
    #expect(Scenes.named("none") == nil)
  }

  @Test("The suite of scenes names scenes and devices that exist")
  func suite() throws {
    let plan = try MeasurementPlan(suite: "scenes", cores: 2, catalog: .interface)
    #expect(Set(plan.jobs.compactMap(\.workload.scene?.scene)) == Set(Self.names))
  }

  @Test("The same frames whenever played: in order, again, alone, and on two threads", arguments: names)
  func determinism(name: String) throws {
    let scene = try #require(Scenes.named(name))
    // Named, for what is chosen depends on the number of threads.
    let kernel = try Registry.kernel(named: "pyramid")
    let player = try ScenePlayer(scene, kernel: kernel)
    let first = try player.all().map(\.bytes)
    #expect(try player.all().map(\.bytes) == first)
    for frame in [0, 1, 17, scene.frames / 2, scene.frames - 1] {
      let shown = try ScenePlayer(scene, kernel: kernel, threads: 2).shown(frame)
      #expect(shown.bytes == first[frame], "frame \(frame)")
    }
    #expect(try ScenePlayer(scene, kernel: kernel, seed: 2).shown(5).bytes != first[5])
  }

  @Test("All plans are made before the first frame", arguments: names)
  func planning(name: String) throws {
    let log = KernelLog()
    let player = try ScenePlayer(#require(Scenes.named(name)), kernel: log.kernel)
    let plans = log.sigmas.count
    #expect(plans > 0)
    _ = try player.all()
    #expect(log.sigmas.count == plans)
    #expect(player.sigma == log.sigmas.max())
  }

  @Test("With reduced transparency nothing is blurred, and nothing planned", arguments: names)
  func reducedTransparency(name: String) throws {
    let scene = try #require(Scenes.named(name))
    #expect(throws: BlurError.unsupported(kernel: "refusing", reason: "anything")) {
      try ScenePlayer(scene, kernel: KernelLog.refusing)
    }
    let settings = SceneSettings(reduceTransparency: true)
    let plain = try ScenePlayer(scene, kernel: KernelLog.refusing, settings: settings).all()
    #expect(try plain.map(\.bytes) != ScenePlayer(scene).all().map(\.bytes))
  }

  @Test("Scenes play on screens of any size", arguments: names, [(1, 1), (1, 90), (90, 1), (61, 47)])
  func sizes(name: String, size: (Int, Int)) throws {
    let device = try Device("any", width: size.0, height: size.1, scale: 1)
    let player = try ScenePlayer(#require(Scenes.named(name)), on: device, kernel: nil)
    for frame in stride(from: 0, to: player.frames, by: 15) {
      let screen = try player.shown(frame)
      #expect(screen.layout.pixelCount == size.0 * size.1)
      let bytes = screen.bytes
      #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 })
    }
  }

  @Test("Scenes find nothing out, but for static-against-live", arguments: names)
  func findings(name: String) throws {
    let player = try ScenePlayer(#require(Scenes.named(name)))
    _ = try player.shown(3)
    #expect(player.findings(3).isEmpty == (name != StaticAgainstLive.name))
  }
}

@Suite("Scene: modal-over-split-view")
struct SceneModalTests {
  private let scene = ModalOverSplitView.self

  @Test("Before and after the modal the screen is the app's own, in the layout of the time")
  func ends() throws {
    let player = try ScenePlayer(scene)
    for (frame, device) in [(0, Device.tiny.wide), (scene.frames - 1, Device.tiny.tall)] {
      let pure = try Image.drawn(device) { SplitView(seed: 1, scale: device.scale).draw(into: $0) }
      #expect(try player.shown(frame).largestDifference(from: pure) == 0)
    }
  }

  @Test("It fades in over half a second and out again")
  func fading() {
    #expect(scene.fade == 30)
    #expect([0, 15, 30, 60, 90, 105, 120].map(scene.opacity) == [0, 0.5, 1, 1, 1, 0.5, 0])
  }

  @Test("The first frame after the rotation has the new layout and its blur", arguments: [59, 60])
  func rotation(frame: Int) throws {
    let device = frame < 60 ? Device.tiny.wide : Device.tiny.tall
    let shown = try ScenePlayer(scene).shown(frame)
    let pure = try Image.drawn(device) { SplitView(seed: 1, scale: device.scale).draw(into: $0) }
    let expected = try pure.under(.light, on: device)
    let isSeen = aroundForm(on: device)
    #expect((shown.layout.width, shown.layout.height) == (device.width, device.height))
    for y in 0..<device.height {
      for x in 0..<device.width where isSeen(x, y) { #expect(shown.pixel(x, y) == expected.pixel(x, y)) }
    }
    // The form stands on the same blur: at many places nothing of it covers the backdrop.
    let inside = (0..<device.width * device.height).map { ($0 % device.width, $0 / device.width) }
      .filter { !isSeen($0.0, $0.1) }
    let clear = inside.count { shown.pixel($0.0, $0.1) == expected.pixel($0.0, $0.1) }
    #expect(clear > inside.count / 4 && clear < inside.count)
  }

  @Test("With reduced transparency one colour stands behind the modal")
  func plainColour() throws {
    let player = try ScenePlayer(scene, settings: SceneSettings(reduceTransparency: true))
    let shown = try player.shown(40)
    let isSeen = aroundForm(on: .tiny.wide)
    var colours: Set<[UInt8]> = []
    for y in 0..<shown.layout.height {
      for x in 0..<shown.layout.width where isSeen(x, y) { colours.insert(shown.pixel(x, y)) }
    }
    #expect(colours.count == 1)
  }
}

@Suite("Scene: static-against-live")
struct SceneStaticTests {
  private let scene = StaticAgainstLive.self

  @Test("The snapshot is as stale as two blurs of the two moments differ", arguments: [0, 1, 30, 59])
  func staleness(frame: Int) throws {
    let player = try ScenePlayer(scene)
    for earlier in 0...frame { _ = try player.shown(earlier) }
    let findings = player.findings(frame)
    let (then, now) = try (feed(0), feed(frame))
    #expect(findings["stale_levels"] == Double(then.largestDifference(from: now)))
    let mean =
      zip(then.bytes, now.bytes).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) }
      / Double(then.bytes.count)
    #expect(abs((findings["stale_mean_levels"] ?? -1) - mean) < 1e-9)
    #expect(findings["live"] == 0)
    #expect((findings["stale_levels"] ?? 0) > 0 || frame == 0)
  }

  @Test("Live frames show the blur of the moment, over the same animation", arguments: [60, 75, 119])
  func live(frame: Int) throws {
    let player = try ScenePlayer(scene)
    let (shown, expected, isSeen) = (try player.shown(frame), try feed(frame), aroundForm(on: .tiny))
    for y in 0..<128 {
      for x in 0..<96 where isSeen(x, y) { #expect(shown.pixel(x, y) == expected.pixel(x, y)) }
    }
    #expect(player.findings(frame) == ["live": 1, "stale_levels": 0, "stale_mean_levels": 0])
    #expect(scene.offset(frame, scale: 3) == scene.offset(frame - 60, scale: 3))
  }

  /// The feed of a frame, blurred.
  private func feed(_ frame: Int) throws -> Image {
    // Four points, one pixel of the tiny screen, each frame.
    try Image.drawn(.tiny) { Feed(seed: 1, scale: 0.25).draw(into: $0, offset: frame % 60) }
      .under(StaticAgainstLive.effect, on: .tiny)
  }
}
