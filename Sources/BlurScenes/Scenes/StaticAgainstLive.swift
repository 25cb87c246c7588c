import Blur

/// The same modal twice over the same animation: over a snapshot blurred once, then blurred in every frame.
public final class StaticAgainstLive: Scene {
  public static let name = "static-against-live"
  public static let summary =
    "a modal springs in over a feed that scrolls on, and is dragged off: over a snapshot, then live; then turned"
  public static let why = """
    What freshness costs: the screen behind a modal goes on scrolling. The modal has no ground of its own and is \
    inset by 20 points; it springs in over 0.6 seconds, stands, and is dragged off by a finger. In the first part it \
    shows a snapshot of the screen that was blurred once; in the second only the area below it is blurred, anew in \
    every frame and wherever it is, also between pixels; in the third the device is turned while that goes on. \
    `stale_levels` and `stale_mean_levels` are the largest and the mean difference between the snapshot and the live \
    blur of the screen in that frame, and `live` says which of the two a frame is: the difference between their \
    times is the price.
    """
  /// Two parts with the same animation, and half a second of standing before and after a turn.
  public static let frames = 2 * part + 60
  /// Springing in, standing, dragged off.
  static let part = arrival + 24 + drag
  /// Frames of 0.6 seconds.
  static let arrival = 36
  static let drag = 30
  /// The frame that is the first of the turned screen.
  static let turn = 2 * part + 30
  /// The original's damping and initial velocity; the duration is ours.
  static let spring = Spring(damping: 0.5, velocity: 0.6, settledAfter: 0.6)
  /// Of the modal, on each side, in points.
  static let inset = 20.0

  /// The light effect, mirrored at the edge of the screen: with a repeated edge, whatever row touches it would
  /// colour half of what is seen there, and change from one frame to the next.
  static let effect: BackdropEffect = {
    var effect = BackdropEffect.light
    effect.edge = .mirror
    return effect
  }()

