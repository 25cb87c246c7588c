import Blur

/// Plays a scene, which is an animation of a user interface with a blur, on a device with a kernel.
///
/// Call ``prepare(_:)`` and then ``present(_:)`` for each frame. Frames should be played in order from frame
/// 0. Some scenes blur an image of the screen only once and keep it. They do this again at frame 0, so
/// playing the frames again starts over. A frame that is played alone has the same pixels as in the sequence.
public final class ScenePlayer {
  /// The type of the scene that is played.
  public let scene: any Scene.Type
  /// The number of frames of the scene.
  public let frames: Int
  private let playing: any Scene

  /// Prepares a scene, including all blur plans and images that any of its frames needs.
  ///
  /// - Parameters:
  ///   - scene: An entry of ``Scenes/all``.
  ///   - device: The device on whose screen the scene is played.
  ///   - kernel: The kernel that blurs, or nil for the library's choice.
  ///   - isa: The widest instruction set to use.
  ///   - threads: The number of threads that work on a frame.
  ///   - seed: The seed from which the content is generated.
  ///   - settings: The settings that apply to all scenes.
  /// - Throws: The errors that ``Blur/BlurPlan`` throws.
  public init(
    _ scene: any Scene.Type, on device: Device, kernel: Kernel?, isa: InstructionSet = .best,
    threads: Int = 1,
    seed: UInt64 = 1, settings: SceneSettings = SceneSettings()
  ) throws(BlurError) {
    self.scene = scene
    frames = scene.frames
    playing = try scene.init(
      Stage(device, kernel: kernel, isa: isa, threads: threads, seed: seed, settings: settings))
  }

  /// The layout of the image that is blurred. If the scene blurs several images, this is the layout of the
  /// largest one.
  public var blurred: ImageLayout { playing.blurred }
  /// The largest standard deviation of a blur in this scene, in pixels.
  public var sigma: Double { playing.sigma }
  /// The edge mode of the blur, which defines the pixels beyond the edge of the blurred image.
  public var edge: EdgeMode { playing.edge }

  /// Draws the content of a frame, as an app would. This work does not count towards the cost of a blur.
  ///
  /// - Precondition: `frame` is one of the ``frames``.
  public func prepare(_ frame: Int) throws(BlurError) {
    check(frame)
    try playing.prepare(frame)
  }

  /// Blurs and composites the prepared frame. The duration of this call is the cost of a frame. The call does
  /// not allocate memory, unless the previous value of ``screen`` is still referenced.
  ///
  /// - Precondition: `frame` was prepared.
  public func present(_ frame: Int) throws(BlurError) {
    check(frame)
    try playing.present(frame)
  }

  /// The image that is shown after ``present(_:)``. Release the image before the next frame. Otherwise, the
  /// next frame has to copy it.
  public var screen: Image { playing.screen }

  /// Returns a part of the screen that shows only blurred content, with nothing moving over it, or nil if
  /// there is none.
  func backdrop(_ frame: Int) -> Region? {
    check(frame)
    return playing.backdrop(frame)
  }

  /// Returns the values that the scene measured for the presented frame, by name. Most scenes measure
  /// nothing. This call does not count towards the cost of a frame.
  public func findings(_ frame: Int) -> [String: Double] {
    check(frame)
    return playing.findings(frame)
  }

  /// Prepares and presents one frame, and returns the image of the whole screen.
  public func shown(_ frame: Int) throws(BlurError) -> Image {
    try prepare(frame)
    try present(frame)
    return screen
  }

  private func check(_ frame: Int) {
    precondition((0..<frames).contains(frame), "scene \(scene.name): frame \(frame) is not in 0..<\(frames)")
  }
}
