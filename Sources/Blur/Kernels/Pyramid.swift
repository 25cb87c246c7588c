/// The Gaussian by resampling: halve the image, blur what is left with a small window, double it again.
///
/// Source: P. J. Burt, "Fast filter transforms for image processing" (1981) and Burt and Adelson, "The
/// Laplacian pyramid as a compact image code" (1983) for the cascade of binomial filters; here the window is
/// the Gaussian divided by the spectra of the resampling filters (`Parts/CascadeDesign.swift`), so that only
/// aliasing is left as error, and the number of levels keeps its worst case below the bound.
///
/// The coarse grid is anchored to image coordinates: pixel i of a level stands at 2i of the finer one, so
/// that regions and tiles agree with the whole. Small sigmas, and those that differ much by axis, use the
/// window filter of `simd`.
///
/// Three phases: all halvings, row by row with a few rows of each level in the cache; the window on the
/// coarsest level; all doublings, likewise. Only the coarsest level is ever stored whole.
public struct Pyramid: GradedKernel {
  public static let name = "pyramid"
  public static let summary = "halve, blur a small image, double: cost falls with sigma"
  public static let instructionSets = InstructionSet.allCases

  private let plan: any PlannedBlur
  /// The way that was planned, see ``Effort``: above those of `simd`, cascades in 16 bits and in floating point.
  var way: Int? { (plan as? Cascade).map { Self.way(of: $0.arithmetic) } }
  private static func way(of arithmetic: CascadeArithmetic) -> Int { arithmetic == .fixed ? 2 : 3 }

  public init(_ parameters: BlurParameters, layout: ImageLayout) throws(BlurError) {
    let recipe = CascadeRecipe(
      parameters.sigma, parameters.accuracy.share(for: layout.format), layout.format, width: layout.width,
      height: layout.height)
    plan =
      if let recipe, let windows = recipe.windows { try Cascade(recipe, windows, parameters, layout) } else {
        try SIMDSeparable(parameters, layout: layout)
      }
  }

  public var phases: [Phase] { plan.phases }
  public var sharedBytes: Int { plan.sharedBytes }
  public var scratchBytes: Int { plan.scratchBytes }
  public var reads: Region? { plan.reads }
  public var isSameByRegion: Bool { plan.isSameByRegion }
  public var isQuick: Bool { plan.isQuick }
  public var finishesRows: Bool { plan.finishesRows }

  public func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    plan.run(phase, units, buffers)
  }
}

extension Pyramid: EffortKernel {
  /// The operations of the cascade, by which it is designed.
  static func effort(_ work: BlurWork) -> (InstructionSet) -> Effort {
    let (width, height) = (work.width, work.height)
    guard let sigma = try? Sigma(work.sigma),
      let recipe = CascadeRecipe(
        sigma, work.accuracy.share(for: work.format), work.format, width: width, height: height)
    else { return SIMDSeparable.effort(work) }
    let isSlow = recipe.arithmetic == .float && work.format.component != .float32
    return { isa in
      let operations = CascadeDesign.operations(
        recipe.design.orders, sigma, width, height, ofRow: beginningRow * Double(isa.vectorBytes))
      return Effort(amount: operations * (isSlow ? floatSlowdown : 1), way: way(of: recipe.arithmetic))
    }
  }

  /// What it takes to begin a row, in operations for a byte of a vector.
  private static let beginningRow = 24.0
  /// Half as many values fit a vector.
  private static let floatSlowdown = 2.2
}
