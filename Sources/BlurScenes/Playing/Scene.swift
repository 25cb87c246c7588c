import Blur

/// A sequence of frames of an interface in which something is blurred, 60 of them a second.
///
/// A scene is a pure function of seed, device and frame. It draws its content in ``prepare(_:)``, as an app
/// does, and makes what is seen of it in ``present(_:)``, which is what a frame costs.
public protocol Scene: AnyObject {
  /// The stable name, such as `reveal`.
  static var name: String { get }
  /// One line that says what is seen.
  static var summary: String { get }
  /// What the scene stands for, in a few sentences.
  static var why: String { get }
  /// How many frames there are.
  static var frames: Int { get }

  /// Plans everything that any frame needs, for both ways to hold the device.
  ///
  /// - Throws: what ``Blur/BlurPlan`` throws.
  init(_ stage: Stage) throws(BlurError)

  /// The largest image that is blurred.
  var blurred: ImageLayout { get }
  /// The largest standard deviation of a blur, in pixels.
  var sigma: Double { get }
  /// What is read beyond that image.
  var edge: EdgeMode { get }
  /// What is shown after ``present(_:)``.
  var screen: Image { get }

  /// Draws the content of a frame.
  func prepare(_ frame: Int) throws(BlurError)
  /// Makes the screen of the frame that was prepared, without allocating.
  func present(_ frame: Int) throws(BlurError)
  /// The part of the screen where a backdrop is seen and nothing that moves over it; nil where there is none,
  /// and in the first frame after a cut.
  func backdrop(_ frame: Int) -> Region?
  /// What the scene measures of the frame that was presented, by name.
  func findings(_ frame: Int) -> [String: Double]
}

extension Scene {
  public func backdrop(_ frame: Int) -> Region? { screen.layout.bounds }
  public func findings(_ frame: Int) -> [String: Double] { [:] }
}

/// What a scene is played with.
public struct Stage: Sendable {
  public let device: Device
  /// The kernel; the library's choice if nil.
  public let kernel: Kernel?
  public let isa: InstructionSet
  public let threads: Int
  public let seed: UInt64
  public let settings: SceneSettings
  /// A scene has many plans and blurs one thing at a time.
  let scratch = SharedScratch()
  let wide = WideImages()

  /// Sets a stage.
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

/// What people and designers choose for all scenes.
public struct SceneSettings: Hashable, Sendable {
  /// Whether plain colours stand in place of all blurs: then nothing is blurred, and nothing planned.
  public var reduceTransparency: Bool
  /// Whether a bar is blurred from the pixels below it alone, so that no colour of its neighbourhood bleeds
  /// in.
  public var isolated: Bool
  /// When blurs are rounded to bytes.
  public var precision: BackdropEffect.Precision

  /// Makes settings.
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
  /// Every scene.
  public static var all: [any Scene.Type] {
    [
      ModalOverSplitView.self, CustomTransition.self, LiveStatusBar.self, StaticAgainstLive.self, Reveal.self,
      ManyCards.self, RoundedCard.self, Glass.self, AcrylicPane.self,
      ProgressiveBar.self,
    ]
  }

  /// The scene of that name, or nil.
  public static func named(_ name: String) -> (any Scene.Type)? { all.first { $0.name == name } }
}
