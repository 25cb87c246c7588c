import Blur
import BlurVerification

/// A scene with dozens of small cards that scroll over a picture and show a blurred version of it. In the
/// first half, each card has its own blur. In the second half, all cards share one blur of the whole screen.
enum ManyCards {
  static let effect = BackdropEffect.extraLight.mirrored
  /// The number of frames in each of the two parts of the scene, which take one second each. The cards have
  /// separate blurs in the first part, and a shared blur in the second.
  private static let part = 60
  /// The size of a card and the gap between cards, in points.
  private static let size = (width: 108.0, height: 56.0), gap = 10.0

  static let scene = Scene(
    name: "many-cards",
    summary:
      "a list of cards scrolls over a picture; at first each card has its own blur, then all share one blur",
    why: """
      Notifications over a wallpaper. Dozens of small cards with rounded corners scroll over a picture, and \
      each card shows the picture below it, blurred. In the first second, every card blurs its own part, \
      mirrored at its edge, as the material of a view does. After that, the whole screen is blurred once in \
      each frame, and each card shows a piece of the blurred screen. Which of the two methods is cheaper \
      depends on how much of the screen the cards cover, and on the fixed cost of a small blur.
      """,
    frames: 2 * part,
    app: .album,
    checked: { $0 == part ? nil : 0 },
    layers: { (scene, stage) throws(BlurError) in
      let (width, height) = (
        max(1, stage.device.pixels(size.width)), max(1, stage.device.pixels(size.height))
      )
      return [
        try CardLayer(
          scene, stage, effect, radius: 16,
          size: { _ in (width, height) }, backing: { $0 < part ? .live : .shared }, places: places,
          clear: { device in
            // The last line of text on a card is short, and the area to the right of it shows only the blur.
            // This area is checked on one card: the first one that stays on the screen throughout each part
            // of the scene.
            (places(part - 1, on: device).first { $0.y >= 0 }?.number ?? 0, Box(68, 46, 23, 8))
          },
          signs: { (device) throws(BlurError) in
            var signs: [Overlay] = []
            for number in 0..<4 {
              signs.append(
                try Overlay(width: width, height: height, scale: device.scale) {
                  draw($0, number, stage.seed)
                })
            }
            return signs
          })
      ]
    })

  /// Returns the places of the cards that are visible in a frame. The cards move up by 2.5 points per frame.
  static func places(_ frame: Int, on device: Device) -> [CardLayer.Place] {
    let (pitch, step) = (size.width + gap, size.height + gap)
    let columns = max(1, Int((device.box.width - gap) / pitch))
    let left = (device.box.width - Double(columns) * pitch + gap) / 2
    let offset = 2.5 * Double(frame % part)
    let rows = Int(offset / step)...Int((offset + device.box.height) / step)
    return rows.flatMap { row in
      (0..<columns).map { column in
        let (x, y) = (left + Double(column) * pitch, Double(row) * step + gap / 2 - offset)
        return (row * columns + column, x * device.scale, y * device.scale)
      }
    }
  }

  /// Draws the content of a card: an icon, a heading and two lines of text.
  private static func draw(_ canvas: Canvas, _ number: Int, _ seed: UInt64) {
    var random = SplitMix64(seed: seed, number, 60)
    canvas.fill(Box(10, 10, 18, 18), Colour.accents[number % Colour.accents.count], radius: 5)
    Lettering(size: 12, colour: Colour.ink, weight: 0.15)
      .line(canvas, x: 36, y: 12, width: size.width - 46, words: 2, &random)
    Lettering(size: 11, colour: Colour.ink)
      .paragraph(canvas, x: 10, y: 31, width: size.width - 20, lines: 2, &random)
  }
}
