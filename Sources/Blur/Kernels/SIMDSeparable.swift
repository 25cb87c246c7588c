/// The separable Gaussian in Swift SIMD, for the widest vectors of the CPU.
///
/// Where the bound allows, 16-bit fixed point; otherwise single precision. The window is no wider than the
/// bound needs. `Parts/WindowFilter.swift` says how the passes work together.
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
    return try WindowPlan(
      problem, Self.filter(shape, problem.sigma, bound: accuracy.share(for: format)))
  }
}

extension SIMDSeparable {
  /// The quickest filter that is at most `bound` off before rounding, a share of full scale.
  private static func filter(_ shape: WindowShape, _ sigma: Sigma, bound: Double) -> any WindowFilter {
    // What windows leave out may weigh most of the bound; integer weights need some room beside it.
    for share in [0.47, 0.4, 0.3] where shape.component != .float32 {
      let across = GaussianTaps(sigma: sigma.x, tail: share * bound)
      let down = GaussianTaps(sigma: sigma.y, tail: share * bound)
      guard let fixedAcross = FixedTaps(across.half), let fixedDown = FixedTaps(down.half) else { break }
      let error = across.leftOut + down.leftOut + fixedAcross.error + fixedDown.error
      if error + FixedFilter.rounding < 0.98 * bound {
        return FixedFilter(shape, across: fixedAcross, down: fixedDown)
      }
    }
    let across = GaussianTaps(sigma: sigma.x, tail: 0.47 * bound)
    let down = GaussianTaps(sigma: sigma.y, tail: 0.47 * bound)
    return FloatFilter(shape, across: across.half, down: down.half)
  }
}

extension SIMDSeparable: EffortKernel {
  /// The vectors of the inner loops, counted like the operations of `pyramid`.
  func effort(_ work: BlurWork) -> (InstructionSet) -> Effort {
    let bound = accuracy.share(for: work.format)
    // Wide windows have small weights, whose rounding uses up the bound.
    let isFixed = work.format.component != .float32 && work.sigma < 5500 * bound
    let deviations = (2 * Double.log(2 / bound)).squareRoot()
    let taps = 1 + 2 * deviations * work.sigma
    let count = Double(work.width) * Double(work.format.channels)
    let endsInPairs = work.format.channels == 1 || work.width % 2 == 0
    let blocks = (Double(work.height) / Double(FilterLoops.rowsPerBlock)).rounded(.up)
    return { isa in
      let lanes = Double(isa.vectorBytes / (isFixed ? 2 : 4))
      var down = (count / lanes).rounded(.up)
      // Blocks of four vectors are always summed whole.
      let across = (count / (4 * lanes)).rounded(.up)
      let reachesBack = count >= lanes && endsInPairs
      if isFixed, !reachesBack, down * lanes > count { down += Self.partial }
      let row = isFixed ? 44 + taps * (down + 1.8 * across) : 62 + taps * (0.2 * down + 3 * across)
      return Effort(amount: Self.vector * row * blocks, way: isFixed ? 0 : 1)
    }
  }

  /// The operations that one vector, summed down for one tap, lasts as long as.
  private static let vector = 76.0
  /// A vector that is loaded in part costs as much more as so many whole ones.
  private static let partial = 5.0
}
