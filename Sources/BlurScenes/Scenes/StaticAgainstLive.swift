import Blur

/// A scene that shows the same animation of a modal dialog twice. At first, the dialog shows an image of the
/// screen that is blurred only once, the snapshot. Then it shows a blur that is computed again in every
/// frame.
public final class StaticAgainstLive: Scene {
  public static let name = "static-against-live"
  public static let summary =
    "a modal springs in over a scrolling feed and is dragged off, first with a blurred snapshot, then with a "
    + "live blur; then the device is turned"
  public static let why = """
    The cost of an up-to-date blur. The screen behind a modal keeps scrolling. The modal has no background \
    of its own and a margin of 20 points. It springs in within 0.6 seconds, stays in place, and is dragged \
    off by a finger. In the first part, the modal shows a snapshot of the area that it passes, which is \
    blurred once. In the second part, only the area below the modal is blurred, again in every frame and \
    wherever the modal is, also at fractions of a pixel. In the third part, the device is turned during \
    this. `stale_levels` and `stale_mean_levels` are the largest and the mean difference between the \
    snapshot and the live blur of the screen in that frame. `live` tells which of the two a frame uses. The \
    difference between their times is the price of an up-to-date blur.
    """
  /// The number of frames: two parts with the same animation, then half a second before and half a second
  /// after the device is turned.
  public static let frames = 2 * part + 60
  /// The number of frames of one part of the scene. In each part, a modal dialog springs in, stays in place,
  /// and is dragged off.
  static let part = arrival + 24 + drag
  /// The number of frames in which the modal dialog springs in. They take 0.6 seconds.
  static let arrival = 36
  static let drag = 30
  /// The first frame in which the screen is turned.
  static let turn = 2 * part + 30
  /// The spring that moves the modal dialog when it appears. The damping and the initial velocity follow the
  /// interface that this scene imitates, while the duration is our choice.
  static let spring = Spring(damping: 0.5, velocity: 0.6, settledAfter: 0.6)
  /// The distance between the modal dialog and each side of the screen, in points.
  static let inset = 20.0

  static let effect = BackdropEffect.light.mirrored

  private let stage: Stage
  private var app: FeedScreen
  private let ways: [Way]
  private var held = 0
  /// Blurs the part of the screen over which the modal dialog moves, in order to take the snapshot. The
  /// snapshot is a blurred image of the screen that the first part of the scene keeps.
  private let backdrop: Backdrop
  private var snapshot: Image
  private var hasSnapshot = false
  /// Memory for a blurred image of the current screen. The snapshot, which was blurred in an earlier frame,
  /// is compared with it. The image is nil until it is first needed.
  private var fresh: Image?

  public init(_ stage: Stage) throws(BlurError) {
    self.stage = stage
    let upright = try Way(stage, stage.device, memory: nil)
    ways = [upright, try Way(stage, stage.device.turned, memory: upright.pane.memory)]
    app = try FeedScreen(stage.device, seed: stage.seed)
    backdrop = try Backdrop(
      Self.effect, stage, on: stage.device, region: upright.passed, isIsolated: true)
    snapshot = try stage.device.image()
  }

  public var blurred: ImageLayout { ways[0].pane.blurred }
  public var sigma: Double { Self.effect.radius * stage.device.scale }
  public var edge: EdgeMode { Self.effect.edge }
  public var screen: Image { app.screen }

  static func isLive(_ frame: Int) -> Bool { frame >= part }

  /// Returns how far the list of posts is scrolled in a frame, in pixels. It scrolls by four points per
  /// frame, and starts again from 0 when the second part of the scene begins.
  static func offset(_ frame: Int, scale: Double) -> Int {
    Int((Double(frame % part * 4) * scale).rounded())
  }

  /// Returns how far the modal dialog is from its resting position in a frame, as fractions of the screen's
  /// width and height.
  static func place(_ frame: Int) -> (x: Double, y: Double) {
    guard frame < 2 * part else { return (0, 0) }
    let step = frame % part
    if step < arrival { return (0, 1 - spring.position(Double(step) / 60)) }
    guard step >= part - drag else { return (0, 0) }
    return FingerPath.place(Double(step - (part - drag)) / 60)
  }

