import Blur
import Foundation
import Testing

@testable import BlurScenes

@Suite("Scene: reveal")
struct SceneRevealTests {
  private let scene = Reveal.self

  private struct Expected {
    let content: Image
    let blurred: Image
    let signs: Overlay

    init() throws {
      content = try .drawn(.tiny) { Album(seed: 1, scale: 0.25).draw(into: $0) }
      blurred = try content.under(.dark, on: .tiny)
      signs = try Reveal(Stage(.tiny)).signs
    }

    /// Whether a frame is the blurred screen where the sheet is and the content elsewhere, signs aside.
    func agrees(with screen: Image, _ frame: Int) -> Bool {
      let origin = Reveal.origin(frame, screen.layout)
      return (0..<128).allSatisfy { y in
        let (row, blurred, content) = (screen.row(y), blurred.row(y), content.row(y))
        return (0..<96).allSatisfy { x in
          let (i, j) = (x - origin.x, y - origin.y)
          let isSheet = (0..<96).contains(i) && (0..<128).contains(j)
          let expected = isSheet ? blurred : content
          return isSheet && signs.covers(x: i, y: j)
            || row[4 * x..<4 * x + 4] == expected[4 * x..<4 * x + 4]
        }
      }
    }
  }

  @Test("Each revealed pixel is the blurred snapshot's at that place, in every frame")
  func registration() throws {
    let (player, expected) = (try ScenePlayer(scene), try Expected())
    for frame in 0..<scene.frames {
      #expect(expected.agrees(with: try player.shown(frame), frame), "frame \(frame)")
    }
  }

  @Test("A backdrop that travels with the sheet is noticed, wherever the sheet comes from")
  func travelling() throws {
    let (player, expected) = (try ScenePlayer(TravellingReveal.self), try Expected())
    for side in 0..<3 {
      let frames = side * 74 + 3..<side * 74 + 9
      for frame in frames {
        #expect(!expected.agrees(with: try player.shown(frame), frame), "frame \(frame)")
      }
      #expect(
        expected.agrees(with: try player.shown(side * 74 + 36), side * 74 + 36), "at rest it is the same")
    }
  }

  @Test("Going out reverses coming in, and both ends are the pure screen")
  func unwinding() throws {
    let frames = try ScenePlayer(scene).all().map(\.bytes)
    let pure = try Expected().content.bytes
    for side in 0..<3 {
      let part = Array(frames[side * 74..<(side + 1) * 74])
      #expect(part == part.reversed() && part[0] == pure)
      #expect(Set(part[..<10]).count == 10)
    }
    #expect(frames.count == 3 * 74)
  }

  @Test("The sheet takes 0.6 seconds to cover the screen, and stays there", arguments: [128, 2556])
  func motion(height: Int) throws {
    let layout = try ImageLayout(.rgba8, width: height / 2, height: height)
    #expect(scene.steps == 36)
    let tops = (0...36).map { scene.origin($0, layout).y }
    #expect(tops[0] == height && tops[36] == 0 && tops.min() == 0)
    // Where the spring swings back, it is a thousandth of its way.
    let arrival = try #require(tops.firstIndex(of: 0))
    #expect(tops[...arrival] == tops[...arrival].sorted(by: >)[...] && (10..<24).contains(arrival))
    #expect(tops[arrival...].allSatisfy { $0 <= height / 1000 })
    #expect((0...36).map { scene.origin($0 + 74, layout).y } == tops.map { -$0 })
    #expect((0...36).map { scene.origin($0 + 148, layout).x }.first == -height / 2)
  }

  @Test("The closed form of the spring solves its equation", arguments: [0.4, 0.75, 0.95])
  func spring(damping: Double) {
    let spring = Spring(damping: damping, settledAfter: 0.6)
    let omega = spring.frequency
    // Steps of a fifth of a microsecond: the error of this plain integration is far below the tolerance.
    var (x, v) = (0.0, 0.0)
    let step = 2e-7
    for i in 1...3_000_000 {
      v += step * (omega * omega * (1 - x) - 2 * damping * omega * v)
      x += step * v
      if i % 250_000 == 0 { #expect(abs(spring.position(Double(i) * step) - x) < 1e-4) }
    }
    #expect(spring.position(0) == 0)
    #expect(abs(spring.position(0.6) - 1) <= 1.0 / 4000)
  }
}

/// Wrong: what is seen through the sheet moves with it.
private final class TravellingReveal: Scene {
  static var name: String { "travelling" }
  static var summary: String { "" }
  static var why: String { "" }
  static var frames: Int { Reveal.frames }
  private let scene: Reveal
  private(set) var screen: Image

  init(_ stage: Stage) throws(BlurError) {
    scene = try Reveal(stage)
    screen = try stage.device.image()
  }

  var blurred: ImageLayout { scene.blurred }
  var sigma: Double { scene.sigma }
  var edge: EdgeMode { scene.edge }
  func prepare(_ frame: Int) throws(BlurError) { scene.prepare(frame) }

  func present(_ frame: Int) throws(BlurError) {
    try scene.present(frame)
    screen = scene.screen
    let (x, y) = Reveal.origin(frame, screen.layout)
    let (width, height) = (screen.layout.width, screen.layout.height)
    let size = (width: width - abs(x), height: height - abs(y))
    guard size.width > 0, size.height > 0 else { return }
    let from = Region(x: max(0, -x), y: max(0, -y), width: size.width, height: size.height)
    let to = Region(x: max(0, x), y: max(0, y), width: size.width, height: size.height)
    try scene.snapshot.withView { (snapshot) throws(BlurError) in
      try screen.withMutableView { (screen) throws(BlurError) in
        Compositing.copy(try snapshot.cropped(to: from), into: try screen.cropped(to: to))
      }
    }
  }
}
