/// The reason why a blur could not be planned or run. Each message says what was wrong and what is allowed.
public enum BlurError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A width, height, stride or total size that no image can have.
  case invalidLayout(String)
  /// A sigma that is outside ``Sigma/allowed`` or is NaN.
  case invalidSigma(Double)
  /// A region that is empty or reaches outside the image.
  case invalidRegion(Region, ImageLayout)
  /// A request for a downscaled result that is not possible. Either the factor is not 1, 2 or 4, or the
  /// region does not begin at multiples of the factor or is smaller than one block of pixels.
  case invalidDownscaling(Int, Region)
  /// A number of threads outside 1…1024.
  case invalidThreads(Int)
  /// An image, tile or result whose format or size is not the one that the plan was made for.
  case layoutMismatch(of: String, expected: String, found: String)
  /// A mask whose format or size does not fit the images.
  case maskMismatch(expected: String, found: String)
  /// A source or destination with fewer bytes than its layout needs.
  case bufferTooSmall(of: String, needed: Int, found: Int)
  /// The source and the destination share memory, and the kernel cannot work in place.
  case overlap(kernel: String)
  /// The kernel does not support this request, for the given reason.
  case unsupported(kernel: String, reason: String)
  /// The kernel accepted the request and then failed, for the given reason.
  case failed(kernel: String, reason: String)
  /// No kernel has this name. `nearest` is the kernel name that is most similar to it, or nil if no kernel
  /// has a similar name.
  case unknownKernel(String, nearest: String?)
  /// No kernel promises an error of at most `within` levels (1/255 of full scale) for this format.
  case noKernel(within: Double, format: PixelFormat)
  /// The instruction set is not available on this CPU.
  case unavailable(InstructionSet)
  /// The system could not supply this many bytes of memory.
  case outOfMemory(bytes: Int)

  /// The error message, as a single line.
  public var description: String {
    switch self {
    case .invalidLayout(let reason): reason
    case .invalidSigma(let sigma):
      "sigma \(sigma): must be a number from 0 to \(Int(Sigma.allowed.upperBound)) pixels"
    case .invalidRegion(let region, let layout):
      "region \(region.description): must be inside the "
        + "\(layout.width)x\(layout.height) image and not empty"
    case .invalidDownscaling(let factor, let region):
      BlurParameters.factors.contains(factor)
        ? "region \(region.description): to be downscaled by \(factor), it must begin at multiples of "
          + "\(factor), and have at least \(factor) columns and \(factor) rows"
        : "downscaled \(factor): must be 1, 2 or 4"
    case .invalidThreads(let count): "threads \(count): must be from 1 to 1024"
    case .layoutMismatch(let argument, let expected, let found):
      "the \(argument) must be \(expected), not \(found)"
    case .maskMismatch(let expected, let found):
      "the mask must be \(expected), as large as the image; it is \(found)"
    case .bufferTooSmall(let argument, let needed, let found):
      "the \(argument) has \(found) bytes, but its layout needs \(needed)"
    case .overlap(let kernel):
      "source and destination share memory, and kernel \(kernel) cannot work in place: "
        + "blur into another image"
    case .unsupported(let kernel, let reason): "kernel \(kernel) does not support \(reason)"
    case .failed(let kernel, let reason): "kernel \(kernel) failed: \(reason)"
    case .unknownKernel(let name, let nearest):
      "no kernel is called '\(name)'; "
        + (nearest.map { "did you mean '\($0)'?" }
          ?? "`blurbench list` and `Registry.kernels` list all kernels")
    case .noKernel(let levels, let format):
      "no kernel promises an error of at most \(Self.error(levels, .toNearestOrEven)) in "
        + "\(format.rawValue): the smallest promised error is \(Self.error(Self.least(in: format), .up))"
    case .unavailable(let set):
      "this CPU does not support \(set.name), but only "
        + InstructionSet.allCases.filter { $0.isAvailable }.map { $0.name }.joined(separator: ", ")
    case .outOfMemory(let bytes): "cannot allocate \(bytes) bytes: blur a smaller image, or blur it in tiles"
    }
  }

  /// Returns the smallest error that any kernel promises for a format, in levels.
  private static func least(in format: PixelFormat) -> Double {
    Registry.kernels.compactMap { $0.promise.bound(for: format) }.min() ?? .infinity
  }

  /// Formats the size of an error for a message, both in levels and as a fraction of full scale.
  private static func error(_ levels: Double, _ rule: FloatingPointRoundingRule) -> String {
    "\(short(levels, rule)) level" + (levels == 1 ? "" : "s")
      + " (\(short(levels / 255, rule)) of full scale)"
  }

  /// Returns a number as a string. The string has three significant digits if the number is below 100. Larger
  /// numbers are not rounded.
  private static func short(_ number: Double, _ rule: FloatingPointRoundingRule) -> String {
    guard number > 1e-300, number < 100 else { return number.formattedShort }
    var steps = 1.0
    while number * steps < 100 { steps *= 10 }
    return ((number * steps).rounded(rule) / steps).formattedShort
  }
}
