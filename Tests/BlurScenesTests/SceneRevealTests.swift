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
      blurred = try content.under(.light, on: .tiny)
      signs = try Reveal(Stage(.tiny)).signs
    }

    /// Whether the screen is the content above `top` and the blurred snapshot, moved down by `shift`, below
    /// it.
    func agrees(with screen: Image, top: Int, shift: Int = 0) -> Bool {
      (0..<128).allSatisfy { y in
        guard y >= top else { return screen.row(y) == content.row(y) }
        let (row, expected) = (screen.row(y), blurred.row(max(0, y - shift)))
        return (0..<96).allSatisfy { x in
          signs.covers(x: x, y: y - top) || row[4 * x..<4 * x + 4] == expected[4 * x..<4 * x + 4]
        }
      }
    }
  }

  @Test("Each revealed pixel is the blurred snapshot's at that place, in every frame")
  func registration() throws {
    let (player, expected) = (try ScenePlayer(scene), try Expected())
    for frame in 0..<scene.frames {
      let (screen, top) = (try player.shown(frame), scene.top(frame, height: 128))
      #expect(expected.agrees(with: screen, top: top), "frame \(frame)")
      // A snapshot that moves with the sheet would be another picture.
      if (5..<30).contains(frame) { #expect(!expected.agrees(with: screen, top: top, shift: top)) }
    }
  }

  @Test("Unwinding reverses it, and both ends are the pure screen")
  func unwinding() throws {
    let frames = try ScenePlayer(scene).all().map(\.bytes)
    #expect(frames == frames.reversed())
    #expect(try frames[0] == Expected().content.bytes)
    #expect(Set(frames[..<10]).count == 10)
  }

  @Test("The sheet takes 0.6 seconds, overshoots a little, and rests at its height", arguments: [128, 2556])
  func motion(height: Int) {
    #expect(scene.steps == 36)
    let tops = (0...36).map { scene.top($0, height: height) }
    let rest = height - Int((0.62 * Double(height)).rounded())
    #expect(tops[0] == height && tops[36] == rest)
    #expect(tops.min()! < rest || height < 500)
    #expect(tops.min()! > rest - height / 20)
    // No jump at the end: the spring itself has come to rest.
    #expect(abs(tops[35] - rest) <= 1)
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
