import Blur

/// A scene with a modal dialog over a blurred two-column screen. The device is rotated while the dialog is
/// open.
enum ModalOverSplitView {
  static let effect = BackdropEffect.light.mirrored
  /// The transition that fades the modal dialog in and out. It fades in over half a second, stays open for a
  /// second, during which the device is rotated, and fades out over half a second.
  static let opacity = Transition(frames: 30, end: 120)
  /// The first frame that shows the rotated screen.
  static let turn = 60
  /// The transition from the old screen layout to the new one. It begins when the device is rotated, and
  /// takes 0.4 seconds.
  static let turning = Transition(start: turn, frames: 24, easing: Transition.easeInOut)

  static let scene = Scene(
    name: "modal-over-split-view",
    summary:
      "a form over a blurred screen with two columns; it fades in, the device is rotated, and it fades out",
    why: """
      The modal form of a tablet. The whole screen behind the form is blurred and lightened, and fades in \
      over half a second. Then the tablet is rotated while the form is open: the screen has a different \
      shape from one frame to the next, the blur must be correct at once, and the old layout changes into \
      the new one over 0.4 seconds, together with the form. During this change, each frame is blurred. The \
      plans for both layouts are made before the first frame, which is cheap, and are kept, so that no \
      frame waits for a plan. With reduced transparency, a plain colour replaces the blur, and nothing is \
      blurred.
      """,
    frames: 121,
    app: .splitView(turning: turning),
    isWide: true,
    turned: turn..<121,
    checked: { $0 == turn ? nil : 1 },
    layers: { (scene, stage) throws(BlurError) in
      [
        try BackdropLayer(scene, stage) { .init(effect: effect, opacity: opacity.progress($0)) },
        try SignsLayer(scene, stage, opacity: opacity.progress, turning: turning) {
          (device) throws(BlurError) in try Form(seed: stage.seed).overlay(on: device)
        },
      ]
    })
}
