import Blur

/// The same modal twice over the same animation: over a snapshot blurred once, then blurred in every frame.
public final class StaticAgainstLive: Scene {
  public static let name = "static-against-live"
  public static let summary =
    "a modal over a feed that scrolls on: a snapshot blurred once, then blurred live"
  public static let why = """
    What freshness costs: the screen behind a modal goes on scrolling. In the first second its backdrop is a snapshot \
    that was blurred once, in the second it is blurred anew in every frame, over the same animation. `stale_levels` \
    and `stale_mean_levels` are the largest and the mean difference between what is shown behind the modal and the \
    live blur of that frame, and `live` says which of the two a frame is: the difference between their times is the \
    price.
    """
  public static let frames = 2 * part
  /// Frames of each part: a second.
  static let part = 60

  /// The light effect, mirrored at the edge of the screen: with a repeated edge, whatever row touches it would
  /// colour half of what is seen there, and change from one frame to the next.
  static let effect: BackdropEffect = {
    var effect = BackdropEffect.light
    effect.edge = .mirror
    return effect
  }()

  private let stage: Stage
  private let backdrop: Backdrop
  private let form: PlacedForm
  private var content: Image
  private var snapshot: Image
  private var hasSnapshot = false
  private var fresh: Image
  public private(set) var screen: Image

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    backdrop = try Backdrop(Self.effect, stage, on: stage.device)
    form = try PlacedForm(on: stage.device, seed: stage.seed)
    content = try stage.device.image()
    snapshot = try stage.device.image()
    fresh = try stage.device.image()
    screen = try stage.device.image()
  }

  public var blurred: ImageLayout { screen.layout }
  public var sigma: Double { Self.effect.radius * stage.device.scale }
  public var edge: EdgeMode { Self.effect.edge }

  static func isLive(_ frame: Int) -> Bool { frame >= part }

  /// Pixels that a frame is scrolled by: four points each frame, from 0 in both parts.
  static func offset(_ frame: Int, scale: Double) -> Int {
    Int((Double(frame % part * 4) * scale).rounded())
  }

  public func prepare(_ frame: Int) throws(BlurError) {
    if frame == 0 { hasSnapshot = false }
    // A frame of the first part that is played alone finds the snapshot that frame 0 would have left.
    if !Self.isLive(frame), frame > 0, !hasSnapshot {
      draw(0)
      try takeSnapshot()
    }
    draw(frame)
  }

  /// What is above the form; the cut between the parts is no motion.
  public func backdrop(_ frame: Int) -> Region? {
    frame == Self.part ? nil : Region(x: 0, y: 0, width: screen.layout.width, height: form.y)
  }

  private func draw(_ frame: Int) {
    let feed = Feed(seed: stage.seed, scale: stage.device.scale)
    let offset = Self.offset(frame, scale: stage.device.scale)
    content.withMutableView { feed.draw(into: $0, offset: offset) }
  }

  private func takeSnapshot() throws(BlurError) {
    try backdrop.show(content, in: &snapshot)
    hasSnapshot = true
  }

  public func present(_ frame: Int) throws(BlurError) {
    if Self.isLive(frame) {
      try backdrop.show(content, in: &screen)
    } else {
      if !hasSnapshot { try takeSnapshot() }
      snapshot.withView { from in screen.withMutableView { Compositing.copy(from, into: $0) } }
    }
    screen.withMutableView { form.draw(onto: $0, opacity: 1) }
  }

  /// `live` (0 or 1), and how far the snapshot is from the live blur of this frame: `stale_levels` at most
  /// and `stale_mean_levels` on average, over all components of the screen. Both are 0 in live frames.
  public func findings(_ frame: Int) -> [String: Double] {
    guard !Self.isLive(frame) else { return ["live": 1, "stale_levels": 0, "stale_mean_levels": 0] }
    guard (try? backdrop.show(content, in: &fresh)) != nil else { return [:] }
    let difference = snapshot.difference(from: fresh)
    return ["live": 0, "stale_levels": difference.largest, "stale_mean_levels": difference.mean]
  }
}
