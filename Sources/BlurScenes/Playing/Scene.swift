import Blur

/// An animation of a user interface in which something is blurred, as a sequence of frames at 60 frames per
/// second.
///
/// A scene names the screen of an app and the layers over it, from bottom to top, and says when each of them
/// changes. The pixels of a frame depend only on the seed, the device and the number of the frame.
public struct Scene: Sendable, Encodable {
  /// The stable name of the scene, such as `reveal`.
  public let name: String
  /// A description, in one line, of what the animation shows.
  public let summary: String
  /// An explanation of what the scene represents, in a few sentences.
  public let why: String
  /// The number of frames.
  public let frames: Int
  /// The screen of the app, which lies below all layers.
  let app: AppScreen
  /// Whether the scene begins on a screen in landscape orientation, however the device is usually held.
  var isWide = false
  /// The frames in which the device is turned by 90 degrees.
  var turned = 0..<0
  /// Returns the index of the layer whose blurred background is checked for sudden changes in a frame. The
  /// result is nil for frames in which no background stays in place, or in which the whole picture changes at
  /// once.
  var checked: @Sendable (_ frame: Int) -> Int? = { _ in 0 }
  /// Plans the layers over the app, from bottom to top, including everything that any frame needs.
  var layers: @Sendable (Scene, Stage) throws(BlurError) -> [any Layer]

  private enum CodingKeys: CodingKey { case name, summary, why, frames }

  /// All scenes of this module.
  public static let all = [
    ModalOverSplitView.scene, CustomTransition.scene, LiveStatusBar.scene, StaticAgainstLive.scene,
    Reveal.scene, ManyCards.scene, RoundedCard.scene, Glass.scene, AcrylicPane.scene, ProgressiveBar.scene,
  ]

  /// Returns the scene with the given name, or nil if there is none.
  public static func named(_ name: String) -> Scene? { all.first { $0.name == name } }

  /// Returns the numbers of some of the scene's frames, in ascending order. `selection` is the notation that
  /// users type: `5` for one frame, `10-20` for a range, `/4` for every fourth frame, or `10-20/4` for every
  /// fourth frame of a range. Returns nil if the notation is malformed or selects a frame that the scene does
  /// not have.
  public func selectedFrames(_ selection: String) -> [Int]? {
    let parts = selection.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let step = parts.count > 1 ? Int(parts[1]) : 1, step > 0 else { return nil }
    if parts[0].isEmpty && parts.count > 1 { return Array(stride(from: 0, to: frames, by: step)) }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count <= 2, let first = ends[0], let last = ends[ends.count - 1], first <= last,
      0 <= first, last < frames
    else { return nil }
    return Array(stride(from: first, through: last, by: step))
  }

  /// Returns the index of the device's orientation in a frame: 0, or 1 if the device is turned.
  func orientation(_ frame: Int) -> Int { turned.contains(frame) ? 1 : 0 }

  /// Returns the device in each orientation that occurs in the scene, beginning with the orientation in frame
  /// 0.
  func orientations(of device: Device) -> [Device] {
    turned.isEmpty ? [device] : [device, device.turned]
  }
}

/// Everything that is needed to play a scene: the device, the kernel and its options, the seed for the
/// content, and the user's settings.
public struct Stage: Sendable {
  var device: Device
  let kernel: Kernel?
  let isa: InstructionSet
  let threads: Int
  let seed: UInt64
  let reduceTransparency: Bool
  let isIsolated: Bool
  let precision: Precision
  /// The scratch memory (`scratch`) and the 16-bit images (`wide`) that all plans of a scene share. They can
  /// be shared because a scene runs only one blur at a time.
  let scratch = SharedScratch()
  let wide = WideImages()

  /// The point at which the result of the blur is rounded to 8 bits. A higher saturation amplifies rounding
  /// errors. If the blur is rounded before the saturation is changed, smooth colour gradients turn into
  /// visible bands.
  ///
  /// Noise and opacity are always applied to bytes, after this rounding.
  public enum Precision: String, CaseIterable, Sendable {
    /// The blurred image is rounded to bytes, and its colours are then changed with integer arithmetic. Most
    /// operating systems work in this way, and so does the sample code UIImage+ImageEffects (2013).
    case bytes
    /// The blur is computed with 16 bits per component, and the result is rounded to bytes after the tint has
    /// been painted over it. This mode reads and writes twice as many bytes as the mode ``bytes``.
    case fine
    /// Like ``fine``, but the position of a pixel in a pattern of 8 × 8 pixels decides whether the pixel is
    /// rounded up or down. This method is called ordered dither. It turns visible bands in smooth gradients
    /// into fine grain.
    case dithered
  }

  /// Stores everything that is needed to play a scene.
  ///
  /// - Parameters:
  ///   - device: The device on whose screen the scene is played.
  ///   - kernel: The kernel that blurs, or nil for the library's choice.
  ///   - isa: The widest instruction set to use.
  ///   - threads: The number of threads that work on a frame.
  ///   - seed: The seed from which the content is generated.
  ///   - reduceTransparency: Whether plain colours replace all blurs. In that case nothing is planned or
  ///     blurred.
  ///   - isIsolated: Whether the blur of a bar reads only the pixels below the bar, so that the colours
  ///     around the bar have no influence on it.
  ///   - precision: The precision of the blurred pixels whose colours are changed.
  public init(
    _ device: Device, kernel: Kernel? = nil, isa: InstructionSet = .best, threads: Int = 1, seed: UInt64 = 1,
    reduceTransparency: Bool = false, isIsolated: Bool = true, precision: Precision = .bytes
  ) {
    self.device = device
    self.kernel = kernel
    self.isa = isa
    self.threads = threads
    self.seed = seed
    self.reduceTransparency = reduceTransparency
    self.isIsolated = isIsolated
    self.precision = precision
  }
}
