import Blur

/// A scene with a status bar at the top of the screen. The app's content scrolls below the bar, so it is
/// blurred again in every frame.
public final class LiveStatusBar: Scene {
  public static let name = "live-status-bar"
  public static let summary =
    "a status bar over a scrolling feed, blurred in every frame; it grows during a call, the device is "
    + "turned, and a modal covers it"
  public static let why = """
    The status bar over an app's content. It is 20 points high, or 40 points during a call, and it is \
    blurred in every frame, because the content scrolls below it. It grows and shrinks within half a second. \
    When the device is turned, the bar fades out, and it fades in when the device is turned back. Then the \
    app asks for a bar in its own colour, and a modal opens over everything, so that a blurred image is \
    blurred again. This is the smallest blur of an interface, and it must never be late, because it runs \
    while a finger scrolls. Content outside the bar must not affect it, so the strip is cut out before it is \
    blurred and mirrored at its edge. (A repeated edge would flash whenever a row of another colour reaches \
    it.) With --bleed, the content around the bar is blurred into it. The plans for each height and style \
    are made in advance.
    """
  public static let frames = 380
  /// The duration of each change on the screen in frames, which equals half a second. During a change, the
  /// status bar grows, shrinks or fades, or a modal dialog fades in or out.
  static let change = 30
  /// The frame in which the status bar begins to grow, because a call begins, and the frame in which it
  /// begins to shrink.
  static let grows = 60, shrinks = 120
  /// The frame in which the device is turned, the frame in which it is turned back, and the first frame in
  /// which the status bar is tinted with a colour of the app.
  static let turn = 170, turnedBack = 220, restyled = 260
  /// The frame in which a modal dialog begins to fade in over the screen, and the frame in which it begins to
  /// fade out.
  static let opens = 290, closes = 350

  static let effect = BackdropEffect(
    "status-bar", radius: 10, saturation: 1.8, tint: .init(white: 1, alpha: 0.4), edge: .mirror)
  /// The effect of the status bar in the last part of the scene, where the bar is tinted with a colour of the
  /// app.
  static let tinted = BackdropEffect.tint(.init(red: 0.35, green: 0.34, blue: 0.84, alpha: 1)).mirrored
  static let cover = BackdropEffect.extraLight.mirrored

