import Blur
import Testing

@testable import BlurScenes

@Suite("Scene: live-status-bar")
struct SceneStatusBarTests {
  private let scene = LiveStatusBar.self

  private func feed(_ frame: Int, on device: Device) throws -> Image {
    // Three points each frame.
    let offset = Int((0.75 * Double(frame)).rounded())
    return try .drawn(device) { Feed(seed: 1, scale: 0.25).draw(into: $0, offset: offset) }
  }

  @Test(
    "The bar is 20 points high, 40 during a call, and all below it is the content",
    arguments: [0, 59, 60, 119, 120])
  func height(frame: Int) throws {
    let points = (60..<120).contains(frame) ? 40 : 20
    let (shown, pure) = (try ScenePlayer(scene).shown(frame), try feed(frame, on: .tiny))
    for y in points / 4..<128 { #expect(shown.row(y) == pure.row(y), "row \(y)") }
    #expect((0..<points / 4).allSatisfy { shown.row($0) != pure.row($0) })
  }

  @Test("Turned, the bar fades away over half a second, and then all is content", arguments: [180, 181, 199])
  func hidden(frame: Int) throws {
    #expect([149, 150, 165, 180, 199].map(scene.opacity) == [1, 1, 0.5, 0, 0])
    let shown = try ScenePlayer(scene).shown(frame)
    #expect(try shown.largestDifference(from: feed(frame, on: .tiny.turned)) == 0)
    let fading = try ScenePlayer(scene).shown(150)
    #expect(try fading.largestDifference(from: feed(150, on: .tiny.turned)) > 0)
  }

  /// Whether a strip stays the same when all around it changes.
  private func keepsOut(isIsolated: Bool) throws -> Bool {
    let device = try Device("any", width: 60, height: 80, scale: 1)
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

  @Test("What is outside the strip bleeds in only where it is let in")
  func isolation() throws {
    #expect(try keepsOut(isIsolated: true))
    #expect(try !keepsOut(isIsolated: false))
    let settings = [true, false].map { SceneSettings(isolated: $0) }
    let bars = try settings.map { try ScenePlayer(scene, settings: $0) }
    #expect(try bars[0].shown(70).bytes != bars[1].shown(70).bytes)
  }

  @Test("The largest blur is the bar's during a call; there is a plan for each height and layout")
  func plans() throws {
    let log = KernelLog()
    let player = try ScenePlayer(scene, kernel: log.kernel)
    #expect((player.blurred.width, player.blurred.height) == (96, 10))
    #expect(log.sigmas == [2.5, 2.5, 2.5])
  }
}
