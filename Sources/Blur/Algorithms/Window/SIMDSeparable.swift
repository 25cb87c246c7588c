import BlurLoopTable

/// The separable Gaussian in Swift SIMD, which uses the widest vectors of the CPU.
///
/// The kernel uses 16-bit fixed point if the error bound allows that, and single precision otherwise. The
/// window is no wider than the error bound requires. Float samples above 2¹²⁷ may become infinite, because
/// two samples are added before they are multiplied by their weight. ``WindowFilter`` describes how the
/// vertical and the horizontal pass work together.
struct SIMDSeparable: BlurKernel {
  let accuracy: Accuracy

  init(_ accuracy: Accuracy) { self.accuracy = accuracy }

  var name: String { accuracy.name(in: "simd") }
  var summary: String {
    accuracy.summary(
      of: "separable convolution in Swift SIMD: 16-bit fixed point for 8- and 16-bit formats, else float")
  }
  var promise: Promise { .exact(accuracy) }
  let instructionSets = InstructionSet.allCases

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let (layout, sigma, edge) = (problem.layout, problem.sigma, problem.edge)
    let format = layout.format
    let window = Self.window(Arithmetic(for: format.component), bound: accuracy.share(for: format)) { tail in
      let across = GaussianTaps(sigma: sigma.x, tail: tail)
      let down = sigma.x == sigma.y ? across : GaussianTaps(sigma: sigma.y, tail: tail)
      return (across.folded(edge, layout.width), down.folded(edge, layout.height))
    }
    return try WindowPlan(problem, window, cost: cost(problem))
  }

  /// The largest error that rounding weights and sums to single precision can add, as a fraction of full
  /// scale. The value was determined with certificates, which compute the worst case of a kernel over all
  /// images. It is a fifth of the strictest error bound, which is 1e-5.
  private static let floatRounding = 2e-6

  /// Returns the fastest window whose error is at most `bound`, a fraction of full scale. The final rounding
  /// of the result is not counted.
  ///
  /// - Parameters:
  ///   - arithmetic: The fastest arithmetic for the image. If its error is too large, the window is in single
  ///     precision.
  ///   - taps: A function that returns the window for each axis. A window may leave out at most the fraction
  ///     `tail` of the Gaussian's total weight.
  private static func window(
    _ arithmetic: Arithmetic, bound: Double,
    taps: (_ tail: Double) -> (across: GaussianTaps, down: GaussianTaps)
  ) -> BlurWindow {
    // The error bound must cover the error of leaving out taps at the ends of the windows, and the error of
    // rounding the weights to integers. `share` is the fraction of the bound that each axis may use for its
    // left-out taps. A larger fraction allows shorter windows, which are faster. If the errors together
    // exceed the bound, the loop tries a smaller fraction.
    for share in [0.47, 0.4, 0.3] where arithmetic.isFixed {
      let (across, down) = taps(share * bound)
      guard let window = BlurWindow(across: across.half, down: down.half, arithmetic) else { break }
      if across.leftOut + down.leftOut + window.error < 0.98 * bound { return window }
    }
    let (across, down) = taps(0.47 * (bound - floatRounding))
    return BlurWindow(across: across.half, down: down.half)
  }

  func cost(_ problem: BlurProblem) -> Cost {
    let (layout, edge) = (problem.layout, problem.edge)
    let bound = accuracy.share(for: layout.format)
    let across = edge.radius(problem.sigma.x, bound, layout.width)
    let down = edge.radius(problem.sigma.y, bound, layout.height)
    // The estimate assumes that a plan uses fixed-point arithmetic if the error from rounding the weights to
    // integers is at most about half of the error bound. This error is half the sum of the absolute rounding
    // errors of all weights. Here, each rounding error is estimated as a third of a weight's last bit.
    let isFixed =
      layout.format.component != .float32
      && (across + down) / 3 / Double(1 << Arithmetic.products.weightBits) < bound / 2
    let filter = WindowCost(
      channels: layout.format.channels, vectorBytes: problem.instructionSet.vectorBytes,
      arithmetic: isFixed ? Arithmetic(for: layout.format.component) : .float,
      isOfFloats: layout.format.component == .float32)
    let (width, height) = (Double(layout.width), Double(layout.height))
    var cost = filter.filter(columns: width, stored: width, rows: height, across: across, down: down)
    cost.pieces = height.pieces(of: FilterLoops.rowsPerBlock)
    return cost
  }
}
