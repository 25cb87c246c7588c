import Blur
import BlurVerification

/// A scene with a card that moves slowly over a scrolling list of posts. The card blurs the content below it,
/// as the CSS property `backdrop-filter` does.
enum RoundedCard {
  static let effect = BackdropEffect.backdropFilter(sigma: 16, saturation: 1.6, brightness: 1.05)
  /// The radius of the card's corners (`radius`), and the height of its text, including the margin above the
  /// text (`text`), both in points.
  private static let radius = 24.0, text = 140.0

  static let scene = Scene(
    name: "rounded-card",
    summary: "a card with rounded corners and the W3C's backdrop-filter drifts over a scrolling feed",
    why: """
      `backdrop-filter: blur(16px) saturate(1.6) brightness(1.05)` with `border-radius: 24px`, as on the \
      web. Only the content below the card is blurred, mirrored at the edge of the card, so that nothing \
      around the card affects it. The result is cut to rounded corners. The card moves by fractions of a \
      pixel and the feed scrolls below it, so nothing can be kept from one frame to the next.
      """,
    frames: 120,
    app: .feed(speed: 2),
    layers: { (scene, stage) throws(BlurError) in
      let card = points(stage.device)
      return [
        try CardLayer(
          scene, stage, effect, radius: radius, size: size, places: { [place($0, on: $1)] },
          clear: { _ in (0, Box(radius, text, card.width - 2 * radius, card.height - radius - text)) },
          signs: { (device) throws(BlurError) in
            let (width, height) = size(device)
            return [
              try Overlay(width: width, height: height, scale: device.scale) {
                signs($0, card, stage.seed)
              }
            ]
          })
      ]
    })

  /// Returns a box at the origin that has the size of the card, in points.
  private static func points(_ device: Device) -> Box {
    Box(0, 0, min(340, device.box.width * 0.8), min(220, device.box.height * 0.5))
  }

  /// Returns the size of the card in pixels.
  private static func size(_ device: Device) -> (width: Int, height: Int) {
    let card = points(device)
    return (max(1, device.pixels(card.width)), max(1, device.pixels(card.height)))
  }

  /// Returns the place of the card. The card moves down the screen while it sways from left to right and
  /// back.
  static func place(_ frame: Int, on device: Device) -> CardLayer.Place {
    let time = Double(frame) / 119
    let (width, height) = size(device)
    // While `time` runs from 0 to 1, 3.2 · time · (1 − time) rises from 0 to 0.8 and falls back to 0. The
    // card therefore moves to the right until the middle of the scene, and then back to the left.
    let x = Double(device.width - width) * (0.1 + 3.2 * time * (1 - time))
    return (0, x, Double(device.height - height) * (0.05 + 0.85 * time))
  }

  private static func signs(_ canvas: Canvas, _ card: Box, _ seed: UInt64) {
    var random = SplitMix64(seed: seed, 90)
    canvas.outline(card, Colour.paper, radius: radius)
    Lettering(size: 22, colour: Colour.ink, weight: 0.16)
      .line(canvas, x: 24, y: 24, width: card.width - 48, words: 3, &random)
    Lettering(size: 15, colour: Colour.ink)
      .paragraph(canvas, x: 24, y: 64, width: card.width - 48, lines: 3, &random)
  }
}
