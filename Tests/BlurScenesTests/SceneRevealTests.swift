import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurScenes

@Suite("Scene: reveal")
struct SceneRevealTests {
  private let scene = Reveal.scene

  private struct Expected {
    let content: Image
    let blurred: Image
    let signs: Overlay

    init() throws {
      content = try .drawn(.tiny) { Album(seed: 1, scale: 0.25).draw(into: $0) }
      blurred = try content.under(.dark, on: .tiny)
      signs = try Reveal(Stage(.tiny)).signs
    }

    /// Returns whether a frame shows the blurred screen inside the sheet, and the sharp content outside.
    /// Within six pixels of the sheet, the content must be darkened by the sheet's shadow. Pixels of icons
    /// and text, and of the round corners, are not checked.
    func agrees(with screen: Image, _ frame: Int) -> Bool {
      let origin = Reveal.origin(frame, on: .tiny)
      return (0..<128).allSatisfy { y in
        let (row, blurred, content) = (screen.row(y), blurred.row(y), content.row(y))
        return (0..<96).allSatisfy { x in
          let (i, j) = (x - origin.x, y - origin.y)
          let (inside, across) = Self.depth(i, j, Reveal.side(frame))
          if inside >= 0 && (signs.covers(x: i, y: j) || inside < 5 && across < 5) { return true }
          return (4 * x..<4 * x + 4).allSatisfy { c in
            if inside >= 0 { return row[c] == blurred[c] }
            guard inside >= -6, c % 4 < 3 else { return row[c] == content[c] }
            // Near a round corner the sheet's edge is further away, so the shadow is lighter.
            if across < 5 { return row[c] <= content[c] && Double(row[c]) >= 0.7 * Double(content[c]) - 1 }
            let shadow = 0.3 * pow(1 - (-0.5 - Double(inside)) / 6, 2)
            return abs(Double(row[c]) - Double(content[c]) * (1 - shadow)) <= 1.01
          }
        }
      }
    }

    /// Returns how far a pixel is inside the sheet's leading edge, and how far it is from the nearer end of
    /// that edge.
    static func depth(_ i: Int, _ j: Int, _ side: SheetEdge.Side) -> (inside: Int, across: Int) {
      switch side {
      case .bottom: (j, min(i, 95 - i))
      case .top: (127 - j, min(i, 95 - i))
      case .left: (95 - i, min(j, 127 - j))
      }
    }
  }

  @Test("Each revealed pixel is the blurred snapshot's pixel at that place")
  func registration() throws {
    let (player, expected) = (try ScenePlayer(scene), try Expected())
    for frame in Tiers.some(of: Array(0..<scene.frames), every: 5, allInCI: true) {
      #expect(expected.agrees(with: try player.shown(frame), frame), "frame \(frame)")
    }
  }

  @Test("The two corners at the leading edge are round, and the others are the screen's")
  func corners() throws {
    let (player, expected) = (try ScenePlayer(scene), try Expected())
    for side in 0..<3 {
      let frame = side * 74 + 36
      let shown = try player.shown(frame)
      for (x, y) in [(0, 0), (95, 0), (0, 127), (95, 127)] {
        let isRound = Expected.depth(x, y, Reveal.side(frame)).inside == 0
        let below = isRound ? expected.content : expected.blurred
        // A round corner with a radius of 3.5 pixels leaves more than half of the corner pixel uncovered.
        // That part is in the sheet's shadow.
        for (found, pure) in zip(shown.pixel(x, y), below.pixel(x, y)) {
          #expect(isRound ? Double(found) > 0.6 * Double(pure) && found <= pure : found == pure)
        }
      }
    }
  }

  @Test("A backdrop that moves with the sheet is detected, wherever the sheet comes from")
  func travelling() throws {
    let (player, expected) = (try ScenePlayer(TravellingSheet.scene), try Expected())
    for side in 0..<3 {
      let frames = side * 74 + 3..<side * 74 + 9
      for frame in frames {
        #expect(!expected.agrees(with: try player.shown(frame), frame), "frame \(frame)")
      }
      #expect(
        expected.agrees(with: try player.shown(side * 74 + 36), side * 74 + 36), "at rest it is the same")
    }
  }

  @Test("Leaving is entering in reverse, and both ends show the plain screen")
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

  @Test("The sheet takes 0.6 seconds to cover the screen, and then stays there", arguments: [128, 2556])
  func motion(height: Int) throws {
    let device = Device(name: "any", width: height / 2, height: height, scale: 1)
    #expect(Reveal.steps == 36)
    let tops = (0...36).map { Reveal.origin($0, on: device).y }
    #expect(tops[0] == height + 24 && tops[36] == 0 && tops.min() == 0)
    // When the spring of the motion swings back, it moves the sheet by at most a thousandth of the whole way.
    let arrival = try #require(tops.firstIndex(of: 0))
    #expect(tops[...arrival] == tops[...arrival].sorted(by: >)[...] && (10..<24).contains(arrival))
    #expect(tops[arrival...].allSatisfy { $0 <= height / 1000 })
    #expect((0...36).map { Reveal.origin($0 + 74, on: device).y } == tops.map { -$0 })
    #expect((0...36).map { Reveal.origin($0 + 148, on: device).x }.first == -height / 2 - 24)
  }

  @Test("The closed form of the spring solves its differential equation", arguments: [0.4, 0.75, 0.95])
  func spring(damping: Double) {
    let spring = Spring(damping: damping, settledAfter: 0.6)
    let omega = spring.frequency
    // The reference integrates the spring's differential equation in simple steps of 0.2 µs. These steps are
    // so small that the error of the integration is far below the tolerance.
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

/// A layer with a mistake: the image that is seen through the sheet moves together with the sheet.
private final class TravellingSheet: Layer {
  static let scene: Scene = {
    var scene = Reveal.scene
    scene.layers = { (_, stage) throws(BlurError) in [try TravellingSheet(stage)] }
    return scene
  }()

  private let sheet: Reveal
  private let device: Device

  init(_ stage: Stage) throws(BlurError) {
    sheet = try Reveal(stage)
    device = stage.device
  }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError) {
    try sheet.draw(frame, over: content, in: &screen)
    let (x, y) = Reveal.origin(frame.number, on: device)
    let size = (width: device.width - abs(x), height: device.height - abs(y))
    guard size.width > 0, size.height > 0 else { return }
    let from = Region(x: max(0, -x), y: max(0, -y), width: size.width, height: size.height)
    let to = Region(x: max(0, x), y: max(0, y), width: size.width, height: size.height)
    try sheet.snapshot.withViews(into: &screen) { (snapshot, screen) throws(BlurError) in
      try screen.cropped(to: to).copyPixels(of: try snapshot.cropped(to: from))
    }
  }
}
