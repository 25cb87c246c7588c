/// A kernel whose cost jumps with size or sigma, and that knows where.
protocol EffortKernel: BlurKernel {
  /// What a blur costs with each instruction set: times between measured workloads are predicted by it. For other kernels
  /// it is the number of pixels. What depends on no set is worked out once, for choosing must be quick.
  func effort(_ work: BlurWork) -> (InstructionSet) -> Effort
}

/// What a blur costs, up to a factor that changes slowly with size and sigma.
struct Effort: Equatable, Sendable {
  let amount: Double
  /// Which of its ways to blur the kernel takes; the factors of two ways have nothing to do with each other.
  var way = 0
  /// Whether threads can share the work.
  var isShared = true

  /// What ``EffortKernel/effort(_:)`` is.
  typealias Estimate = @Sendable (BlurWork) -> (InstructionSet) -> Effort

  /// That of a kernel of which nothing is known.
  static let pixels: Estimate = { work in
    { _ in Effort(amount: work.pixels) }
  }
}

/// A blur whose cost is asked for.
struct BlurWork: Sendable {
  let format: PixelFormat
  let width: Int, height: Int
  /// Standard deviation in pixels.
  let sigma: Double

  /// Pixels of the image.
  var pixels: Double { Double(width) * Double(height) }
}
