/// The Gaussian by resampling: downsample the image, blur what is left with a small window, upsample it again.
///
/// Source: P. J. Burt, "Fast filter transforms for image processing" (1981) and Burt and Adelson, "The
/// Laplacian pyramid as a compact image code" (1983) for the pyramid of binomial filters; here the window is
/// the Gaussian divided by the spectra of the resampling filters (`Parts/PyramidDesign.swift`), so that only
/// aliasing is left as error, and the number of levels keeps its worst case below the bound.
///
/// The coarse grid is anchored to image coordinates: pixel i of a level stands at 2i of the finer one, so
/// that regions and tiles agree with the whole. Small sigmas, and those that differ much by axis, use the
/// window filter of `simd`.
///
/// Three phases: all downsamplings, row by row with a few rows of each level in the cache; the window on the
/// coarsest level; all upsamplings, likewise. Only the coarsest level is ever stored whole.
struct Pyramid: BlurKernel {
  let accuracy: Accuracy

  init(_ accuracy: Accuracy) { self.accuracy = accuracy }

  var name: String { accuracy.name(in: "pyramid") }
  var summary: String {
    accuracy.summary(of: "downsample, blur a small image, upsample: cost falls with sigma")
  }
  var promise: Promise { .exact(accuracy) }
  let instructionSets = InstructionSet.allCases

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let layout = problem.layout
    let recipe = PyramidRecipe(
      problem.sigma, accuracy.share(for: layout.format), layout.format, width: layout.width,
      height: layout.height)
    guard let recipe, let windows = recipe.windows else { return try SIMDSeparable(accuracy).plan(problem) }
    return try PyramidPlan(recipe, windows, problem)
  }
}

extension Pyramid: EffortKernel {
  /// The way that is planned, see ``Effort``: above those of `simd`, pyramids in 16 bits and in floating point.
  static func way(of arithmetic: PyramidArithmetic) -> Int { arithmetic == .fixed ? 2 : 3 }

  /// The operations of the pyramid, by which it is designed.
  func effort(_ work: BlurWork) -> (InstructionSet) -> Effort {
    let (width, height) = (work.width, work.height)
    guard let sigma = try? Sigma(work.sigma),
      let recipe = PyramidRecipe(
        sigma, accuracy.share(for: work.format), work.format, width: width, height: height)
    else { return SIMDSeparable(accuracy).effort(work) }
    let isSlow = recipe.arithmetic == .float && work.format.component != .float32
    return { isa in
      let operations = PyramidDesign.operations(
        recipe.design.orders, sigma, width, height, ofRow: Self.beginningRow * Double(isa.vectorBytes))
      return Effort(
        amount: operations * (isSlow ? Self.floatSlowdown : 1), way: Self.way(of: recipe.arithmetic))
    }
  }

  /// What it takes to begin a row, in operations for a byte of a vector.
  private static let beginningRow = 24.0
  /// Half as many values fit a vector.
  private static let floatSlowdown = 2.2
}
