import Blur
import Testing

@testable import BlurScenes

@Suite("Scene: live-status-bar")
struct SceneStatusBarTests {
  private let bar = LiveStatusBar.self
  private let scene = LiveStatusBar.scene

  /// Returns the height of the status bar in a frame, in pixels.
  private func pixels(_ frame: Int, on device: Device) -> Int {
    device.bar(height: bar.height(frame)).height
  }

  private func feed(_ frame: Int, on device: Device) throws -> Image {
    // The feed moves by three points in each frame.
    let offset = Int((0.75 * Double(frame)).rounded())
    return try .drawn(device) { Feed(seed: 1, scale: 0.25).draw(into: $0, offset: offset) }
  }

  @Test("The bar grows from 20 to 40 points and shrinks again, over half a second each")
  func heights() {
    let device = Device(name: "any", width: 60, height: 80, scale: 1)
    let heights = (0..<170).map { pixels($0, on: device) }
    let some = [0, 60, 75, 90, 120, 135, 150].map { (frame: Int) -> Int in heights[frame] }
    #expect(some == [20, 20, 30, 40, 40, 30, 20])
    #expect(zip(heights, heights.dropFirst()).allSatisfy { abs($0 - $1) <= 2 })
    #expect((0...30).allSatisfy { heights[60 + $0] == heights[150 - $0] })
  }

  @Test(
    "The bar covers its height, and below it is the unchanged content",
    arguments: [0, 60, 75, 90, 135, 150, 270])
  func height(frame: Int) throws {
    let rows = pixels(frame, on: .tiny)
    let (shown, pure) = (try ScenePlayer(scene).shown(frame), try feed(frame, on: .tiny))
    for y in rows..<128 { #expect(shown.row(y) == pure.row(y), "row \(y)") }
    #expect((0..<rows).allSatisfy { shown.row($0) != pure.row($0) })
  }

  @Test(
    "While the device is rotated the bar fades out, and it returns when the device is rotated back",
    arguments: [200, 210, 219, 220])
  func hidden(frame: Int) throws {
    #expect([169, 170, 185, 200, 219, 220, 235, 250].map(bar.opacity) == [1, 1, 0.5, 0, 0, 0, 0.5, 1])
    let device = frame < 220 ? Device.tiny.turned : .tiny
    #expect(try ScenePlayer(scene).shown(frame).largestDifference(from: feed(frame, on: device)) == 0)
    for (fading, device) in [(170, Device.tiny.turned), (240, .tiny)] {
      let shown = try ScenePlayer(scene).shown(fading)
      #expect(try shown.largestDifference(from: feed(fading, on: device)) > 0)
    }
  }

  @Test("The second style has the app's colour")
  func style() throws {
    let bars = try [255, 270].map { frame in
      let shown = try ScenePlayer(scene).shown(frame)
      return (0..<5).flatMap { y in (20..<76).map { shown.pixel($0, y) } }
    }
    // The average by which blue exceeds green.
    let tints = bars.map { bar in bar.reduce(0) { $0 + Int($1[2]) - Int($1[1]) } / bar.count }
    #expect(tints[1] > tints[0] + 30, "\(tints)")
  }

  @Test("A modal blurs the bar together with the content below it")
  func modal() throws {
    let player = try ScenePlayer(scene)
    #expect([290, 305, 320, 350, 379].map { (bar.modal.progress($0) * 30).rounded() } == [0, 15, 30, 30, 1])
    // Before the modal appears, the frame shows the content below the bar unchanged.
    let bare = try player.shown(290)
    let moved = try feed(290, on: .tiny)
    #expect((5..<128).allSatisfy { bare.row($0) == moved.row($0) })
    let open = try player.shown(330)
    var below = try feed(330, on: .tiny)
    #expect(open.row(0) != (try below.under(bar.cover, on: .tiny)).row(0), "the bar is part of it")
    try Backdrop(
      bar.tinted, Stage(.tiny), on: .tiny, region: Region(x: 0, y: 0, width: 96, height: 5),
      isIsolated: true
    ).show(feed(330, on: .tiny), in: &below)
    let signs = try Overlay(width: 96, height: 10, scale: 0.25) {
      $0.statusBar(width: 384, Colour.paper, seed: 1)
    }
    below.withMutableView { signs.draw(onto: $0) }
    #expect(open.row(0) == (try below.under(bar.cover, on: .tiny)).row(0))
  }

  /// Returns whether the blurred strip is independent of the content outside it. To find out, it blurs the
  /// strip twice, with black and with white content below it.
  private func keepsOut(isIsolated: Bool) throws -> Bool {
    let device = Device(name: "any", width: 60, height: 80, scale: 1)
    let region = Region(x: 0, y: 0, width: 60, height: 20)
    let backdrop = try Backdrop(
      LiveStatusBar.effect, Stage(device), on: device, region: region, isIsolated: isIsolated)
    let strips = try [0, 255].map { below in
      let content = try Image.drawn(device) { view in
        Feed(seed: 1, scale: 1).draw(into: view, offset: 0)
        Canvas(view, scale: 1).fill(Box(0, 20, 60, 60), Colour(below))
      }
      var screen = content
      try backdrop.show(content, in: &screen)
      return (0..<20).flatMap { screen.row($0) }
    }
    return strips[0] == strips[1]
  }

  @Test("Content outside the strip bleeds in only if the strip is not isolated")
  func isolation() throws {
    #expect(try keepsOut(isIsolated: true))
    #expect(try !keepsOut(isIsolated: false))
    let bars = try [true, false].map { try ScenePlayer(scene, isIsolated: $0) }
    #expect(try bars[0].shown(70).bytes != bars[1].shown(70).bytes)
  }

  @Test("There is one plan for each height, style and layout, and one for the modal")
  func plans() throws {
    let log = KernelLog()
    let player = try ScenePlayer(scene, kernel: log.kernel)
    #expect((player.blurred.width, player.blurred.height) == (96, 128))
    let heights = Set((0...90).map { pixels($0, on: .tiny) })
    #expect(log.sigmas == Array(repeating: 2.5, count: heights.count + 2) + [5])
  }
}
