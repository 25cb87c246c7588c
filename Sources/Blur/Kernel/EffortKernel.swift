/// A kernel whose cost jumps with size or sigma, and that knows where.
protocol EffortKernel: BlurKernel {
  /// What a blur costs, up to a factor that changes slowly with size and sigma: times between measured workloads are
  /// predicted by it. For other kernels it is the number of pixels.
  static func effort(_ work: BlurWork) -> Double
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
