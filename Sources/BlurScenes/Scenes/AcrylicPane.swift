import Blur
import BlurVerification

/// A scene in which a navigation panel slides in from the left, over a scrolling list. The panel is made of
/// acrylic: it blurs and tints the content below it, and adds noise.
public final class AcrylicPane: Scene {
  public static let name = "acrylic"
  public static let summary = "a navigation pane of acrylic material slides in over a scrolling feed"
  public static let why = """
    The acrylic material of desktop systems. A pane along the left side slides in within 0.2 seconds and \
    later out again. It is blurred with a standard deviation of 30 points, with white by exclusion, a tint, \
    and noise that is fixed to the screen. The feed below keeps scrolling. The noise hides the bands that \
    such a strong blur leaves in 8 bits.
    """
  /// The number of frames of the scene, in which the panel slides in, stays open, and slides out.
  public static let frames = 120
  /// The number of frames in which the panel slides in. Sliding out takes equally long, namely 0.2 seconds.
  static let slide = 12
  static let effect = BackdropEffect.acrylic(
    tint: .init(red: 0.95, green: 0.96, blue: 0.98, alpha: 0.55)
  ).mirrored

  private let stage: Stage
  private let pane: Backdrop
  private let signs: Overlay
  private var app: FeedScreen
  private var under: Image

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    let device = stage.device
    let points = min(320, device.box.width * 0.6)
    let width = max(1, min(device.width, device.pixels(points)))
    pane = try Backdrop(
      Self.effect, stage, on: device, region: Region(x: 0, y: 0, width: width, height: device.height),
      isIsolated: stage.settings.isolated)
    blurred = try pane.blurred
    signs = try Overlay(width: width, height: device.height, scale: device.scale) {
      Self.signs($0, points, device.box.height, stage.seed)
    }
    app = try FeedScreen(device, seed: stage.seed)
    under = try device.image()
  }

  private static func signs(_ canvas: Canvas, _ width: Double, _ height: Double, _ seed: UInt64) {
    var random = SplitMix64(seed: seed, 95)
    for row in 0..<max(0, min(9, Int((height - 90) / 44))) {
      let y = 70 + 44 * Double(row)
      if row == 1 { canvas.fill(Box(8, y + 10, 3, 16), Palette.accents[0], radius: 1.5) }
      canvas.fill(Box(20, y + 9, 18, 18), row == 1 ? Palette.accents[0] : Palette.faded, radius: 4)
      Lettering(size: 14, colour: Palette.ink)
        .line(canvas, x: 54, y: y + 11, width: width - 70, words: 2, &random)
    }
  }

  public let blurred: ImageLayout
  public var sigma: Double { Self.effect.radius * stage.device.scale }
  public var screen: Image { app.screen }
  public var edge: EdgeMode { Self.effect.edge }

  /// Returns the fraction of the panel that has slid onto the screen in a frame, from 0 to 1.
  static func open(_ frame: Int) -> Double {
    Easing.easeInOut(Double(min(frame, frames - 1 - frame)) / Double(slide))
  }

  public func prepare(_ frame: Int) { app.draw(offset: stage.device.pixels(2 * Double(frame))) }

  public func present(_ frame: Int) throws(BlurError) {
    // The number of columns that the panel covers in this frame. Even if only a part of the panel is visible,
    // the whole panel is blurred, as if it were completely open.
    let covered = Int((Self.open(frame) * Double(pane.region.width)).rounded())
    guard covered > 0 else { return }
    try pane.show(app.content, in: &under)
    let strip = Region(x: 0, y: 0, width: covered, height: pane.region.height)
    try under.withView { (under) throws(BlurError) in
      try app.screen.withMutableView { (screen) throws(BlurError) in
        let strip = (from: try under.cropped(to: strip), to: try screen.cropped(to: strip))
        Compositing.copy(strip.from, into: strip.to)
        signs.draw(onto: strip.to, x: covered - pane.region.width, y: 0)
      }
    }
  }

  /// Returns the part of the screen that the panel covers, while the panel is completely open. Returns nil in
  /// all other frames, because the edge of the panel moves in them.
  public func backdrop(_ frame: Int) -> Region? { Self.open(frame) == 1 ? pane.region : nil }
}
