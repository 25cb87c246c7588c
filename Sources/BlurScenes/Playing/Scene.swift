import Blur

/// An animation of a user interface in which something is blurred, as a sequence of frames at 60 frames per
/// second.
///
/// A scene is a pure function of the seed, the device and the frame number. It draws its content in
/// ``prepare(_:)``, as an app would, and renders the visible screen in ``present(_:)``. Only the second step
/// counts as the cost of a frame.
public protocol Scene: AnyObject {
  /// The stable name of the scene, such as `reveal`.
  static var name: String { get }
  /// A description, in one line, of what the animation shows.
  static var summary: String { get }
  /// An explanation of what the scene represents, in a few sentences.
  static var why: String { get }
  /// The number of frames.
  static var frames: Int { get }

  /// Plans everything that any frame needs, for both orientations of the device.
  ///
  /// - Throws: The errors that ``Blur/BlurPlan`` throws.
  init(_ stage: Stage) throws(BlurError)

  /// The layout of the image that is blurred. If a scene blurs several images, this is the layout of the
  /// largest one.
  var blurred: ImageLayout { get }
  /// The largest standard deviation of a blur in this scene, in pixels.
  var sigma: Double { get }
  /// The edge mode of the blur, which defines the pixels beyond the edge of the blurred image.
  var edge: EdgeMode { get }
  /// The image that is shown after ``present(_:)``.
  var screen: Image { get }

  /// Draws the content of a frame.
  func prepare(_ frame: Int) throws(BlurError)
  /// Renders the screen of the prepared frame, without allocating memory.
  func present(_ frame: Int) throws(BlurError)
  /// Returns a part of the screen that shows only blurred content, with nothing moving over it. Sudden
  /// changes are looked for in this part. The result is nil if there is no such part. It is also nil in the
  /// first frame after a cut, where the whole picture changes at once.
  func backdrop(_ frame: Int) -> Region?
  /// Returns the values that the scene measured for the presented frame, by name.
  func findings(_ frame: Int) -> [String: Double]
}

extension Scene {
  public func backdrop(_ frame: Int) -> Region? { screen.layout.bounds }
  public func findings(_ frame: Int) -> [String: Double] { [:] }
}

/// Everything that is needed to play a scene: the device, the kernel and its options, the seed for the
/// content, and the user's settings.
public struct Stage: Sendable {
  public let device: Device
  /// The kernel that blurs, or nil for the library's choice.
  public let kernel: Kernel?
  public let isa: InstructionSet
  public let threads: Int
  public let seed: UInt64
  public let settings: SceneSettings
  /// The scratch memory (`scratch`) and the 16-bit images (`wide`) that all plans of a scene share. They can
  /// be shared because a scene runs only one blur at a time.
  let scratch = SharedScratch()
  let wide = WideImages()

  /// Stores everything that is needed to play a scene.
  ///
  /// - Parameter kernel: The kernel that blurs, or nil for the library's choice.
  public init(
    _ device: Device, kernel: Kernel? = nil, isa: InstructionSet = .best, threads: Int = 1, seed: UInt64 = 1,
    settings: SceneSettings = SceneSettings()
  ) {
    self.device = device
    self.kernel = kernel
    self.isa = isa
    self.threads = threads
    self.seed = seed
    self.settings = settings
  }
}

/// Settings that users and designers choose, and that apply to all scenes.
public struct SceneSettings: Hashable, Sendable {
  /// A Boolean value that indicates whether plain colours replace all blurs. In that case nothing is planned
  /// or blurred.
  public var reduceTransparency: Bool
  /// A Boolean value that indicates whether the blur of a bar reads only the pixels below the bar, so that
  /// the colours around the bar have no influence on it.
  public var isolated: Bool
  /// The precision of the blurred pixels whose colours are changed: 8 or 16 bits per component.
  public var precision: BackdropEffect.Precision

  /// Creates settings.
  public init(
    reduceTransparency: Bool = false, isolated: Bool = true,
    precision: BackdropEffect.Precision = .bytes
  ) {
    self.reduceTransparency = reduceTransparency
    self.isolated = isolated
    self.precision = precision
  }
}

/// The list of scenes.
public enum Scenes {
  /// All scenes of this module.
  public static var all: [any Scene.Type] {
    [
      ModalOverSplitView.self, CustomTransition.self, LiveStatusBar.self, StaticAgainstLive.self, Reveal.self,
      ManyCards.self, RoundedCard.self, Glass.self, AcrylicPane.self,
      ProgressiveBar.self,
    ]
  }

  /// Returns the scene with the given name, or nil if there is none.
  public static func named(_ name: String) -> (any Scene.Type)? { all.first { $0.name == name } }
}
