import Blur

/// A scene with a blurred status bar at the top of the screen. The app's content scrolls below the bar, so
/// the bar must be blurred again in every frame.
enum LiveStatusBar {
  static let effect = BackdropEffect(
    name: "status-bar", sigma: 10, saturation: 1.8, tint: .init(white: 1, alpha: 0.4), edge: .mirror)
  /// The effect of the status bar in the last part of the scene, where the bar is tinted with the app's own
  /// colour.
  static let tinted = BackdropEffect.tint(.init(red: 0.35, green: 0.34, blue: 0.84, alpha: 1)).mirrored
  static let cover = BackdropEffect.extraLight.mirrored

  /// The transition in which the status bar grows when a phone call begins, and shrinks again when the call
  /// ends.
  static let call = Transition(start: 60, frames: 30, end: 150, easing: Transition.easeInOut)
  /// The transition in which the bar fades out when the device is rotated, and fades in again when it is
  /// rotated back.
  static let hiding = Transition(start: 170, frames: 30, end: 250)
  static let turned = 170..<220
  /// The first frame in which the bar is tinted with the app's own colour.
  static let restyled = 260
  /// The transition in which a modal dialog fades in over the screen, and later fades out.
  static let modal = Transition(start: 290, frames: 30, end: 380)

  /// Returns the opacity of the status bar in a frame.
  static func opacity(_ frame: Int) -> Double { 1 - hiding.progress(frame) }

  /// Returns the height of the status bar in a frame, in points. The bar is 20 points high without a call and
  /// 40 points high during a call.
  static func height(_ frame: Int) -> Double { 20 + 20 * call.progress(frame) }

  static let scene = Scene(
    name: "live-status-bar",
    summary:
      "a status bar over a scrolling feed, blurred in every frame; it grows during a call, the device is "
      + "rotated, and a modal covers it",
    why: """
      The status bar over an app's content. It is 20 points high, or 40 points during a call, and it is \
      blurred in every frame, because the content scrolls below it. It grows and shrinks within half a \
      second. When the device is rotated, the bar fades out, and it fades in when the device is rotated \
      back. Then the app asks for a bar in its own colour, and a modal opens over everything, so that a \
      blurred image is blurred again. This is the smallest blur of an interface, and it must never be late, \
      because it runs while a finger scrolls. Content outside the bar must not affect it, so the strip is \
      cut out before it is blurred and mirrored at its edge. (A repeated edge would flash whenever a row of \
      a different colour reaches it.) With --bleed, the content around the bar is blurred into it. The \
      plans for each height and style are made in advance.
      """,
    frames: 380,
    app: .feed(speed: 3),
    turned: turned,
    checked: { frame in
      // Layer 0 is the status bar, and layer 5 is the form of the modal dialog. Above the form, the screen
      // shows only the dialog's blur.
      switch modal.progress(frame) {
      case 1: 5
      case 0 where opacity(frame) == 1 && frame != restyled: 0
      default: nil
      }
    },
    layers: { (scene, stage) throws(BlurError) in
      func signs(
        opacity: @escaping (Int) -> Double, draw: @escaping (Canvas, Double) -> Void
      ) throws(BlurError) -> SignsLayer {
        try SignsLayer(scene, stage, opacity: opacity, height: height) { (device) throws(BlurError) in
          try Overlay(width: device.width, height: max(1, device.pixels(40)), scale: device.scale) {
            draw($0, device.box.width)
          }
        }
      }
      return [
        try BackdropLayer(scene, stage) {
          .init(effect: $0 < restyled ? effect : tinted, height: height($0), opacity: opacity($0))
        },
        try signs(opacity: { $0 < restyled ? opacity($0) : 0 }) {
          $0.statusBar(width: $1, Colour.ink, seed: stage.seed)
        },
        try signs(opacity: { $0 < restyled ? 0 : opacity($0) }) {
          $0.statusBar(width: $1, Colour.paper, seed: stage.seed)
        },
        try signs(opacity: call.progress) { $0.callText(width: $1, seed: stage.seed) },
        try BackdropLayer(scene, stage, blursLayers: true) {
          .init(effect: cover, opacity: modal.progress($0))
        },
        try SignsLayer(scene, stage, opacity: modal.progress) { (device) throws(BlurError) in
          try Form(seed: stage.seed).overlay(on: device)
        },
      ]
    })
}