  public func prepare(_ frame: Int) throws(BlurError) {
    if frame == 0 { hasSnapshot = false }
    // In the first part of the scene, the modal dialog shows a snapshot, which is an image of the screen that
    // was blurred in frame 0. If frame 0 was not played, there is no snapshot yet. It is then taken here,
    // with the list of posts scrolled as in frame 0.
    if !Self.isLive(frame), frame > 0, !hasSnapshot {
      app.become(ways[0].layout)
      app.draw(offset: 0)
      try takeSnapshot()
    }
    held = frame < Self.turn ? 0 : 1
    app.become(ways[held].layout)
    app.draw(offset: Self.offset(frame, scale: stage.device.scale))
  }

  private func takeSnapshot() throws(BlurError) {
    try backdrop.show(app.content, in: &snapshot)
    hasSnapshot = true
  }

  public func present(_ frame: Int) throws(BlurError) {
    if !Self.isLive(frame), !hasSnapshot { try takeSnapshot() }
    try ways[held].show(at: Self.place(frame), on: &app, prepared: Self.isLive(frame) ? nil : snapshot)
  }

  /// Returns the part of the modal dialog above its form, which shows only blurred content, while the dialog
  /// stays in place. The result is nil while the dialog moves, because its edges move too.
  public func backdrop(_ frame: Int) -> Region? {
    Self.place(frame) == (0, 0) && frame != Self.turn ? ways[held].clear : nil
  }

  /// Returns three values. `live` is 1 if the blur is computed again in this frame, and 0 if the modal dialog
  /// shows the snapshot, which was blurred in an earlier frame. `stale_levels` and `stale_mean_levels` are
  /// the largest and the mean difference, within the dialog, between the snapshot and a blur of the current
  /// screen. Both are 0 if `live` is 1.
  public func findings(_ frame: Int) -> [String: Double] {
    guard !Self.isLive(frame) else { return ["live": 1, "stale_levels": 0, "stale_mean_levels": 0] }
    guard let region = ways[0].touched(at: Self.place(frame)) else {
      return ["live": 0, "stale_levels": 0, "stale_mean_levels": 0]
    }
    do throws(BlurError) {
      var image = if let fresh { fresh } else { try stage.device.image() }
      fresh = nil
      try backdrop.show(app.content, in: &image)
      fresh = image
      let difference = snapshot.difference(from: image, in: region)
      return ["live": 0, "stale_levels": difference.largest, "stale_mean_levels": difference.mean]
    } catch { return [:] }
  }

  /// Everything that the scene needs for one orientation of the device.
  struct Way {
    let layout: ImageLayout
    let pane: Pane
    private let form: PlacedForm
    /// The distance of the modal dialog from the sides of the screen, and the size of its rounded corners, in
    /// pixels.
    private let inset: Int, corner: Int

    init(_ stage: Stage, _ device: Device, memory: PaneMemory?) throws(BlurError) {
      layout = try device.layout
      inset = min(device.pixels(StaticAgainstLive.inset), (min(device.width, device.height) - 1) / 2)
      corner = Int((Form.radius * device.scale).rounded(.up))
      let (width, height) = (device.width - 2 * inset, device.height - 2 * inset)
      pane = try Pane(
        StaticAgainstLive.effect, stage, width: width, height: height, radius: Form.radius,
        memory: memory)
      form = try PlacedForm(on: device, seed: stage.seed)
    }

    /// Returns the position of the modal dialog's top-left corner in pixels. `place` is the dialog's distance
    /// from its resting position, as fractions of the screen's width and height.
    private func origin(at place: (x: Double, y: Double)) -> (x: Double, y: Double) {
      (Double(inset) + place.x * Double(layout.width), Double(inset) + place.y * Double(layout.height))
    }

    func touched(at place: (x: Double, y: Double)) -> Region? {
      let (x, y) = origin(at: place)
      return pane.touched(x: x, y: y, of: layout)
    }

