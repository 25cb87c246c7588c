import Blur
import BlurRecords
import Testing

@testable import BlurScenes

@Suite("All scenes")
struct SceneTests {
  static let names = Scene.all.map(\.name)

  @Test("Scenes are found by their unique names, and explain what they stand for")
  func found() throws {
    #expect(Set(Self.names).count == Scene.all.count)
    for scene in Scene.all {
      #expect(Scene.named(scene.name)?.why == scene.why)
      #expect(!scene.summary.isEmpty && scene.why.count > 100 && !scene.why.contains("\n"))
    }
    #expect(Scene.named("none") == nil)
  }

  @Test("The suite of scenes names existing scenes and devices")
  func suite() throws {
    let plan = try MeasurementPlan(suite: "scenes", cores: 2, catalog: .interface)
    #expect(Set(plan.jobs.compactMap(\.workload.scene?.scene)) == Set(Self.names))
  }

  @Test("Frames are the same whether played in order, again, alone or on two threads", arguments: names)
  func determinism(name: String) throws {
    let scene = try #require(Scene.named(name))
    // The kernel is named, because the automatic choice depends on the number of threads.
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
    let player = try ScenePlayer(#require(Scene.named(name)), kernel: log.kernel)
    let plans = log.sigmas.count
    #expect(plans > 0)
    _ = try player.all()
    #expect(log.sigmas.count == plans)
    #expect(player.sigma == log.sigmas.max())
  }

  @Test("With reduced transparency nothing is blurred and no plan is made", arguments: names)
  func reducedTransparency(name: String) throws {
    let scene = try #require(Scene.named(name))
    #expect(throws: BlurError.unsupported(kernel: "refusing", reason: "anything")) {
      try ScenePlayer(scene, kernel: KernelLog.refusing)
    }
    let plain = try ScenePlayer(scene, kernel: KernelLog.refusing, reduceTransparency: true).all()
    #expect(try plain.map(\.bytes) != ScenePlayer(scene).all().map(\.bytes))
  }

