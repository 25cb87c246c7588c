import Blur

/// A scene with a cross-fade between two screens of an app, in which the outgoing screen is blurred more and
/// more.
public final class CustomTransition: Scene {
  public static let name = "custom-transition"
  public static let summary =
    "one screen is blurred more and more while another fades in, and then the reverse"
  public static let why = """
    A transition between two screens of an app. The outgoing screen is blurred with a standard deviation \
    that rises from 0 to 20 points, while the incoming screen fades in over half a second; dismissal is the \
    reverse. Both changes start slowly (ease in). The duration and the blur were chosen for this scene. Each \
    frame has its own standard deviation. The plans for all of them are made before the first frame, so that \
    no frame waits for planning. The first and the last frame show the screens without a blur, because a \
    transition that ends with a blurred frame flashes.
    """
  /// The number of frames of the scene. The transition from one screen to the other is played forwards and
  /// then backwards. Each direction shows all steps from 0 to ``steps``, including both ends.
  public static let frames = 2 * (steps + 1)
  /// The number of steps into which the transition is divided. Each step takes one frame, so the transition
  /// takes half a second.
  static let steps = 30
  /// The standard deviation of the blur at the end of the transition, in points. This value is never reached,
  /// because the last frame of the transition is shown without a blur.
  static let radius = 20.0

  private let stage: Stage
  /// The blurs of the outgoing screen, one for each step of the transition. The first and the last step have
  /// none, because they are shown without a blur.
  private let backdrops: [Backdrop]
  private var outgoing: Image
  private var incoming: Image
  private var isDrawn = false
  public private(set) var screen: Image

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    var backdrops: [Backdrop] = []
    if !stage.settings.reduceTransparency {
      for step in 1..<Self.steps {
        let effect = BackdropEffect("transition", radius: Self.radius(step))
        backdrops.append(try Backdrop(effect, stage, on: stage.device))
      }
    }
    self.backdrops = backdrops
    outgoing = try stage.device.image()
    incoming = try stage.device.image()
    screen = try stage.device.image()
  }

  public var blurred: ImageLayout { screen.layout }
  public var sigma: Double { Self.radius(Self.steps - 1) * stage.device.scale }
  public var edge: EdgeMode { .clamp }

  /// Returns the step of the transition that a frame shows. The step rises from 0 to ``steps`` and falls back
  /// to 0.
  static func step(_ frame: Int) -> Int { frame <= steps ? frame : frames - 1 - frame }

  /// Returns how far the transition from one screen to the other has progressed at a step, from 0 to 1. The
  /// transition starts slowly and becomes faster.
  static func progress(_ step: Int) -> Double { Easing.easeIn(Double(step) / Double(steps)) }

  /// Returns the standard deviation of the blur of the outgoing screen at a step of the transition, in
  /// points.
  static func radius(_ step: Int) -> Double { radius * progress(step) }

  public func prepare(_ frame: Int) {
    guard !isDrawn else { return }
    let (seed, scale) = (stage.seed, stage.device.scale)
    outgoing.withMutableView { Feed(seed: seed, scale: scale).draw(into: $0, offset: 0) }
    incoming.withMutableView { Album(seed: seed, scale: scale).draw(into: $0) }
    isDrawn = true
  }

  public func present(_ frame: Int) throws(BlurError) {
    let step = Self.step(frame)
    if (1..<Self.steps).contains(step), !backdrops.isEmpty {
      try backdrops[step - 1].show(outgoing, in: &screen)
    } else {
      outgoing.withView { from in screen.withMutableView { Compositing.copy(from, into: $0) } }
    }
    let share = Compositing.share(Self.progress(step))
    incoming.withView { above in screen.withMutableView { Compositing.mix(above, share, into: $0) } }
  }
}
