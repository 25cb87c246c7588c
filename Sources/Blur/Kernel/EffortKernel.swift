/// A kernel whose cost jumps with size or sigma, and that knows where.
protocol EffortKernel: BlurKernel {
  /// What a blur costs: times between measured workloads are predicted by it. For other kernels it is the number of
  /// pixels.
  static func effort(_ work: BlurWork) -> Effort
}

/// What a blur costs, up to a factor that changes slowly with size and sigma.
struct Effort: Equatable, Sendable {
  let amount: Double
  /// Which of its ways to blur the kernel takes; the factors of two ways have nothing to do with each other.
  var way = 0
  /// Whether threads can share the work.
  var isShared = true

  /// That of a kernel of which nothing is known.
  static let pixels: @Sendable (BlurWork) -> Effort = { Effort(amount: $0.pixels) }
}

/// A blur whose cost is asked for.
struct BlurWork: Sendable {
  let format: PixelFormat
  let width: Int, height: Int
  /// Standard deviation in pixels.
  let sigma: Double
  let isa: InstructionSet
  var accuracy = Accuracy.standard

  /// Pixels of the image.
  var pixels: Double { Double(width) * Double(height) }
}
