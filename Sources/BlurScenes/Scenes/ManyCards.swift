import Blur
import BlurVerification

/// A scene with dozens of small cards that scroll over a picture and show it blurred. At first each card has
/// a blur of its own, and then all cards share one blur of the whole screen.
public final class ManyCards: Scene {
  public static let name = "many-cards"
  public static let summary =
    "a list of cards scrolls over a picture; at first each card has its own blur, then all share one blur"
  public static let why = """
    Notifications over a wallpaper. Dozens of small cards with rounded corners scroll over a picture, and \
    each card shows the picture below it, blurred. In the first second, every card blurs its own part, \
    mirrored at its edge, as the material of a view does. After that, the whole screen is blurred \
    once in each frame, and the cards are windows onto it. Which of the two is cheaper depends on how much \
    of the screen the cards cover, and on the fixed cost of a small blur.
    """
  public static let frames = 2 * part
  /// The number of frames in each of the two parts of the scene. The cards have separate blurs in the first
  /// part and a shared blur in the second. Each part takes one second.
  static let part = 60

  static let effect = BackdropEffect.extraLight.mirrored
  /// The size of a card and the gap between cards, in points.
  private static let size = (width: 108.0, height: 56.0), gap = 10.0

  private let stage: Stage
  private let card: Pane
  private let signs: [Overlay]
  private let backdrop: Backdrop
  private var places: [Place] = []
  private var wallpaper: Image
  private var isDrawn = false
  private var shared: Image
  public private(set) var screen: Image

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    let device = stage.device
    let (width, height) = (max(1, device.pixels(Self.size.width)), max(1, device.pixels(Self.size.height)))
    card = try Pane(Self.effect, stage, width: width, height: height, radius: 16)
    var signs: [Overlay] = []
    for number in 0..<4 {
      signs.append(
        try Overlay(width: width, height: height, scale: device.scale) {
          CardSigns(seed: stage.seed, number: number).draw($0, width: Self.size.width)
        })
    }
    self.signs = signs
    backdrop = try Backdrop(Self.effect, stage, on: device)
    wallpaper = try device.image()
    shared = try device.image()
    screen = try device.image()
  }

  public var blurred: ImageLayout { screen.layout }
  public var sigma: Double { Self.effect.radius * stage.device.scale }
  public var edge: EdgeMode { Self.effect.edge }

  static func isShared(_ frame: Int) -> Bool { frame >= part }

  /// The number of a card, and the position of its top-left corner in pixels.
  typealias Place = (number: Int, x: Double, y: Double)

  /// Returns the numbers and the positions of the cards that are visible in a frame. The cards move up by 2.5
  /// points per frame.
  static func places(_ frame: Int, on device: Device) -> [Place] {
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

  public func prepare(_ frame: Int) {
    if !isDrawn {
      wallpaper.withMutableView { Album(seed: stage.seed, scale: stage.device.scale).draw(into: $0) }
    }
    isDrawn = true
    places = Self.places(frame, on: stage.device)
    wallpaper.withView { from in screen.withMutableView { Compositing.copy(from, into: $0) } }
  }

  public func present(_ frame: Int) throws(BlurError) {
    let isShared = Self.isShared(frame)
    if isShared { try backdrop.show(wallpaper, in: &shared) }
    for (number, x, y) in places {
      try card.show(wallpaper, in: &screen, x: x, y: y, prepared: isShared ? shared : nil)
      screen.withMutableView {
        signs[number % signs.count].draw(onto: $0, x: Int(x.rounded()), y: Int(y.rounded()))
      }
    }
  }

  /// Returns the area to the right of the last line of text on one of the cards. This line is short, so only
  /// the blurred picture shows there. In each half of the scene, this is the first card that stays on the
  /// screen in all frames.
  public func backdrop(_ frame: Int) -> Region? {
    let last = Self.places(Self.part - 1, on: stage.device)
    guard frame != Self.part, let number = last.first(where: { $0.y >= 0 })?.number,
      let card = Self.places(frame, on: stage.device).first(where: { $0.number == number })
    else { return nil }
    let scale = stage.device.scale
    let (left, right) = (Int((card.x + 68 * scale).rounded(.up)), Int(card.x + 91 * scale))
    let (top, bottom) = (Int((card.y + 46 * scale).rounded(.up)), Int(card.y + 54 * scale))
    guard bottom > top, bottom <= stage.device.height, left < right, right <= stage.device.width else {
      return nil
    }
    return Region(x: left, y: top, width: right - left, height: bottom - top)
  }
}

/// The content of a card: an icon, a heading and two lines of text.
private struct CardSigns {
  let seed: UInt64, number: Int

  func draw(_ canvas: Canvas, width: Double) {
    var random = SplitMix64(seed: seed, number, 60)
    canvas.fill(Box(10, 10, 18, 18), Palette.accents[number % Palette.accents.count], radius: 5)
    Lettering(size: 12, colour: Palette.ink, weight: 0.15)
      .line(canvas, x: 36, y: 12, width: width - 46, words: 2, &random)
    Lettering(size: 11, colour: Palette.ink)
      .paragraph(canvas, x: 10, y: 31, width: width - 20, lines: 2, &random)
  }
}
