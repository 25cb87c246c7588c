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

  public init(_ parameters: BlurParameters, layout: ImageLayout) throws(BlurError) {
    let problem = BlurProblem(
      layout: layout, sigma: parameters.sigma, edge: parameters.edge, region: layout.bounds,
      instructionSet: parameters.instructionSet, threads: 1)
    let recipe = CascadeRecipe(
      problem, parameters.accuracy.share(for: layout.format),
      SIMDSeparable.cost(problem, parameters.accuracy, order: 0))
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

extension Pyramid: CountingKernel {
  package static func cost(_ problem: BlurProblem, _ accuracy: Accuracy, order: Int) -> Cost {
    let direct = SIMDSeparable.cost(problem, accuracy, order: 0)
    let recipe = CascadeRecipe(problem, accuracy.share(for: problem.layout.format), direct)
    guard var cost = recipe?.cost else { return direct }
    let layout = problem.layout
    cost.bytes += Cost.bytes(of: layout)
    cost.pieces = Cascade.isQuick(layout.bounds, layout.format) ? 1 : Double(layout.height)
    return cost
  }
}
