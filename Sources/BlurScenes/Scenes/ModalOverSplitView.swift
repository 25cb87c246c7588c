import Blur

/// A modal over a blurred two-column screen that is turned while the modal is open.
public final class ModalOverSplitView: Scene {
  public static let name = "modal-over-split-view"
  public static let summary = "a form over a blurred two-column screen: it fades in, is turned, fades out"
  public static let why = """
    The modal form of a tablet: the whole screen behind it is blurred and lightened, and fades in over half a second. \
    Then the tablet is turned while the form is open: the screen has other sides from one frame to the next, the blur \
    must be there at once, and the old layout fades into the new one over 0.4 seconds, blurred live. Plans and buffers for both layouts are made before the first frame, which is cheap, and \
    kept, so that no frame waits for one. Where a person has asked for less transparency, a plain colour stands in \
    place of the blur and nothing is blurred.
    """
  /// Half a second each: fading in, open, open and turned, fading out.
  public static let frames = 4 * fade + 1
  static let fade = 30
  /// Frames in which the layouts change: 0.4 seconds.
  static let turning = 24

  private var layouts: [Held]

  public init(_ stage: Stage) throws(BlurError) {
    layouts = [try Held(stage, stage.device.wide), try Held(stage, stage.device.tall)]
  }

  public var blurred: ImageLayout { layouts[0].content.layout }
  public var sigma: Double { BackdropEffect.light.radius * layouts[0].scale }
  public var edge: EdgeMode { .clamp }
  private var held = 0
  public var screen: Image { layouts[held].screen }

  /// How much of the modal and its backdrop is seen.
  static func opacity(_ frame: Int) -> Double {
    Double(max(0, min(frame, fade, 4 * fade - frame))) / Double(fade)
  }

  /// Which of the two layouts a frame has: it is turned while the modal is open.
  static func layout(_ frame: Int) -> Int { frame < 2 * fade ? 0 : 1 }

  /// How much of the new layout is seen.
  static func turned(_ frame: Int) -> Double {
    Easing.easeInOut(Double(frame - 2 * fade) / Double(turning))
  }

  public func prepare(_ frame: Int) {
    let held = Self.layout(frame)
    layouts[held].draw()
    guard held == 1, Self.turned(frame) < 1 else { return }
    layouts[0].draw()
    layouts[1].mix(layouts[0].app, 1 - Self.turned(frame))
  }

  public func present(_ frame: Int) throws(BlurError) {
    held = Self.layout(frame)
    try layouts[held].present(opacity: Self.opacity(frame))
  }

  /// What one way to hold the device needs.
  private struct Held {
    let scale: Double
    let seed: UInt64
    let backdrop: Backdrop
    let form: PlacedForm
    /// The app in this layout, and what is below the modal.
    private(set) var app: Image
    private(set) var content: Image
    private(set) var screen: Image
    private var isDrawn = false

    init(_ stage: Stage, _ device: Device) throws(BlurError) {
      scale = device.scale
      seed = stage.seed
      backdrop = try Backdrop(.light, stage, on: device)
      form = try PlacedForm(on: device, seed: seed)
      app = try device.image()
      content = try device.image()
      screen = try device.image()
    }

    mutating func draw() {
      if !isDrawn { app.withMutableView { SplitView(seed: seed, scale: scale).draw(into: $0) } }
      isDrawn = true
      app.withView { from in content.withMutableView { Compositing.copy(from, into: $0) } }
    }

    /// Lays `share` of another layout over the content, stretched to its sides.
    mutating func mix(_ other: Image, _ share: Double) {
      screen.stretch(other)
      screen.withView { above in
        content.withMutableView { Compositing.mix(above, Compositing.share(share), into: $0) }
      }
    }

    mutating func present(opacity: Double) throws(BlurError) {
      try backdrop.show(content, in: &screen, opacity: opacity)
      screen.withMutableView { form.draw(onto: $0, opacity: opacity) }
    }
  }
}
