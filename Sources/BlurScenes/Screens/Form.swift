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

  /// Draws the form with its top-left corner at the canvas's origin.
  func draw(_ canvas: Canvas, width: Double, height: Double) {
    var random = SplitMix64(seed: seed, 700)
    canvas.outline(Box(0, 0, width, height), Palette.faded, radius: Self.radius)
    canvas.fill(Box(0, 51.5, width, 0.5), Palette.faded)
    Lettering(size: 17, colour: Palette.ink, weight: 0.15)
      .line(canvas, x: width / 2, y: 18, width: 140, words: 2, isCentred: true, &random)
    Lettering(size: 16, colour: Palette.accents[0])
      .line(canvas, x: 16, y: 18, width: 70, words: 1, &random)
    var top = 72.0
    for field in 0..<4 where top + 44 < height - 90 {
      canvas.outline(Box(16, top, width - 32, 44), Palette.faded, radius: 8)
      Lettering(size: 14, colour: Palette.ink).line(
        canvas, x: 28, y: top + 14, width: 90, words: 1, &random)
      Lettering(size: 14, colour: Palette.ink)
        .line(canvas, x: 130, y: top + 14, width: width - 210, words: field + 1, &random)
      if field == 3 {
        canvas.fill(Box(width - 80, top + 8, 48, 28), Palette.accents[2], radius: 14)
        canvas.disc(x: width - 46, y: top + 22, radius: 12, Palette.paper)
      }
      top += 54
    }
    let lines = max(0, min(9, Int((height - 80 - top) / 20)))
    Lettering(size: 14, colour: Palette.ink)
      .paragraph(canvas, x: 20, y: top + 8, width: width - 40, lines: lines, &random)
    canvas.fill(Box(16, height - 64, width - 32, 48), Palette.accents[0], radius: 12)
    Lettering(size: 17, colour: Palette.paper, weight: 0.15)
      .line(canvas, x: width / 2, y: height - 48, width: 100, words: 1, isCentred: true, &random)
  }
}

/// A form with text fields and a button, as in a dialog of a user interface, together with the place on the
/// screen where it is drawn.
struct PlacedForm {
  private let signs: Overlay
  /// The position of the form's top-left corner, in pixels.
  let x: Int, y: Int

  /// Creates a form in the middle of a device's screen.
  init(on device: Device, seed: UInt64) throws(BlurError) {
    let size = Form.size(on: device)
    let (width, height) = (max(1, device.pixels(size.width)), max(1, device.pixels(size.height)))
    signs = try Overlay(width: width, height: height, scale: device.scale) {
      Form(seed: seed).draw($0, width: size.width, height: size.height)
    }
    (x, y) = ((device.width - width) / 2, (device.height - height) / 2)
  }

  /// Creates a form for a frame in which the device is being turned. The form moves from `start`, its place
  /// on the old screen, to `end`, its place on the new screen, and its size changes accordingly. At the
  /// beginning, it is stretched in the same way as the image of the old screen.
  ///
  /// - Parameter share: The progress of the turn, from 0 to 1.
  init(
    _ start: PlacedForm, on old: ImageLayout, to end: PlacedForm, on new: ImageLayout, _ share: Double
  ) throws(BlurError) {
    /// Returns the current coordinate of an edge of the form. The edge moves from `first` on the old screen,
    /// whose side is `side` pixels long, to `last` on the new screen, whose side is `newSide` pixels long.
    func between(_ first: Int, of side: Int, _ last: Int, of newSide: Int) -> Int {
      Int((Double(first * newSide) / Double(side) * (1 - share) + Double(last) * share).rounded())
    }
    x = between(start.x, of: old.width, end.x, of: new.width)
    y = between(start.y, of: old.height, end.y, of: new.height)
    let right = between(start.x + start.signs.width, of: old.width, end.x + end.signs.width, of: new.width)
    let bottom = between(
      start.y + start.signs.height, of: old.height, end.y + end.signs.height, of: new.height)
    signs = try start.signs.becoming(
      end.signs, share, width: max(1, right - x), height: max(1, bottom - y))
  }

  /// Draws the form onto the screen, moved by `right` and `down` pixels from its position.
  func draw(onto screen: MutableImageView, right: Int = 0, down: Int = 0, opacity: Double) {
    signs.draw(onto: screen, x: x + right, y: y + down, opacity: opacity)
  }
}

/// The content of a dark sheet, which is a panel that slides over the screen: a grip (a short bar by which
/// the sheet is dragged), a heading and two lines of text. The rest of the sheet is transparent.
struct SheetSigns {
  let seed: UInt64

  /// Draws the grip, the heading and the lines of text. The origin of the canvas must be the top-left corner
  /// of the sheet.
  func draw(_ canvas: Canvas, width: Double) {
    var random = SplitMix64(seed: seed, 800)
    canvas.fill(Box(width / 2 - 20, 8, 40, 5), Palette.faded, radius: 2.5)
    Lettering(size: 22, colour: Palette.paper, weight: 0.16)
      .line(canvas, x: 24, y: 34, width: width - 48, words: 3, &random)
    Lettering(size: 15, colour: Palette.paper)
      .paragraph(canvas, x: 24, y: 74, width: width - 48, lines: 2, &random)
  }
}
