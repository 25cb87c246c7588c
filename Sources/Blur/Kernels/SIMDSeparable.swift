import BlurLoopTable

/// The separable Gaussian in Swift SIMD, for the widest vectors of the CPU.
///
/// Where the bound allows, 16-bit fixed point; otherwise single precision. The window is no wider than the
/// bound needs. Float samples above 2¹²⁷ may become infinite, for two are added before they are weighted.
/// `Parts/WindowFilter.swift` says how the passes work together.
struct SIMDSeparable: BlurKernel {
  let accuracy: Accuracy

  init(_ accuracy: Accuracy) { self.accuracy = accuracy }

  var name: String { accuracy.name(in: "simd") }
  var summary: String {
    accuracy.summary(
      of: "separable in Swift SIMD: 16-bit fixed point for 8- and 16-bit formats, float for others")
  }
  var promise: Promise { .exact(accuracy) }
  let instructionSets = InstructionSet.allCases

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let format = problem.layout.format
    let shape = WindowShape(
      component: format.component, channels: format.channels, wanted: problem.region.columns,
      inside: 0..<problem.layout.width, edge: problem.edge, instructionSet: problem.instructionSet)
    let filter = Self.filter(shape, bound: accuracy.share(for: format)) { tail in
      (
        GaussianTaps(sigma: problem.sigma.x, tail: tail).folded(problem.edge, problem.layout.width),
        GaussianTaps(sigma: problem.sigma.y, tail: tail).folded(problem.edge, problem.layout.height)
      )
    }
    return try WindowPlan(problem, filter)
  }
}

extension SIMDSeparable {
  /// What rounded weights and sums in single precision may be off together, a share of full scale: a fifth of
  /// the strictest bound, measured by certificates.
  private static let floatRounding = 2e-6

  /// The fastest filter that is at most `bound` off before rounding, a share of full scale.
  ///
  /// - Parameter taps: the windows along both axes that leave out so much.
  private static func filter(
    _ shape: WindowShape, bound: Double, taps: (_ tail: Double) -> (across: GaussianTaps, down: GaussianTaps)
  ) -> any WindowFilter {
    // What windows leave out may weigh most of the bound; integer weights need some room beside it.
    for share in [0.47, 0.4, 0.3] where shape.component != .float32 {
      let (across, down) = taps(share * bound)
      let window = QuantizedWindow(
        across: across.half, down: down.half, isOfBytes: shape.component == .uint8)
      guard let window else { break }
      if across.leftOut + down.leftOut + window.error < 0.98 * bound { return window.filter(shape) }
    }
    let (across, down) = taps(0.47 * (bound - floatRounding))
    return FloatFilter(shape, across: across.half, down: down.half)
  }
}

extension SIMDSeparable {
  func cost(_ problem: BlurProblem) -> Cost {
    let (layout, edge) = (problem.layout, problem.edge)
    let bound = accuracy.share(for: layout.format)
    let across = edge.radius(problem.sigma.x, bound, layout.width)
    let down = edge.radius(problem.sigma.y, bound, layout.height)
    // Rounding puts each weight off by a third of a unit; half of the bound is for that.
    let isFixed =
      layout.format.component != .float32 && (across + down) / 3 / Double(1 << Q15Taps.bits) < bound / 2
    let filter = WindowCost(
      channels: layout.format.channels, vectorBytes: problem.instructionSet.vectorBytes,
      arithmetic: .init(isFixed: isFixed, layout.format.component),
      isOfFloats: layout.format.component == .float32)
    let (width, height) = (Double(layout.width), Double(layout.height))
    var cost = filter.filter(columns: width, stored: width, rows: height, across: across, down: down)
    cost.pieces = height.pieces(of: FilterLoops.rowsPerBlock)
    return cost
  }
}