  private let stage: Stage
  private var layouts: [Held]
  private var held = 0
  /// The whole screen, for the snapshot: a modal on its way shows any part of it.
  private let backdrop: Backdrop
  private var snapshot: Image
  private var hasSnapshot = false
  private var fresh: Image

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    layouts = [try Held(stage, stage.device), try Held(stage, stage.device.turned)]
    backdrop = try Backdrop(Self.effect, stage, on: stage.device)
    snapshot = try stage.device.image()
    fresh = try stage.device.image()
  }

  public var blurred: ImageLayout { layouts[0].pane.blurred }
  public var sigma: Double { Self.effect.radius * stage.device.scale }
  public var edge: EdgeMode { Self.effect.edge }
  public var screen: Image { layouts[held].app.screen }

  static func isLive(_ frame: Int) -> Bool { frame >= part }

  /// Pixels that a frame is scrolled by: four points each frame, from 0 in each part.
  static func offset(_ frame: Int, scale: Double) -> Int {
    Int((Double(frame % part * 4) * scale).rounded())
  }

  /// How far the modal is from its place, as shares of the screen's sides.
  static func place(_ frame: Int) -> (x: Double, y: Double) {
    guard frame < 2 * part else { return (0, 0) }
    let step = frame % part
    if step < arrival { return (0, 1 - spring.position(Double(step) / 60)) }
    guard step >= part - drag else { return (0, 0) }
    return FingerPath.place(step - (part - drag), of: drag)
  }

  public func prepare(_ frame: Int) throws(BlurError) {
    if frame == 0 { hasSnapshot = false }
    // A frame of the first part that is played alone finds the snapshot that frame 0 would have left.
    if !Self.isLive(frame), frame > 0, !hasSnapshot {
      layouts[0].app.draw(offset: 0)
      try takeSnapshot()
    }
    held = frame < Self.turn ? 0 : 1
    layouts[held].app.draw(offset: Self.offset(frame, scale: stage.device.scale))
  }

  private func takeSnapshot() throws(BlurError) {
    try backdrop.show(layouts[0].app.content, in: &snapshot)
    hasSnapshot = true
  }

  public func present(_ frame: Int) throws(BlurError) {
    if !Self.isLive(frame), !hasSnapshot { try takeSnapshot() }
    try layouts[held].show(at: Self.place(frame), prepared: Self.isLive(frame) ? nil : snapshot)
  }

  /// What is inside the modal, above its form, while it stands.
  public func backdrop(_ frame: Int) -> Region? {
    Self.place(frame) == (0, 0) && frame != Self.turn ? layouts[held].clear : nil
  }

  /// `live` (0 or 1), and how far the snapshot is from the blur of this frame's screen: `stale_levels` at most
  /// and `stale_mean_levels` on average, over what the modal covers of it. Both are 0 in live frames.
  public func findings(_ frame: Int) -> [String: Double] {
    guard !Self.isLive(frame) else { return ["live": 1, "stale_levels": 0, "stale_mean_levels": 0] }
    guard let region = layouts[0].touched(at: Self.place(frame)) else {
      return ["live": 0, "stale_levels": 0, "stale_mean_levels": 0]
    }
    guard (try? backdrop.show(layouts[0].app.content, in: &fresh)) != nil else { return [:] }
    let difference = snapshot.difference(from: fresh, in: region)
    return ["live": 0, "stale_levels": difference.largest, "stale_mean_levels": difference.mean]
  }

  /// What one way to hold the device needs.
  struct Held {
    let pane: Pane
    private let form: PlacedForm
    /// Where the modal stands, in pixels.
    private let inset: Int
    fileprivate var app: FeedScreen

    init(_ stage: Stage, _ device: Device) throws(BlurError) {
      inset = min(device.pixels(StaticAgainstLive.inset), (min(device.width, device.height) - 1) / 2)
      pane = try Pane(
        StaticAgainstLive.effect, stage, width: device.width - 2 * inset, height: device.height - 2 * inset,
        radius: Form.radius)
      form = try PlacedForm(on: device, seed: stage.seed)
      app = try FeedScreen(device, seed: stage.seed)
    }

    /// Where the modal is, by how far it is from its place.
    func origin(at place: (x: Double, y: Double)) -> (x: Double, y: Double) {
      let layout = app.screen.layout
      return (Double(inset) + place.x * Double(layout.width), Double(inset) + place.y * Double(layout.height))
    }

    func touched(at place: (x: Double, y: Double)) -> Region? {
      let (x, y) = origin(at: place)
      return pane.touched(x: x, y: y, of: app.screen.layout)
    }

    mutating func show(at place: (x: Double, y: Double), prepared: Image?) throws(BlurError) {
      let (x, y) = origin(at: place)
      try pane.show(app.content, in: &app.screen, x: x, y: y, prepared: prepared)
      let (right, down) = (Int(x.rounded()) - inset, Int(y.rounded()) - inset)
      app.screen.withMutableView { form.draw(onto: $0, right: right, down: down, opacity: 1) }
    }

    /// What is above the form and far from the modal's corners; nil where there is none.
    var clear: Region? {
      let corner = form.y / 3
      guard form.y - inset > 2 * corner, pane.width > 2 * corner, corner > 0 else { return nil }
      return Region(
        x: inset + corner, y: inset + corner, width: pane.width - 2 * corner,
        height: form.y - inset - 2 * corner)
    }
  }
}

/// A finger that drags a modal off: slow at first, then faster, a little to the right of straight down.
enum FingerPath {
  /// How far the finger is after some of its frames, as shares of the screen's sides.
  static func place(_ frame: Int, of frames: Int) -> (x: Double, y: Double) {
    let time = Double(frame) / Double(frames)
    return (0.06 * time * (2 - time), 1.05 * time * time * (1.6 - 0.6 * time))
  }
}
