import Blur
import BlurVerification

/// The form in a modal dialog, with a title, fields, a paragraph and a button. The form has no background of
/// its own: its elements lie directly on the blur, inside an outline with rounded corners.
struct Form {
  let seed: UInt64
  /// The radius of the form's rounded corners, in points.
  static let radius = 14.0

  /// Returns the size of the form on a device's screen, in points. The size is at most 540 × 620, with a
  /// margin on all sides.
  static func size(on device: Device) -> (width: Double, height: Double) {
    (min(540, device.box.width - 48), min(620, device.box.height - 96))
  }

  /// Returns the form as an overlay in the middle of a device's screen.
  ///
  /// - Parameter inset: The distance between the edges of the screen and the edges of the panel that contains
  ///   the form, in pixels.
  func overlay(on device: Device, inset: Int = 0) throws(BlurError) -> Overlay {
    let size = Self.size(on: device)
    let (width, height) = (max(1, device.pixels(size.width)), max(1, device.pixels(size.height)))
    return try Overlay(
      width: width, height: height, scale: device.scale, x: (device.width - width) / 2 - inset,
      y: (device.height - height) / 2 - inset
    ) { draw($0, width: size.width, height: size.height) }
  }

  /// Draws the form with its top-left corner at the canvas's origin.
  func draw(_ canvas: Canvas, width: Double, height: Double) {
    var random = SplitMix64(seed: seed, 700)
    canvas.outline(Box(0, 0, width, height), Colour.faded, radius: Self.radius)
    canvas.fill(Box(0, 51.5, width, 0.5), Colour.faded)
    Lettering(size: 17, colour: Colour.ink, weight: 0.15)
      .line(canvas, x: width / 2, y: 18, width: 140, words: 2, isCentred: true, &random)
    Lettering(size: 16, colour: Colour.accents[0])
      .line(canvas, x: 16, y: 18, width: 70, words: 1, &random)
    var top = 72.0
    for field in 0..<4 where top + 44 < height - 90 {
      canvas.outline(Box(16, top, width - 32, 44), Colour.faded, radius: 8)
      Lettering(size: 14, colour: Colour.ink).line(
        canvas, x: 28, y: top + 14, width: 90, words: 1, &random)
      Lettering(size: 14, colour: Colour.ink)
        .line(canvas, x: 130, y: top + 14, width: width - 210, words: field + 1, &random)
      if field == 3 {
        canvas.fill(Box(width - 80, top + 8, 48, 28), Colour.accents[2], radius: 14)
        canvas.disc(x: width - 46, y: top + 22, radius: 12, Colour.paper)
      }
      top += 54
    }
    let lines = max(0, min(9, Int((height - 80 - top) / 20)))
    Lettering(size: 14, colour: Colour.ink)
      .paragraph(canvas, x: 20, y: top + 8, width: width - 40, lines: lines, &random)
    canvas.fill(Box(16, height - 64, width - 32, 48), Colour.accents[0], radius: 12)
    Lettering(size: 17, colour: Colour.paper, weight: 0.15)
      .line(canvas, x: width / 2, y: height - 48, width: 100, words: 1, isCentred: true, &random)
  }
}
