import Blur

/// A scene that shows the same animation of a modal dialog twice. The first time, the dialog shows a
/// snapshot: an image of the screen that is blurred only once. The second time, it shows a blur that is
/// computed again in every frame.
enum StaticAgainstLive {
  static let effect = BackdropEffect.light.mirrored
  /// The number of frames in which the modal dialog springs in (0.6 seconds), stays in place (0.4 seconds),
  /// and is dragged off the screen (0.5 seconds).
  static let arrival = 36, rest = 24, drag = 30
  /// The number of frames in each of the first two parts of the scene, which show the same animation. The
  /// third part of the scene lasts one second, and the device is rotated in the middle of it.
  static let part = arrival + rest + drag
  /// The first frame that shows the rotated screen.
  static let turn = 2 * part + 30
  /// The spring that moves the modal dialog when it appears. Its damping and its initial velocity come from
  /// the interface that this scene imitates, but its duration was chosen for this scene.
  static let spring = Spring(damping: 0.5, velocity: 0.6, settledAfter: 0.6)

  /// Returns how far the modal dialog is from its resting position in a frame, as fractions of the screen's
  /// width and height.
  static func place(_ frame: Int) -> (x: Double, y: Double) {
    let step = frame % part
    if frame >= 2 * part || (arrival..<part - drag).contains(step) { return (0, 0) }
    if step < arrival { return (0, 1 - spring.position(Double(step) / 60)) }
    return finger(Double(step - (part - drag)) / 60)
  }

  /// Returns the margin, in pixels, between each side of the screen and the modal dialog at its resting
  /// position. The margin is 20 points, or less on a tiny screen.
  private static func inset(_ device: Device) -> Int {
    min(device.pixels(20), (min(device.width, device.height) - 1) / 2)
  }

  static let scene = Scene(
    name: "static-against-live",
    summary:
      "a modal springs in over a scrolling feed and is dragged off, first with a blurred snapshot, then "
      + "with a live blur; then the device is rotated",
    why: """
      The cost of an up-to-date blur. The screen behind a modal keeps scrolling. The modal has no \
      background of its own and a margin of 20 points. It springs in within 0.6 seconds, stays in place, \
      and is dragged off by a finger. In the first part, the modal shows a snapshot of the area that it \
      passes, which is blurred once. In the second part, only the area below the modal is blurred, again in \
      every frame and wherever the modal is, even at fractions of a pixel. In the third part, the device is \
      rotated while the modal is open. `stale_levels` and `stale_mean_levels` are the largest and the mean \
      difference between the snapshot and the live blur of the screen in that frame. `live` tells whether a \
      frame uses the snapshot or the live blur. The difference between the times of such frames is the price \
      of an up-to-date blur.
      """,
    frames: turn + 30,
    app: .feed(speed: 4, restart: part),
    turned: turn..<turn + 30,
    // The moving edges of the dialog would count as sudden changes, so only frames with the dialog at rest
    // are checked. In the frame in which the device is rotated, everything changes at once, so this frame is
    // left out as well.
    checked: { place($0) == (0, 0) && $0 != turn ? 0 : nil },
    layers: { (scene, stage) throws(BlurError) in [try dialog(scene, stage)] })

  static func dialog(_ scene: Scene, _ stage: Stage) throws(BlurError) -> CardLayer {
    try CardLayer(
      scene, stage, effect, radius: Form.radius,
      size: { ($0.width - 2 * inset($0), $0.height - 2 * inset($0)) },
      backing: { $0 < part ? .snapshot : .live },
      places: { frame, device in
        let (place, inset) = (place(frame), Double(inset(device)))
        return [(0, inset + place.x * Double(device.width), inset + place.y * Double(device.height))]
      },
      clear: { device in
        // The form in the middle of the dialog covers a part of the blur. The area above the form, without
        // the rounded corners, is not covered by anything.
        let inset = Double(inset(device)) / device.scale
        let top = (device.box.height - Form.size(on: device).height) / 2 - inset
        return (0, Box(Form.radius, 1, device.box.width - 2 * inset - 2 * Form.radius, top - 2))
      },
      signs: { (device) throws(BlurError) in
        [try Form(seed: stage.seed).overlay(on: device, inset: inset(device))]
      })
  }

  /// The path of a finger that drags the modal dialog off the screen. Each sample consists of a time and a
  /// position. The time is the number of milliseconds since the finger touched the screen. The position is
  /// relative to the point where the finger touched the screen, in thousandths of the screen's width (x) and
  /// height (y).
  ///
  /// The table imitates a recording, but its values are invented. It contains positions at irregular times,
  /// as a touch screen reports them, from the moment of the touch until the finger is lifted. The finger is
  /// slow at first, almost halts for a moment, and then moves faster and faster, and slightly to the right.
  /// After the finger has been lifted, the dialog keeps its last velocity.
  static let fingerPath: [(time: Double, x: Double, y: Double)] = [
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

  /// Returns how far the finger has dragged the modal dialog after `time` seconds, as fractions of the
  /// screen's width and height.
  static func finger(_ time: Double) -> (x: Double, y: Double) {
    let (time, samples) = (time * 1000, fingerPath)
    // After the last sample, the position is extrapolated from the last two samples.
    let after = samples.firstIndex { $0.time >= time } ?? samples.count - 1
    let (a, b) = (samples[max(after - 1, 0)], samples[max(after, 1)])
    let share = (time - a.time) / (b.time - a.time)
    return ((a.x + (b.x - a.x) * share) / 1000, (a.y + (b.y - a.y) * share) / 1000)
  }
}