    /// The smallest part of the screen that contains everything the modal dialog covers during its animation.
    var passed: Region {
      let touched = (0..<part).compactMap { self.touched(at: StaticAgainstLive.place($0)) }
      let (left, top) = (touched.map(\.x).min() ?? 0, touched.map(\.y).min() ?? 0)
      let right = touched.map(\.columns.upperBound).max() ?? layout.width
      let bottom = touched.map(\.rows.upperBound).max() ?? layout.height
      return Region(x: left, y: top, width: right - left, height: bottom - top)
    }

    func show(
      at place: (x: Double, y: Double), on app: inout FeedScreen, prepared: Image?
    ) throws(BlurError) {
      let (x, y) = origin(at: place)
      try pane.show(app.content, in: &app.screen, x: x, y: y, prepared: prepared)
      let (right, down) = (Int(x.rounded()) - inset, Int(y.rounded()) - inset)
      app.screen.withMutableView { form.draw(onto: $0, right: right, down: down, opacity: 1) }
    }

    /// The part of the modal dialog above its form that shows only blurred content. The rows with the form
    /// and the columns with the rounded corners are left out. It is nil if nothing remains.
    var clear: Region? {
      guard form.y > inset + 2, pane.width > 2 * corner else { return nil }
      return Region(
        x: inset + corner, y: inset + 1, width: pane.width - 2 * corner, height: form.y - inset - 2)
    }
  }
}

/// The path of a finger that drags the modal dialog off the screen.
///
/// The table imitates a recording: it contains positions as a touch screen reports them, at irregular times,
/// from the touch to the lift. The values are invented and not recorded. The finger is slow at first, halts
/// briefly, and then moves faster and faster, and slightly to the right. After the lift, the dialog continues
/// at its last velocity.
enum FingerPath {
  /// Positions of the finger on its path. Each sample contains the time since the touch in milliseconds, and
  /// the distance from the point of the touch in thousandths of the screen's width (x) and height (y).
  static let samples: [(time: Double, x: Double, y: Double)] = [
    (0, 0, 0), (9, 0.2, 1), (18, 0.3, 2.4), (24, 0.4, 3.6), (34, 0.8, 5.4), (42, 1, 8.5), (51, 1.4, 12),
    (58, 2.3, 16), (67, 3, 20.5), (76, 3.4, 26.3), (85, 4.6, 33.4), (93, 5.7, 40.1), (102, 6.5, 48.6),
    (109, 7.8, 55.5), (118, 9, 63.9), (126, 9.7, 71.5), (134, 10.6, 79.1), (142, 11.4, 85.1),
    (151, 12.1, 91.3), (159, 12.2, 95.2), (167, 12.5, 97.5), (177, 12.8, 100.3), (185, 12.9, 103.5),
    (192, 13.2, 106.3), (202, 14, 113), (211, 15.2, 120.3), (218, 16, 128), (226, 17.3, 137.7),
    (236, 18.6, 152.9), (243, 19.9, 164.6), (253, 21.7, 183.6), (260, 23.1, 198.6), (268, 24.5, 217.5),
    (278, 26.6, 243.2), (285, 28, 263.9), (294, 29.5, 291.4), (303, 31.3, 320.6), (310, 32.7, 344.9),
    (319, 34.4, 377.7), (328, 36.2, 412.3), (337, 37.3, 447.6), (344, 38.7, 475.6), (353, 40.4, 513.2),
    (362, 41.7, 550.7), (370, 43, 584.6),
  ]

  /// Returns how far the finger has dragged the modal dialog after a time in seconds, as fractions of the
  /// screen's width and height.
  static func place(_ time: Double) -> (x: Double, y: Double) {
    let time = time * 1000
    // After the last sample, the position is extrapolated from the last two samples.
    let after = samples.firstIndex { $0.time >= time } ?? samples.count - 1
    let (a, b) = (samples[max(after - 1, 0)], samples[max(after, 1)])
    let share = (time - a.time) / (b.time - a.time)
    return ((a.x + (b.x - a.x) * share) / 1000, (a.y + (b.y - a.y) * share) / 1000)
  }
}
