import Blur
import BlurText

/// Everything about a measured blur except the kernel: the image, sigma, the edge mode, the number of
/// threads, and the rule for when each blur starts. All kernels that are compared with each other run the
/// same workload.
public struct Workload: Hashable, Sendable {
  /// The number of threads that work on one image.
  public var threads: Int
  /// The format, size and stride of the image, and the meaning of its fourth channel.
  public var layout: ImageLayout
  /// The standard deviation of the blur in pixels, the same along rows and columns.
  public var sigma: Double
  /// The edge mode, which defines the pixels that a blur reads outside the image.
  public var edge: EdgeMode
  /// The rule that determines when each timed blur starts: right after the previous one, after the caches
  /// have been emptied, or once per frame of a screen.
  public var pace: Pace
  /// The shape of the mask that varies sigma from pixel to pixel, or nil if sigma is the same for all pixels.
  ///
  /// Only kernels that support a variable sigma can process a workload with a mask.
  public var mask: MaskShape?
  /// The interface scene whose frames are timed, or nil if single blurs are timed.
  ///
  /// An interface scene is an animated user interface with blurred parts. For a scene, `layout` describes the
  /// largest image that the scene blurs.
  public var scene: SceneName?

  /// Creates a workload.
  public init(
    threads: Int, layout: ImageLayout, sigma: Double, edge: EdgeMode, pace: Pace = .warm,
    mask: MaskShape? = nil, scene: SceneName? = nil
  ) {
    self.pace = pace
    self.mask = mask
    self.scene = scene
    self.threads = threads
    self.layout = layout
    self.sigma = sigma
    self.edge = edge
  }

  /// A copy of this workload with the number of threads set to 1. Workloads that differ only in their number
  /// of threads are grouped by this property.
  public var picture: Workload {
    var picture = self
    picture.threads = 1
    return picture
  }

  /// A short description, such as `rgba8 1920x1080, sigma 5, clamp`.
  public var title: String {
    let blur =
      "\(imageTitle), sigma \(sigma.short), \(edge.name)" + (mask.map { ", mask \($0.rawValue)" } ?? "")
      + (pace == .warm ? "" : ", \(pace.rawValue)")
    return scene.map { "\($0.scene) on \($0.device): \(blur)" } ?? blur
  }

  /// Whether the workload measures frame times, because it is an interface scene or because each blur starts
  /// when a new frame of a screen is due.
  package var isOfFrames: Bool { scene != nil || pace.frameRate != nil }

  /// Whether the workload is an ordinary blur: it is not an interface scene, sigma is the same for all
  /// pixels, the blurs follow one another without pauses, and the kernel blurs the image as it is stored.
  package var isPlain: Bool {
    scene == nil && mask == nil && pace == .warm && layout.alpha == .premultiplied
  }

  /// The pixel format that kernels blur. It can have more bits than the image's own format if the image has
  /// straight alpha, because kernels then blur the colours multiplied by alpha.
  package var blurredFormat: PixelFormat {
    (try? Sigma(sigma)).map { layout.forKernels($0).format } ?? layout.format
  }

  /// The format and size of the image, such as `rgba8 1920x1080` or `rgba8 straight 1920x1080`, and its
  /// stride if the rows are padded.
  var imageTitle: String {
    let padding = layout.stride == layout.rowBytes ? "" : " stride \(layout.stride)"
    let alpha = layout.alpha == .premultiplied ? "" : " \(layout.alpha.rawValue)"
    return "\(layout.format)\(alpha) \(layout.width)x\(layout.height)\(padding)"
  }

  /// The title, followed by the number of threads if there is more than one.
  package var fullTitle: String { title + (threads > 1 ? ", \(threads) threads" : "") }
}

/// One thing to measure: a kernel, the instruction set that it uses, and the workload that it runs.
public struct Case: Hashable, Sendable {
  /// The kernel's name, or ``memcpy`` for a plain copy of the image.
  public var kernel: String
  /// The instruction set that the kernel uses.
  public var isa: InstructionSet
  /// The image that the kernel blurs, and the settings of the blur.
  public var workload: Workload

  /// Creates a case.
  public init(kernel: String, isa: InstructionSet, workload: Workload) {
    self.kernel = kernel
    self.isa = isa
    self.workload = workload
  }

  /// The name that stands for a plain memory copy, which is measured alongside the kernels.
  public static let memcpy = "memcpy"

  /// Returns the case that measures a plain copy of the workload's image.
  public static func copying(_ workload: Workload) -> Case {
    Case(kernel: memcpy, isa: .baseline, workload: workload)
  }

  /// The command line that measures only this case.
  public var command: String {
    let named = Set(CaseDimension.product(ofScenes: workload.scene != nil).filter { !isUsual($0) })
    let options = CaseDimension.allCases.filter(named.contains).compactMap { dimension in
      word(dimension).map { "--\(dimension.key) \($0)" }
    }
    return "blurbench run " + options.joined(separator: " ")
  }
}

// A case is sent to other processes as its name, because the name contains all of its properties.
extension Case: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(name: decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

/// The rule that determines when each timed blur starts, such as right after the previous blur or once per
/// frame of a screen.
public enum Pace: String, CaseIterable, Sendable {
  /// Each blur starts immediately after the previous one, so the caches still hold data of the previous blur.
  case warm
  /// Each blur starts after the caches have been emptied, so they contain neither the image nor the output.
  case cold
  /// Each blur starts when the next frame of a screen is due.
  case at60Hz = "60hz"
  case at120Hz = "120hz"
  /// Each blur is a single call that chooses a kernel, makes a plan, and blurs into a new image. This is how
  /// most programs use the library. Identical calls follow each other immediately, so our kernels find the
  /// plan of the previous call in the ``BlurPlanCache``.
  case once
  /// Each blur is a single call. The CPU caches are emptied before it, and it cannot reuse the plan of an
  /// earlier call.
  case onceCold = "once-cold"

  /// Whether the caches are emptied before each blur.
  public var emptiesCaches: Bool { self == .cold || self == .onceCold }

  /// Whether each blur is a single call, which makes a plan and a new image.
  public var isSingleCall: Bool { self == .once || self == .onceCold }

  /// Whether each blur starts immediately after the previous one.
  package var isSteady: Bool { self == .warm || self == .once }

  /// The number of frames per second, or nil if the blurs don't wait for the next frame.
  public var frameRate: Double? {
    switch self {
    case .warm, .cold, .once, .onceCold: nil
    case .at60Hz: 60
    case .at120Hz: 120
    }
  }
}
