import Blur

/// Plays a scene on a device with a kernel.
///
/// For each frame, ``prepare(_:)`` and then ``present(_:)``. Frames are meant to follow each other from 0; a
/// scene that keeps a snapshot takes a new one at frame 0, so that playing again starts over. A frame played
/// alone has the same pixels.
public final class ScenePlayer {
  /// The scene.
  public let scene: any Scene.Type
  /// How many frames there are.
  public let frames: Int
  private let playing: any Scene

  /// Plans a scene: all plans and buffers that any of its frames needs.
  ///
  /// - Parameters:
  ///   - scene: an entry of ``Scenes/all``.
  ///   - device: the screen.
  ///   - kernel: the kernel that blurs; the library's choice if nil.
  ///   - isa: the widest instruction set to use.
  ///   - threads: how many threads work on a frame.
  ///   - seed: what the content grows from.
  ///   - settings: what users choose for all scenes.
  /// - Throws: what ``Blur/BlurPlan`` throws.
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

  /// The largest image that is blurred.
  public var blurred: ImageLayout { playing.blurred }
  /// The largest standard deviation of a blur, in pixels.
  public var sigma: Double { playing.sigma }
  /// What is read beyond that image.
  public var edge: EdgeMode { playing.edge }

  /// Draws the content of a frame, as an app does: no part of what a blur costs.
  ///
  /// - Precondition: `frame` is one of the ``frames``.
  public func prepare(_ frame: Int) throws(BlurError) {
    check(frame)
    try playing.prepare(frame)
  }

  /// Blurs and composites the frame that was prepared: what a frame costs. It does not allocate, unless the
  /// last ``screen`` is still referenced.
  ///
  /// - Precondition: `frame` was prepared.
  public func present(_ frame: Int) throws(BlurError) {
    check(frame)
    try playing.present(frame)
  }

  /// What is shown after ``present(_:)``. Let it go before the next frame, which would have to copy it.
  public var screen: Image { playing.screen }

  /// The part of the screen where a backdrop is seen and nothing that moves over it, if any.
  func backdrop(_ frame: Int) -> Region? {
    check(frame)
    return playing.backdrop(frame)
  }

  /// What the scene finds out about the frame that was presented, by name: nothing for most. Not timed.
  public func findings(_ frame: Int) -> [String: Double] {
    check(frame)
    return playing.findings(frame)
  }

  /// The screen of one frame.
  public func shown(_ frame: Int) throws(BlurError) -> Image {
    try prepare(frame)
    try present(frame)
    return screen
  }

  private func check(_ frame: Int) {
    precondition((0..<frames).contains(frame), "scene \(scene.name): frame \(frame) is not in 0..<\(frames)")
  }
}
