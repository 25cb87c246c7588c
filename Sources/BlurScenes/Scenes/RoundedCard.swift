import Blur
import BlurVerification

/// A scene with a card that moves slowly over a scrolling list of posts. The content below the card has the
/// effect of the CSS property `backdrop-filter`.
public final class RoundedCard: Scene {
  public static let name = "rounded-card"
  public static let summary =
    "a card with rounded corners and the W3C's backdrop-filter drifts over a scrolling feed"
  public static let why = """
    `backdrop-filter: blur(16px) saturate(1.6) brightness(1.05)` with `border-radius: 24px`, as on the web. \
    Only the content below the card is blurred, mirrored at the edge of the card, so that nothing around the \
    card affects it. The result is cut to rounded corners. The card moves by fractions of a pixel and the \
    feed scrolls below it, so nothing can be kept from one frame to the next.
    """
  public static let frames = 120
  static let effect = BackdropEffect.backdropFilter(radius: 16, saturation: 1.6, brightness: 1.05)
  static let radius = 24.0

  private let stage: Stage
  private let card: Pane
  private let outline: Overlay
  private var app: FeedScreen

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    let device = stage.device
    let size = (width: min(340, device.box.width * 0.8), height: min(220, device.box.height * 0.5))
    card = try Pane(
      Self.effect, stage, width: max(1, device.pixels(size.width)),
      height: max(1, device.pixels(size.height)),
      radius: Self.radius)
    outline = try Overlay(width: card.width, height: card.height, scale: device.scale) {
      Self.signs($0, size.width, size.height, stage.seed)
    }
    app = try FeedScreen(device, seed: stage.seed)
  }

  private static func signs(_ canvas: Canvas, _ width: Double, _ height: Double, _ seed: UInt64) {
    var random = SplitMix64(seed: seed, 90)
    canvas.outline(Box(0, 0, width, height), Palette.paper, radius: radius)
    Lettering(size: 22, colour: Palette.ink, weight: 0.16)
      .line(canvas, x: 24, y: 24, width: width - 48, words: 3, &random)
    Lettering(size: 15, colour: Palette.ink)
      .paragraph(canvas, x: 24, y: 64, width: width - 48, lines: 3, &random)
  }

  public var blurred: ImageLayout { card.blurred }
  public var sigma: Double { Self.effect.radius * stage.device.scale }
  public var screen: Image { app.screen }
  public var edge: EdgeMode { Self.effect.edge }

  /// Returns the position of the card's top-left corner in pixels. The card moves down the screen while it
  /// sways from left to right and back.
  func place(_ frame: Int) -> (x: Double, y: Double) {
    let time = Double(frame) / Double(Self.frames - 1)
    let (right, down) = (stage.device.width - card.width, stage.device.height - card.height)
    // While `time` runs from 0 to 1, 3.2 · time · (1 − time) rises from 0 to 0.8 and falls back to 0. The
    // card therefore moves to the right until the middle of the scene, and then back to the left.
    return (Double(right) * (0.1 + 3.2 * time * (1 - time)), Double(down) * (0.05 + 0.85 * time))
  }

  public func prepare(_ frame: Int) { app.draw(offset: stage.device.pixels(2 * Double(frame))) }

  public func present(_ frame: Int) throws(BlurError) {
    let (x, y) = place(frame)
    try card.show(app.content, in: &app.screen, x: x, y: y)
    app.screen.withMutableView { outline.draw(onto: $0, x: Int(x.rounded()), y: Int(y.rounded())) }
  }

  /// Returns the part of the card that shows only blurred content: the area below its text, without the
  /// corners.
  public func backdrop(_ frame: Int) -> Region? {
    let (x, y) = place(frame)
    let (corner, text) = (Int((Self.radius * stage.device.scale).rounded(.up)), Int(140 * stage.device.scale))
    let (width, height) = (card.width - 2 * corner, card.height - corner - text)
    guard width > 0, height > 0 else { return nil }
    return Region(x: Int(x) + corner, y: Int(y) + text, width: width, height: height)
  }
}
