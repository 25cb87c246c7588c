import Blur

/// Plays a scene, which is an animation of a user interface with a blur, for a given device and with a given
/// kernel.
///
/// Call ``prepare(_:)`` and then ``present(_:)`` for each frame. Frames should be played in order from frame
/// 0. Some scenes blur an image of the screen in frame 0 and keep this image for the other frames. Whenever
/// frame 0 is played again, these scenes make a new image. A frame that is played by itself has the same
/// pixels as in the whole sequence.
public final class ScenePlayer {
  /// The scene that is played.
  public let scene: Scene
  /// The image of the screen, which is complete after ``present(_:)``. Release every copy of this value
  /// before the next frame. Otherwise, the next frame has to copy the whole image.
  public private(set) var screen: Image
  /// The layout of the image that is blurred. If the scene blurs several images, this is the layout of the
  /// image whose blur has the largest standard deviation.
  public let blurred: ImageLayout
  /// The largest standard deviation of a blur in this scene, in pixels.
  public let sigma: Double
  /// The edge mode of the blur, which defines the pixels beyond the edge of the blurred image.
  public let edge: EdgeMode

  let stage: Stage
  private let devices: [Device]
  private let layers: [any Layer]
  /// The latest image of the app (`content`), and the app's position and the device orientation that the
  /// image shows (`drawn`). The position, such as the scroll position, is NaN until the app has been drawn
  /// for the first time. The same image memory is used for both orientations of the device.
  private var content: Image
  private var drawn = (position: Double.nan, orientation: 0)
  /// Whether frame 0 has been drawn since it was prepared.
  private var hasBegun = false

  /// Prepares a scene, including all blur plans and all images that its frames need.
  ///
  /// - Parameters:
  ///   - scene: An entry of ``Scene/all``.
  ///   - stage: The device, the kernel and the other settings for playing the scene.
  /// - Throws: The errors that ``Blur/BlurPlan`` throws.
  public init(_ scene: Scene, _ stage: Stage) throws(BlurError) {
    self.scene = scene
    var stage = stage
    if scene.isWide { stage.device = stage.device.wide }
    self.stage = stage
    devices = scene.orientations(of: stage.device)
    layers = try scene.layers(scene, stage)
    content = try stage.device.image()
    screen = try stage.device.image()
    let largest = layers.compactMap(\.blur).max { $0.sigma < $1.sigma }
    (blurred, sigma, edge) = largest ?? (content.layout, 0, .clamp)
  }

  /// Draws the content of a frame, as an app would. This work does not count towards the cost of a blur.
  ///
  /// If frame 0 has not been played yet, it is played first, because some layers make a picture in frame 0
  /// and show it in later frames.
  ///
  /// - Precondition: `number` is a frame of the scene.
  public func prepare(_ number: Int) throws(BlurError) {
    check(number)
    if number == 0 { hasBegun = false }
    if number > 0, !hasBegun { _ = try shown(0) }
    let frame = frame(number)
    let device = devices[frame.orientation]
    let layout = try device.layout
    content.become(layout)
    screen.become(layout)
    let position = scene.app.position(number)
    if drawn != (position, frame.orientation) {
      try scene.app.draw(into: &content, at: position, on: device, seed: stage.seed)
      drawn = (position, frame.orientation)
    }
    for layer in layers { try layer.prepare(frame) }
    screen.overwrite(with: content)
  }

  /// Blurs and composites the prepared frame. The duration of this call is the cost of a frame. The call does
  /// not allocate memory, unless the previous value of ``screen`` is still referenced.
  ///
  /// - Precondition: `number` was prepared.
  public func present(_ number: Int) throws(BlurError) {
    check(number)
    let frame = frame(number)
    for layer in layers { try layer.draw(frame, over: content, in: &screen) }
    hasBegun = true
  }

  /// Returns a part of the screen in which a frame shows only blurred content, with nothing moving over it.
  /// The result is nil if there is no such part.
  func backdrop(_ number: Int) -> Region? {
    check(number)
    return scene.checked(number).flatMap { layers[$0].clear(frame(number)) }
  }

  /// Returns named values that the scene measured for the presented frame. Most scenes measure nothing. This
  /// call does not count towards the cost of a frame.
  public func findings(_ number: Int) -> [String: Double] {
    check(number)
    return layers.map { $0.findings(frame(number), over: content) }.first { !$0.isEmpty } ?? [:]
  }

  /// Prepares and presents one frame, and returns the image of the whole screen.
  public func shown(_ number: Int) throws(BlurError) -> Image {
    try prepare(number)
    try present(number)
    return screen
  }

  private func frame(_ number: Int) -> Frame {
    Frame(number: number, orientation: scene.orientation(number), isFirst: !hasBegun)
  }

  private func check(_ number: Int) {
    precondition(
      (0..<scene.frames).contains(number),
      "scene \(scene.name): frame \(number) is not in 0..<\(scene.frames)"
    )
  }
}
