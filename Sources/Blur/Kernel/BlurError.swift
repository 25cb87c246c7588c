/// Why a blur could not be planned or run. Each message says what was wrong and what is allowed.
public enum BlurError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A width, height, stride or total size that no image can have.
  case invalidLayout(String)
  /// A sigma outside ``Sigma/allowed``, or not a number.
  case invalidSigma(Double)
  /// A region that is empty or reaches outside the image.
  case invalidRegion(Region, ImageLayout)
  /// A number of threads outside 1…1024.
  case invalidThreads(Int)
  /// An image, tile or result whose format or size is not the one the plan was made for.
  case layoutMismatch(of: String, expected: String, found: String)
  /// A mask whose format or size is not the one that goes with the images.
  case maskMismatch(expected: String, found: String)
  /// A source or destination with fewer bytes than its layout needs.
  case bufferTooSmall(of: String, needed: Int, found: Int)
  /// Source and destination share memory and the kernel cannot work in place.
  case overlap(kernel: String)
  /// The kernel refuses this request, and why.
  case unsupported(kernel: String, reason: String)
  /// The kernel accepted the request and then failed, and how.
  case failed(kernel: String, reason: String)
  /// No kernel has that name; the nearest existing name, if one is near.
  case unknownKernel(String, nearest: String?)
  /// No kernel promises an error as small as that, in levels, for that format.
  case noKernel(within: Double, format: PixelFormat)
  /// The instruction set is not available on this CPU.
  case unavailable(InstructionSet)
  /// The system refused that many bytes of memory.
  case outOfMemory(bytes: Int)

  /// One line of text.
  public var description: String {
    switch self {
    case .invalidLayout(let reason): reason
    case .invalidSigma(let sigma):
      "sigma \(sigma): must be a number from 0 to \(Int(Sigma.allowed.upperBound)) pixels"
    case .invalidRegion(let region, let layout):
      "region \(region.width)x\(region.height) at x \(region.x), y \(region.y): must be inside the "
        + "\(layout.width)x\(layout.height) image and not empty"
    case .invalidThreads(let count): "threads \(count): must be from 1 to 1024"
    case .layoutMismatch(let argument, let expected, let found):
      "the \(argument) must be \(expected), not \(found)"
    case .maskMismatch(let expected, let found):
      "the mask must be \(expected), as large as the image; it is \(found)"
    case .bufferTooSmall(let argument, let needed, let found):
      "the \(argument) has \(found) bytes, its layout needs \(needed)"
    case .overlap(let kernel):
      "source and destination share memory, and kernel \(kernel) cannot work in place: "
        + "blur into another image"
    case .unsupported(let kernel, let reason): "kernel \(kernel) does not support \(reason)"
    case .failed(let kernel, let reason): "kernel \(kernel) failed: \(reason)"
    case .unknownKernel(let name, let nearest):
      "no kernel is called '\(name)'; "
        + (nearest.map { "did you mean '\($0)'?" } ?? "`blurbench list` and `Registry.kernels` name them")
    case .noKernel(let levels, let format):
      "no kernel promises an error of at most \(Self.error(levels, .toNearestOrEven)) in "
        + "\(format.rawValue): the least is \(Self.error(Self.least(in: format), .up))"
    case .unavailable(let set): "this CPU has no \(set.name)"
    case .outOfMemory(let bytes): "cannot allocate \(bytes) bytes: blur smaller images, or tiles of them"
    }
  }

  /// The smallest error that a kernel promises, in levels.
  private static func least(in format: PixelFormat) -> Double {
    Registry.kernels.compactMap { $0.promise.bound(for: format) }.min() ?? .infinity
  }

  /// An error in levels, as a share of full scale, too.
  private static func error(_ levels: Double, _ rule: FloatingPointRoundingRule) -> String {
    "\(short(levels, rule)) level" + (levels == 1 ? "" : "s")
      + " (\(short(levels / 255, rule)) of full scale)"
  }

  /// Three digits of a number below 100, all of others.
  private static func short(_ number: Double, _ rule: FloatingPointRoundingRule) -> String {
    guard number > 1e-300, number < 100 else { return number.formattedShort }
    var steps = 1.0
    while number * steps < 100 { steps *= 10 }
    return ((number * steps).rounded(rule) / steps).formattedShort
  }
}
