import Blur

/// A scene that fades from one screen of an app to another. During the cross-fade, the outgoing screen is
/// blurred more and more.
enum CustomTransition {
  /// The transition from the first screen to the second. It starts slowly, becomes faster, and takes half a
  /// second. It is then played backwards.
  static let transition = Transition(frames: 30, end: 61, easing: Transition.easeIn)
  /// The standard deviation that the blur approaches towards the end of the transition, in points. No frame
  /// actually reaches this value, because the last frame of the transition is shown without a blur.
  static let sigma = 20.0

  static let scene = Scene(
    name: "custom-transition",
    summary: "one screen is blurred more and more while another fades in, and then the reverse",
    why: """
      A transition between two screens of an app. The outgoing screen is blurred with a standard deviation \
      that rises from 0 to 20 points, while the incoming screen fades in over half a second; dismissal is \
      the reverse. Both changes start slowly (ease in). The duration and the blur were chosen for this \
      scene. Each frame has its own standard deviation. The plans for all of them are made before the first \
      frame, so that no frame waits for planning. The first and the last frame show the screens without a \
      blur, because a transition that ends with a blurred frame flashes.
      """,
    frames: 62,
    app: .feed(speed: 0),
    layers: { (scene, stage) throws(BlurError) in
      [
        try BackdropLayer(scene, stage, isDecoration: true) { frame in
          let progress = transition.progress(frame)
          let effect = BackdropEffect(name: "transition", sigma: sigma * progress)
          return .init(effect: effect, opacity: progress > 0 && progress < 1 ? 1 : 0)
        },
        try IncomingScreen(stage),
      ]
    })
}

/// The layer that shows the incoming screen, which fades in over the blurred outgoing screen.
private final class IncomingScreen: Layer {
  private var picture: Image

  init(_ stage: Stage) throws(BlurError) {
    picture = try stage.device.image()
    try AppScreen.album.draw(into: &picture, at: 0, on: stage.device, seed: stage.seed)
  }

  func draw(_ frame: Frame, over content: Image, in screen: inout Image) {
    screen.mix(in: picture, CustomTransition.transition.progress(frame.number))
  }
}
