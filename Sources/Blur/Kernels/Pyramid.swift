/// The Gaussian by resampling: halve the image, blur what is left with a small window, double it again.
///
/// Source: P. J. Burt, "Fast filter transforms for image processing" (1981) and Burt and Adelson, "The
/// Laplacian pyramid as a compact image code" (1983) for the cascade of binomial filters; here the window is
/// the Gaussian divided by the spectra of the resampling filters (`Parts/CascadeDesign.swift`), so that only
/// aliasing is left as error, and the number of levels keeps its worst case below the bound.
///
/// The coarse grid is anchored to image coordinates: pixel i of a level stands at 2i of the finer one, so
/// that regions and tiles agree with the whole. Small sigmas, and those that differ much by axis, use the
/// window filter of `simd`, or where that takes less, as in images that are small beside the window, the cosines of
/// `dct`.
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
    let whole = Whole(problem, parameters.accuracy)
    if let recipe = CascadeRecipe(problem, parameters.accuracy.share(for: layout.format), whole.cost),
      let windows = recipe.windows
    {
      plan = try Cascade(recipe, windows, parameters, layout)
    } else if whole.isByCosines, let cosines = try? SlidingDCT(parameters, layout: layout) {
      plan = cosines
    } else {
      plan = try SIMDSeparable(parameters, layout: layout)
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

/// The fastest way to filter the image itself.
private struct Whole {
  let cost: Cost
  /// By what factor cosines must seem faster, for estimates are not exact.
  private static let doubt = 1.15
  let isByCosines: Bool

  init(_ problem: BlurProblem, _ accuracy: Accuracy) {
    let constants = CostConstants.of(problem.instructionSet)
    let window = SIMDSeparable.cost(problem, accuracy, order: 0)
    let cosines = SlidingDCT.cost(problem, accuracy, order: 0)
    isByCosines = constants.work(cosines) * Self.doubt < constants.work(window)
    cost = isByCosines ? cosines : window
  }
}

extension Pyramid: CountingKernel {
  package static func cost(_ problem: BlurProblem, _ accuracy: Accuracy, order: Int) -> Cost {
    let whole = Whole(problem, accuracy)
    let layout = problem.layout
    guard var cost = CascadeRecipe(problem, accuracy.share(for: layout.format), whole.cost)?.cost
    else { return whole.cost }
    cost.pieces = Cascade.isQuick(layout.bounds, layout.format) ? 1 : Double(layout.height)
    return cost
  }
}
