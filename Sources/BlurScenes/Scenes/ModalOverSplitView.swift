import Blur

/// A scene with a modal dialog over a blurred screen with two columns. The device is turned while the dialog
/// is open.
public final class ModalOverSplitView: Scene {
  public static let name = "modal-over-split-view"
  public static let summary =
    "a form over a blurred screen with two columns; it fades in, the device is turned, and it fades out"
  public static let why = """
    The modal form of a tablet. The whole screen behind the form is blurred and lightened, and fades in over \
    half a second. Then the tablet is turned while the form is open: the screen has a different shape from \
    one frame to the next, the blur must be correct at once, and the old layout changes into the new one \
    over 0.4 seconds, with the form, blurred live. The plans for both layouts are made before the first \
    frame, which is cheap, and are kept, so that no frame waits for one. With reduced transparency, a plain \
    colour replaces the blur, and nothing is blurred.
    """
  /// The number of frames. A modal dialog fades in, stays open, stays open on the turned screen, and fades
  /// out. Each of these parts takes half a second.
  public static let frames = 4 * fade + 1
  static let fade = 30
  /// The first frame in which the screen is turned.
  static let turn = 2 * fade
  /// The number of frames in which the old screen layout changes into the new one after the device was
  /// turned. They take 0.4 seconds.
  static let turning = 24
  static let effect = BackdropEffect.light.mirrored

  private let stage: Stage
  private let ways: [Way]
  /// The images that the app has drawn below the modal dialog, one for each orientation of the device.
  private var apps: [Image]
  private var isDrawn = false
  /// Two images for the frames in which the device turns. `mixed` is a cross-fade between the old and the new
  /// screen, without the modal dialog. `turningForm` is the form in the dialog on its way to its new
  /// position.
  private var mixed: Image
  private var turningForm: PlacedForm?
  private var held = 0
  public private(set) var screen: Image

  /// Everything that the scene needs for one orientation of the device.
  private struct Way {
    let layout: ImageLayout
    let backdrop: Backdrop
    let form: PlacedForm

    init(_ stage: Stage, _ device: Device) throws(BlurError) {
      layout = try device.layout
      backdrop = try Backdrop(ModalOverSplitView.effect, stage, on: device)
      form = try PlacedForm(on: device, seed: stage.seed)
    }
  }

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    let (wide, tall) = (stage.device.wide, stage.device.tall)
    ways = [try Way(stage, wide), try Way(stage, tall)]
    apps = [try wide.image(), try tall.image()]
    mixed = try tall.image()
    screen = try wide.image()
  }

  public var blurred: ImageLayout { ways[0].layout }
  public var sigma: Double { Self.effect.radius * stage.device.scale }
  public var edge: EdgeMode { Self.effect.edge }

  /// Returns the opacity of the modal dialog and of the blurred background behind it in a frame.
  static func opacity(_ frame: Int) -> Double {
    Double(max(0, min(frame, fade, 4 * fade - frame))) / Double(fade)
  }

  /// Returns how far the screen layout has changed in a frame after the device was turned. The result is from
  /// 0 (only the old layout is visible) to 1 (only the new layout is visible).
  static func turned(_ frame: Int) -> Double {
    Easing.easeInOut(Double(frame - turn) / Double(turning))
  }

  public func prepare(_ frame: Int) throws(BlurError) {
    if !isDrawn {
      let view = SplitView(seed: stage.seed, scale: stage.device.scale)
      for i in 0..<2 { apps[i].withMutableView { view.draw(into: $0) } }
      isDrawn = true
    }
    held = frame < Self.turn ? 0 : 1
    screen.become(ways[held].layout)
    let share = Self.turned(frame)
    turningForm = nil
    guard held == 1, share < 1 else { return }
    // `screen` can hold an intermediate image here, the stretched old screen, because ``present(_:)``
    // overwrites all of `screen` later.
    screen.stretch(apps[0])
    apps[1].withView { from in mixed.withMutableView { Compositing.copy(from, into: $0) } }
    screen.withView { above in
      mixed.withMutableView { Compositing.mix(above, Compositing.share(1 - share), into: $0) }
    }
    turningForm = try PlacedForm(
      ways[0].form, on: ways[0].layout, to: ways[1].form, on: ways[1].layout, share)
  }

  public func present(_ frame: Int) throws(BlurError) {
    let (opacity, way) = (Self.opacity(frame), ways[held])
    try way.backdrop.show(turningForm == nil ? apps[held] : mixed, in: &screen, opacity: opacity)
    screen.withMutableView { (turningForm ?? way.form).draw(onto: $0, opacity: opacity) }
  }

  /// Returns the part of the screen above the form, which shows only the blurred background in both
  /// orientations of the device. The result is nil if there is no such part. It is also nil in the first
  /// frame after the device was turned, because the whole picture changes at once.
  public func backdrop(_ frame: Int) -> Region? {
    let height = min(ways[0].form.y, ways[1].form.y)
    guard frame != Self.turn, height > 0 else { return nil }
    return Region(x: 0, y: 0, width: screen.layout.width, height: height)
  }
}