  @Test("Scenes play on screens of any size", arguments: names, [(1, 1), (1, 90), (90, 1), (61, 47)])
  func sizes(name: String, size: (Int, Int)) throws {
    let device = Device(name: "any", width: size.0, height: size.1, scale: 1)
    let player = try ScenePlayer(#require(Scene.named(name)), on: device, kernel: nil)
    for frame in stride(from: 0, to: player.scene.frames, by: 15) {
      let screen = try player.shown(frame)
      #expect(screen.layout.pixelCount == size.0 * size.1)
      let bytes = screen.bytes
      #expect(stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 })
    }
  }

  @Test("Only static-against-live reports findings of its own", arguments: names)
  func findings(name: String) throws {
    let player = try ScenePlayer(#require(Scene.named(name)))
    _ = try player.shown(3)
    #expect(player.findings(3).isEmpty == (name != StaticAgainstLive.scene.name))
  }
}

@Suite("Scene: modal-over-split-view")
struct SceneModalTests {
  private let modal = ModalOverSplitView.self
  private let scene = ModalOverSplitView.scene

  @Test("Before and after the modal, the screen shows only the app, in the current layout")
  func ends() throws {
    let player = try ScenePlayer(scene)
    for (frame, device) in [(0, Device.tiny.wide), (scene.frames - 1, Device.tiny.tall)] {
      let pure = try Image.drawn(device) { SplitView(seed: 1, scale: device.scale).draw(into: $0) }
      #expect(try player.shown(frame).largestDifference(from: pure) == 0)
    }
  }

  @Test("The modal fades in over half a second, and out again")
  func fading() {
    #expect(modal.opacity.frames == 30)
    #expect([0, 15, 30, 60, 90, 105, 120].map(modal.opacity.progress) == [0, 0.5, 1, 1, 1, 0.5, 0])
  }

  /// Returns what is below the modal: the app, mixed with what is left of the old layout while the device
  /// turns.
  private func content(_ frame: Int) throws -> (content: Image, device: Device) {
    let devices = [Device.tiny.wide, Device.tiny.tall]
    let layouts = try devices.map { device in
      try Image.drawn(device) { SplitView(seed: 1, scale: device.scale).draw(into: $0) }
    }
    guard frame >= 60 else { return (layouts[0], devices[0]) }
    var content = try Image(layouts[1].layout)
    content.stretch(layouts[0])
    let share = Compositing.share(modal.turning.progress(frame))
    layouts[1].withView { above in content.withMutableView { Compositing.mix(above, share, into: $0) } }
    return (content, devices[1])
  }

  @Test(
    "While the device is rotated, one layout changes into the other and is blurred live",
    arguments: [59, 60, 70, 83, 84])
  func rotation(frame: Int) throws {
    let (pure, device) = try content(frame)
    let shown = try ScenePlayer(scene).shown(frame)
    let expected = try pure.under(modal.effect, on: device)
    let isSeen = frame < 60 ? aroundForm(on: device) : aroundTurningForm(modal.turning.progress(frame))
    #expect((shown.layout.width, shown.layout.height) == (device.width, device.height))
    for y in 0..<device.height {
      for x in 0..<device.width where isSeen(x, y) { #expect(shown.pixel(x, y) == expected.pixel(x, y)) }
    }
    // Inside the form, many pixels show the same blurred backdrop, because no part of the form covers them.
    let inside = (0..<device.width * device.height).map { ($0 % device.width, $0 / device.width) }
      .filter { !isSeen($0.0, $0.1) }
    let clear = inside.count { shown.pixel($0.0, $0.1) == expected.pixel($0.0, $0.1) }
    #expect(clear > inside.count / 4 && clear < inside.count)
  }

  /// Returns a function that tells whether a pixel lies outside the form while the device turns. During the
  /// turn, the form changes from its size on the wide screen to its size on the tall screen. `share` says how
  /// far this change has progressed. A margin of one pixel allows for rounding.
  private func aroundTurningForm(_ share: Double) -> (Int, Int) -> Bool {
    // Returns half the width and half the height of the form on this screen, after the screen was stretched
    // to 96 × 128 pixels.
    func half(_ device: Device) -> (width: Double, height: Double) {
      let size = Form.size(on: device)
      let (width, height) = (Double(device.pixels(size.width)), Double(device.pixels(size.height)))
      return (48 * width / Double(device.width), 64 * height / Double(device.height))
    }
    let (old, new) = (half(.tiny.wide), half(.tiny.tall))
    let width = old.width * (1 - share) + new.width * share + 1
    let height = old.height * (1 - share) + new.height * share + 1
    return { x, y in abs(Double(x) + 0.5 - 48) > width || abs(Double(y) + 0.5 - 64) > height }
  }

  @Test("The form moves from its old place to the new one without a jump")
  func turningForm() throws {
    let player = try ScenePlayer(scene)
    /// Returns the first row in which the middle of the screen differs from the backdrop, which is the upper
    /// edge of the form's outline.
    func top(_ frame: Int) throws -> Int {
      let shown = try player.shown(frame)
      let (pure, device) = try content(frame)
      let backdrop = try pure.under(modal.effect, on: device)
      return (0..<128).first { (y: Int) -> Bool in shown.pixel(48, y) != backdrop.pixel(48, y) } ?? 128
    }
    let tops: [Int] = try [60, 61, 66, 72, 78, 83, 84].map(top)
    // The form is 288 points high on the wide screen, which is 384 points high. On the tall screen it is 416
    // of 512 points high. So its upper edge moves upwards while the screen turns.
    #expect(tops == tops.sorted(by: >), "\(tops)")
    #expect(tops[0] == 16 && tops[3] == 14 && tops[6] == 12, "\(tops)")
  }

  @Test("The layouts change over 0.4 seconds")
  func turning() {
    #expect(
      [59, 60, 72, 84, 100].map(modal.turning.progress).map { ($0 * 1000).rounded() } == [
        0, 0, 500, 1000, 1000,
      ])
  }

  /// Returns whether a frame of the fade is a mixture of the app and the open modal.
  private func fades(_ player: ScenePlayer, _ frame: Int) throws -> Bool {
    let (start, end) = (try player.shown(0), try player.shown(30))
    let shown = try player.shown(frame)
    let isSeen = aroundForm(on: .tiny.wide)
    return (0..<96 * 128).allSatisfy { i in
      let (x, y) = (i % 128, i / 128)
      guard isSeen(x, y) else { return true }
      let ends = zip(start.pixel(x, y), end.pixel(x, y))
      return zip(ends, shown.pixel(x, y)).allSatisfy { ends, found in
        abs(Int(ends.0) * (30 - frame) + Int(ends.1) * frame - 30 * Int(found)) <= 60
      }
    }
  }

  @Test("The modal fades as a whole, and a view that fades by its alpha is detected", arguments: [5, 15, 25])
  func wholeFade(frame: Int) throws {
    #expect(try fades(try ScenePlayer(scene), frame))
    #expect(try !fades(try ScenePlayer(AlphaFade.scene), frame))
  }

  @Test("With reduced transparency, a single colour is behind the modal")
  func plainColour() throws {
    let player = try ScenePlayer(scene, reduceTransparency: true)
    let shown = try player.shown(40)
    let isSeen = aroundForm(on: .tiny.wide)
    var colours: Set<[UInt8]> = []
    for y in 0..<shown.layout.height {
      for x in 0..<shown.layout.width where isSeen(x, y) { colours.insert(shown.pixel(x, y)) }
    }
    #expect(colours.count == 1)
    // The form has no background of its own, but it keeps its outline.
    let (left, top) = (
      (128 - Device.tiny.pixels(Form.size(on: .tiny.wide).width)) / 2,
      (96 - Device.tiny.pixels(Form.size(on: .tiny.wide).height)) / 2
    )
    for (x, y) in [(left, 48), (127 - left, 48), (64, top), (64, 95 - top)] {
      #expect(!colours.contains(shown.pixel(x, y)), "the outline at \(x), \(y)")
    }
  }
}

/// A layer with a mistake: it fades the effect's view by its alpha, although the documentation of operating
/// systems warns against this. Nothing is blurred before the view is opaque, and only the tint fades.
private final class AlphaFade: Layer {
  static let scene = Scene(
    name: "alpha-fade", summary: "", why: "", frames: 31,
    app: .splitView(turning: ModalOverSplitView.turning), isWide: true,
    layers: { (_, stage) throws(BlurError) in [try AlphaFade(stage)] })

  private let backdrop: Backdrop
  private var white: Image

  init(_ stage: Stage) throws(BlurError) {
    backdrop = try Backdrop(ModalOverSplitView.effect, stage, on: stage.device)
    white = try stage.device.image()
    white.fill(Colour.paper)
  }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError) {
    if frame.number == 30 { return try backdrop.show(content, in: &screen) }
    screen.mix(in: white, 0.3 * Double(frame.number) / 30)
  }
}
