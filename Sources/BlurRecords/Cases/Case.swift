import Blur
import BlurText

/// A case without the kernel: everything that kernels compared with each other have in common.
public struct Workload: Hashable, Sendable {
  /// How many threads work on one image.
  public var threads: Int
  /// Format, size and stride of the image.
  public var layout: ImageLayout
  /// Standard deviation in pixels, the same on both axes.
  public var sigma: Double
  /// What is read beyond the image.
  public var edge: EdgeMode
  /// When one blur begins after another.
  public var pace: Pace
  /// The mask by which sigma differs from pixel to pixel; nil where it is the same in all. Kernels are then
  /// methods of variable sigma.
  public var mask: MaskShape?
  /// The interface scene whose frames are timed, in which the image is the largest that is blurred; nil for a
  /// blur.
  public var scene: SceneName?

  /// Makes a workload.
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

  /// The same picture on one thread: what cases with other numbers of threads have in common.
  public var picture: Workload {
    var picture = self
    picture.threads = 1
    return picture
  }

  /// A few words, such as `rgba8 1920x1080, sigma 5, clamp`.
  public var title: String {
    let blur =
      "\(imageTitle), sigma \(sigma.short), \(edge.name)" + (mask.map { ", mask \($0.rawValue)" } ?? "")
      + (pace == .warm ? "" : ", \(pace.rawValue)")
    return scene.map { "\($0.scene) on \($0.device): \(blur)" } ?? blur
  }

  /// Whether frames are timed, of a scene or of blurs once a frame, rather than blurs one after the other.
  package var isOfFrames: Bool { scene != nil || pace.frameRate != nil }

  /// Whether it is a blur of one sigma, one right after the other.
  package var isPlain: Bool { scene == nil && mask == nil && pace == .warm }

  /// Format and size, such as `rgba8 1920x1080`.
  var imageTitle: String {
    let padding = layout.stride == layout.rowBytes ? "" : " stride \(layout.stride)"
    return "\(layout.format) \(layout.width)x\(layout.height)\(padding)"
  }

  /// The title with the number of threads.
  package var fullTitle: String { title + (threads > 1 ? ", \(threads) threads" : "") }
}

/// What is measured: a kernel with an instruction set, on a workload.
public struct Case: Hashable, Sendable {
  /// The kernel's name, or ``memcpy``.
  public var kernel: String
  /// The instruction set that runs.
  public var isa: InstructionSet
  /// What it works on.
  public var workload: Workload

  /// Makes a case.
  public init(kernel: String, isa: InstructionSet, workload: Workload) {
    self.kernel = kernel
    self.isa = isa
    self.workload = workload
  }

  /// The name under which a plain copy of the image is measured beside the kernels.
  public static let memcpy = "memcpy"

  /// The copy that is measured beside the kernels of `workload`.
  public static func copying(_ workload: Workload) -> Case {
    Case(kernel: memcpy, isa: .baseline, workload: workload)
  }

  /// The command that measures this case alone.
  public var command: String {
    let named = Set(CaseDimension.product(ofScenes: workload.scene != nil).filter { !isUsual($0) })
    let options = CaseDimension.allCases.filter(named.contains).compactMap { dimension in
      word(dimension).map { "--\(dimension.rawValue) \($0)" }
    }
    return "blurbench run " + options.joined(separator: " ")
  }
}
