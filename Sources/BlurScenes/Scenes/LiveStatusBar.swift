import Blur

/// A status bar that blurs what scrolls below it, in every frame.
public final class LiveStatusBar: Scene {
  public static let name = "live-status-bar"
  public static let summary =
    "a strip over a scrolling feed, blurred anew in every frame; a call makes it higher"
  public static let why = """
    The status bar over an app's content: 20 points high, 40 during a call, and blurred anew in every frame because \
    the content scrolls below it. When the device is turned, the bar fades away over half a second. It is the \
    smallest blur of an interface and the one that must never be late, as it runs while a finger scrolls. What is \
    outside the bar must not bleed into it: the strip is cut out before it is blurred, and mirrored at its edge, for a \
    repeated edge flashes whenever a row of another colour reaches it; \
    without `isolated` its neighbourhood is blurred into it. Plans for each height and layout are kept.
    """
  public static let frames = 200
  /// The frames of the call, and the frame in which the device is turned.
  static let call = 60..<120, turn = 150
  /// Frames of half a second.
  static let fade = 30
  static let effect = BackdropEffect(
    "status-bar", radius: 10, saturation: 1.8, tint: .init(white: 1, alpha: 0.4), edge: .mirror)

  private let stage: Stage
  private let bars: [Bar]
  /// What each way to hold the device needs: its content and its screen.
  private var contents: [Image]
  private var screens: [Image]
  private var held = 0

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    let (device, turned) = (stage.device, stage.device.turned)
    bars = [
      try Bar(stage, device, points: 20), try Bar(stage, device, points: 40),
      try Bar(stage, turned, points: 20),
    ]
    contents = [try device.image(), try turned.image()]
    screens = [try device.image(), try turned.image()]
  }

  public var blurred: ImageLayout { bars[1].layout }
  public var sigma: Double { Self.effect.radius * stage.device.scale }
  public var edge: EdgeMode { Self.effect.edge }
  public var screen: Image { screens[held] }

  /// Pixels that a frame is scrolled by: three points each frame, as a finger drags.
  static func offset(_ frame: Int, scale: Double) -> Int { Int((Double(3 * frame) * scale).rounded()) }

  /// How much of the bar is seen.
  static func opacity(_ frame: Int) -> Double {
    frame < turn ? 1 : Double(max(0, fade - (frame - turn))) / Double(fade)
  }

  /// The height of the bar in points.
  static func height(_ frame: Int) -> Double { call.contains(frame) ? 40 : 20 }

  /// Draws the content; the app's own pixels are on the screen with that, and only the bar is left to do.
  public func prepare(_ frame: Int) {
    held = frame < Self.turn ? 0 : 1
    let feed = Feed(seed: stage.seed, scale: stage.device.scale)
    let offset = Self.offset(frame, scale: stage.device.scale)
    contents[held].withMutableView { feed.draw(into: $0, offset: offset) }
    contents[held].withView { from in screens[held].withMutableView { Compositing.copy(from, into: $0) } }
  }

  public func present(_ frame: Int) throws(BlurError) {
    let bar = bar(frame)
    let opacity = Self.opacity(frame)
    try bar.backdrop.show(contents[held], in: &screens[held], opacity: opacity)
    screens[held].withMutableView { bar.signs.draw(onto: $0, y: 0, opacity: opacity) }
  }

  /// The bar, until content shows through it; its change of height is a cut.
  public func backdrop(_ frame: Int) -> Region? {
    guard frame < Self.turn, ![Self.call.lowerBound, Self.call.upperBound].contains(frame) else {
      return nil
    }
    return bar(frame).backdrop.region
  }

  private func bar(_ frame: Int) -> Bar { bars[frame >= Self.turn ? 2 : Self.call.contains(frame) ? 1 : 0] }

  /// A bar of one height.
  private struct Bar {
    let backdrop: Backdrop
    let signs: Overlay
    let layout: ImageLayout

    init(_ stage: Stage, _ device: Device, points: Double) throws(BlurError) {
      let height = min(device.height, max(1, device.pixels(points)))
      let region = Region(x: 0, y: 0, width: device.width, height: height)
      backdrop = try Backdrop(
        LiveStatusBar.effect, stage, on: device, region: region, isIsolated: stage.settings.isolated)
      layout = try backdrop.blurred
      signs = try Overlay(width: region.width, height: region.height, scale: device.scale) { canvas in
        Bars.status(canvas, width: device.box.width, height: points, seed: stage.seed)
      }
    }
  }
}