  private let stage: Stage
  /// The blurred backgrounds of the status bar before it is tinted, by the bar's height in pixels. There are
  /// several, because the bar grows during a call.
  private let bars: [Int: Backdrop]
  private let tinted: Backdrop, turnedBar: Backdrop
  /// The icons and text of the status bar: dark icons for each orientation of the device (`signs`), light
  /// icons (`paleSigns`), and the text that is shown during a call (`call`). The light icons and the text are
  /// shown in only one orientation.
  private let signs: [Overlay]
  private let paleSigns: Overlay, call: Overlay
  private let modal: Backdrop
  private let form: PlacedForm
  /// The layouts of the screen in the two orientations.
  private let layouts: [ImageLayout]
  /// The image that the app has drawn. Its memory is used for both orientations of the device.
  private var content: Image
  public private(set) var screen: Image
  /// The image of the screen, including the status bar, over which the modal dialog is drawn.
  private var below: Image
  private var held = 0

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    let (device, turned) = (stage.device, stage.device.turned)
    func bar(
      _ effect: BackdropEffect, pixels: Int, on device: Device
    ) throws(BlurError) -> Backdrop {
      let region = Region(x: 0, y: 0, width: device.width, height: pixels)
      return try Backdrop(effect, stage, on: device, region: region, isIsolated: stage.settings.isolated)
    }
    var bars: [Int: Backdrop] = [:]
    for frame in 0...Self.grows + Self.change {
      let pixels = Self.pixels(frame, on: device)
      if bars[pixels] == nil { bars[pixels] = try bar(Self.effect, pixels: pixels, on: device) }
    }
    self.bars = bars
    tinted = try bar(Self.tinted, pixels: Self.pixels(0, on: device), on: device)
    turnedBar = try bar(Self.effect, pixels: Self.pixels(0, on: turned), on: turned)
    func overlay(_ device: Device, _ draw: (Canvas, Double) -> Void) throws(BlurError) -> Overlay {
      try Overlay(width: device.width, height: max(1, device.pixels(40)), scale: device.scale) {
        draw($0, device.box.width)
      }
    }
    func status(_ device: Device, _ colour: Colour) throws(BlurError) -> Overlay {
      try overlay(device) { Bars.status($0, width: $1, colour, seed: stage.seed) }
    }
    signs = [try status(device, Palette.ink), try status(turned, Palette.ink)]
    paleSigns = try status(device, Palette.paper)
    call = try overlay(device) { Bars.call($0, width: $1, seed: stage.seed) }
    modal = try Backdrop(Self.cover, stage, on: device)
    form = try PlacedForm(on: device, seed: stage.seed)
    layouts = [try device.layout, try turned.layout]
    content = try device.image()
    screen = try device.image()
    below = try device.image()
  }

  public var blurred: ImageLayout { layouts[0] }
  public var sigma: Double { Self.cover.radius * stage.device.scale }
  public var edge: EdgeMode { Self.effect.edge }

  /// Returns how far the list of posts is scrolled in a frame, in pixels. It scrolls by three points per
  /// frame, as if a finger dragged it.
  static func offset(_ frame: Int, scale: Double) -> Int { Int((Double(3 * frame) * scale).rounded()) }

  /// Returns how far a change, such as the growing of the status bar, has progressed in a frame, from 0 to 1.
  /// The change begins in the frame `start`.
  private static func share(_ frame: Int, since start: Int) -> Double {
    max(0, min(1, Double(frame - start) / Double(change)))
  }

  /// Returns the opacity of the status bar in a frame. The bar fades out when the device is turned, and fades
  /// in again when the device is turned back.
  static func opacity(_ frame: Int) -> Double {
    1 - share(frame, since: turn) + share(frame, since: turnedBack)
  }

  /// Returns how far the status bar has grown for a call, from 0 to 1. The bar is 20 points high without a
  /// call and 40 points high during a call.
  static func call(_ frame: Int) -> Double {
    Easing.easeInOut(share(frame, since: grows)) - Easing.easeInOut(share(frame, since: shrinks))
  }

  /// Returns the height of the status bar in a frame, in pixels.
  static func pixels(_ frame: Int, on device: Device) -> Int {
    min(device.height, max(1, device.pixels(20 + 20 * call(frame))))
  }

  /// Returns the opacity of the modal dialog in a frame.
  static func modal(_ frame: Int) -> Double { share(frame, since: opens) - share(frame, since: closes) }

  /// Draws the app's content for a frame, and copies it to the image on which the status bar will be drawn.
  /// This image is normally the screen itself. While a modal dialog is visible, it is a separate image,
  /// because the dialog shows a blurred copy of everything below it, including the status bar. The status bar
  /// and the dialog are drawn later, by ``present(_:)``.
  public func prepare(_ frame: Int) {
    held = (Self.turn..<Self.turnedBack).contains(frame) ? 1 : 0
    let feed = Feed(seed: stage.seed, scale: stage.device.scale)
    let offset = Self.offset(frame, scale: stage.device.scale)
    content.become(layouts[held])
    screen.become(layouts[held])
    content.withMutableView { feed.draw(into: $0, offset: offset) }
    content.withView { from in
      if Self.modal(frame) > 0 {
        below.withMutableView { Compositing.copy(from, into: $0) }
      } else {
        screen.withMutableView { Compositing.copy(from, into: $0) }
      }
    }
  }

  public func present(_ frame: Int) throws(BlurError) {
    let opacity = Self.modal(frame)
    guard opacity > 0 else { return try showBar(frame, in: &screen) }
    try showBar(frame, in: &below)
    try modal.show(below, in: &screen, opacity: opacity)
    screen.withMutableView { form.draw(onto: $0, opacity: opacity) }
  }

  private func showBar(_ frame: Int, in screen: inout Image) throws(BlurError) {
    let opacity = Self.opacity(frame)
    guard opacity > 0, let bar = bar(frame) else { return }
    try bar.show(content, in: &screen, opacity: opacity)
    try screen.withMutableView { (screen) throws(BlurError) in
      // The icons and text are drawn for a status bar of 40 points. While the bar is lower, this cuts off
      // everything that would lie below the bar.
      let strip = try screen.cropped(to: bar.region)
      (frame < Self.restyled ? signs[held] : paleSigns).draw(onto: strip, y: 0, opacity: opacity)
      if held == 0 { call.draw(onto: strip, y: 0, opacity: Self.call(frame)) }
    }
  }

  private func bar(_ frame: Int) -> Backdrop? {
    if held == 1 { return turnedBar }
    return frame < Self.restyled ? bars[Self.pixels(frame, on: stage.device)] : tinted
  }

  /// Returns a part of the screen that shows only blurred content, or nil if there is none in this frame. It
  /// is the area of the status bar. While the modal dialog is opaque, it is the area above the form in this
  /// dialog.
  public func backdrop(_ frame: Int) -> Region? {
    switch Self.modal(frame) {
    case 1: return Region(x: 0, y: 0, width: screen.layout.width, height: max(1, form.y))
    case 0 where Self.opacity(frame) == 1 && frame != Self.restyled: return bar(frame)?.region
    default: return nil
    }
  }
}
