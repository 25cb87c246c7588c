import Blur

/// An animation of a user interface in which something is blurred. The animation is a sequence of frames, at
/// 60 frames per second.
///
/// A scene consists of an app's screen and the layers that are drawn over it, and defines how each of them
/// changes over time. What a frame shows depends only on the seed, the device and the index of the frame.
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
  /// Whether the scene begins in landscape orientation, no matter how the device is usually held.
  var isWide = false
  /// The frames during which the device is held rotated by 90 degrees.
  var turned = 0..<0
  /// A closure that returns the index of the layer whose blurred background is checked for sudden changes in
  /// a frame. It returns nil for frames that are not checked, because no background stays in place or the
  /// whole picture changes at once.
  var checked: @Sendable (_ frame: Int) -> Int? = { _ in 0 }
  /// A closure that plans the layers over the app and returns them from bottom to top. It prepares everything
  /// that any frame of the scene needs.
  var layers: @Sendable (Scene, Stage) throws(BlurError) -> [any Layer]

  private enum CodingKeys: CodingKey { case name, summary, why, frames }

  /// All scenes of this module.
  public static let all = [
    ModalOverSplitView.scene, CustomTransition.scene, LiveStatusBar.scene, StaticAgainstLive.scene,
    Reveal.scene, ManyCards.scene, RoundedCard.scene, Glass.scene, AcrylicPane.scene, ProgressiveBar.scene,
  ]

  /// Returns the scene with the given name, or nil if there is none.
  public static func named(_ name: String) -> Scene? { all.first { $0.name == name } }

  /// Returns the indices of the frames that a user has selected, in ascending order. In `selection`, users
  /// write `5` for one frame, `10-20` for a range, `/4` for every fourth frame, or `10-20/4` for every fourth
  /// frame of a range. Returns nil if the selection is malformed or contains a frame that the scene does not
  /// have.
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

  /// Returns the index of the device's orientation in a frame: 0, or 1 if the device is rotated.
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
  /// The scratch memory (`scratch`) and the 16-bit images (`wide`) that all plans of a scene share. Sharing
  /// is possible because a scene runs only one blur at a time.
  let scratch = SharedScratch()
  let wide = WideImages()

  /// When and how the blurred image is rounded to 8 bits. This matters because a higher saturation amplifies
  /// rounding errors: if the image is rounded before the saturation is changed, smooth colour gradients can
  /// turn into visible bands.
  ///
  /// Noise and opacity are always applied to bytes, after this rounding.
  public enum Precision: String, CaseIterable, Sendable {
    /// The blurred image is rounded to bytes, and its colours are then changed with integer arithmetic. Most
    /// operating systems work in this way, and so does the sample code UIImage+ImageEffects (2013).
    case bytes
    /// The blur is computed with 16 bits per component, and the result is rounded to bytes after the tint has
    /// been painted over it. This mode reads and writes twice as many bytes as the mode ``bytes``.
    case fine
    /// Like ``fine``, but with ordered dithering: a pixel is rounded up or down depending on its position in
    /// a pattern of 8 × 8 pixels. Instead of visible bands, smooth gradients then have fine grain.
    case dithered
  }

  /// Stores everything that is needed to play a scene.
  ///
  /// - Parameters:
  ///   - device: The device on whose screen the scene is played.
  ///   - kernel: The kernel that blurs, or nil for the library's choice.
  ///   - isa: The widest instruction set to use.
  ///   - threads: The number of threads that work on a frame.
  ///   - seed: The seed for generating the content.
  ///   - reduceTransparency: Whether plain colours replace all blurs. If so, no blur is planned or computed.
  ///   - isIsolated: Whether the blur of a bar reads only the pixels below the bar, so that the colours
  ///     around the bar have no influence on it.
  ///   - precision: When and how the blurred image is rounded to 8 bits.
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
