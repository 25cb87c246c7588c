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
    if let fixed = try Cascade(parameters, layout, .fixed) {
      plan = fixed
    } else if let float = try Cascade(parameters, layout, .float) {
      plan = float
    } else {
      plan = try SIMDSeparable(parameters, layout: layout)
    }
  }

  /// Above, costs change slowly with sigma; below, they fall where the first levels come into use.
  private static let largestOfSteps = 8.0

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
  /// The operations of the cheapest cascade, by which it is designed.
  static func effort(_ work: BlurWork) -> Double {
    guard let sigma = try? Sigma(min(work.sigma, largestOfSteps)) else { return work.pixels }
    let bound = work.accuracy.share(for: work.format)
    let isLocal = work.format.component == .float32
    var least = Double.infinity
    for arithmetic in isLocal ? [CascadeArithmetic.float] : [.fixed, .float] {
      let found = CascadeDesign.cheapest(
        sigma, bound, arithmetic.highestOrder, isLocal, work.width, work.height)
      least = found.cost
      if !found.orders.isEmpty { break }
    }
    return least
  }
}
