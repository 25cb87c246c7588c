import Blur
import Testing

@testable import BlurScenes

@Suite("Scene: custom-transition")
struct SceneTransitionTests {
  private static func feed() throws -> Image {
    try .drawn(.tiny) { Feed(seed: 1, scale: 0.25).draw(into: $0, offset: 0) }
  }
  private static func album() throws -> Image {
    try .drawn(.tiny) { Album(seed: 1, scale: 0.25).draw(into: $0) }
  }

  /// Returns whether the first and the last frame show the outgoing screen, and the middle frames show the
  /// incoming one.
  private func hasPureEnds(_ scene: Scene) throws -> Bool {
    let frames = try ScenePlayer(scene).all().map(\.bytes)
    let (feed, album) = (try Self.feed().bytes, try Self.album().bytes)
    let middle = frames.count / 2
    return frames[0] == feed && frames[frames.count - 1] == feed && frames[middle - 1] == album
      && frames[middle] == album
  }

  /// Returns whether the dismissal is the presentation played backwards, frame by frame.
  private func isReversed(_ scene: Scene) throws -> Bool {
    let frames = try ScenePlayer(scene).all().map(\.bytes)
    return frames == frames.reversed()
  }

  @Test("Both ends show the plain screens, and a wrong last frame is detected")
  func ends() throws {
    #expect(try hasPureEnds(CustomTransition.scene))
    #expect(try !hasPureEnds(Reordered.scene(strayLastFrame)))
    #expect(try !hasPureEnds(Reordered.scene(lateEnd)))
  }

  @Test("The dismissal is the presentation in reverse, and one that is played forwards is detected")
  func reversal() throws {
    #expect(try isReversed(CustomTransition.scene))
    #expect(try isReversed(Reordered.scene { $0 }))
    #expect(try !isReversed(Reordered.scene(playedTwice)))
  }

  @Test("Sigma rises with each of 29 steps, and each step has its own plan")
  func sigmas() throws {
    let log = KernelLog()
    _ = try ScenePlayer(CustomTransition.scene, kernel: log.kernel)
    // Sigma rises to 20 points, and each point is a quarter of a pixel.
    let expected = (1...29).map { 20 * Transition.easeIn(Double($0) / 30) / 4 }
    #expect(log.sigmas.count == 29 && log.sigmas == log.sigmas.sorted())
    #expect(zip(log.sigmas, expected).allSatisfy { abs($0 - $1) < 1e-12 })
  }

  @Test("Easing in starts slowly, and follows the curve of its four control points")
  func easing() {
    #expect(Transition.easeIn(0) == 0 && Transition.easeIn(1) == 1)
    for s in stride(from: 0.05, to: 1, by: 0.05) {
      // The Bernstein polynomials of the Bézier curve with the points (0, 0), (0.42, 0), (1, 1) and (1, 1).
      let (b1, b2, b3) = (3 * s * (1 - s) * (1 - s), 3 * s * s * (1 - s), s * s * s)
      #expect(abs(Transition.easeIn(0.42 * b1 + b2 + b3) - (b2 + b3)) < 1e-9)
      #expect(Transition.easeIn(s) < s)
    }
  }

  @Test(
    "On the way, the incoming screen is mixed into the blurred outgoing screen", arguments: [1, 10, 15, 29])
  func mixture(step: Int) throws {
    let share = Transition.easeIn(Double(step) / 30)
    let blurred = try Self.feed().under(BackdropEffect(name: "plain", sigma: 20 * share), on: .tiny).bytes
    let (shown, album) = (try ScenePlayer(CustomTransition.scene).shown(step).bytes, try Self.album().bytes)
    for (i, byte) in shown.enumerated() {
      let expected = Double(blurred[i]) * (1 - share) + Double(album[i]) * share
      let error = abs(Double(byte) - expected)
      // The weight of the incoming screen is rounded to a multiple of 1/256, which can cause an error of
      // 255/512 levels. Rounding the result adds half a level.
      try #require(error <= 255.0 / 512 + 0.5)
    }
  }
}

/// An order with a mistake: the last frame is still slightly blurred.
private func strayLastFrame(_ frame: Int) -> Int { min(frame, CustomTransition.scene.frames - 2) }

/// An order with a mistake: the incoming screen never appears completely.
private func lateEnd(_ frame: Int) -> Int { frame == CustomTransition.transition.frames ? frame - 1 : frame }

/// An order with a mistake: the dismissal is played forwards.
private func playedTwice(_ frame: Int) -> Int { frame % (CustomTransition.transition.frames + 1) }

/// A layer of the transition whose frames are shown in another order.
private final class Reordered: Layer {
  /// Returns the scene with its frames in another order.
  static func scene(_ order: @escaping @Sendable (_ frame: Int) -> Int) -> Scene {
    var scene = CustomTransition.scene
    scene.layers = { (_, stage) throws(BlurError) in
      try CustomTransition.scene.layers(CustomTransition.scene, stage).map { Reordered($0, order) }
    }
    return scene
  }

  private let layer: any Layer
  private let order: (Int) -> Int

  init(_ layer: any Layer, _ order: @escaping (Int) -> Int) {
    self.layer = layer
    self.order = order
  }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) throws(BlurError) {
    let other = Frame(number: order(frame.number), orientation: frame.orientation, isFirst: frame.isFirst)
    try layer.draw(other, over: content, in: &screen)
  }
}
