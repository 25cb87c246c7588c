/// The Gaussian by resampling: downsample the image, blur what is left with a small window, upsample it
/// again.
///
/// Source: P. J. Burt, "Fast filter transforms for image processing" (1981) and Burt and Adelson, "The
/// Laplacian pyramid as a compact image code" (1983) for the pyramid of binomial filters; here the window is
/// the Gaussian divided by the spectra of the resampling filters (`Parts/PyramidDesign.swift`), so that only
/// aliasing is left as error, and the number of levels keeps its worst case below the bound.
///
/// The coarse grid is anchored to image coordinates: pixel i of a level stands at 2i of the finer one, or
/// half a pixel before, so that regions and tiles agree with the whole. Small sigmas, and those that differ
/// much by axis, use the window filter of `simd`, or where that takes less, as in images that are small
/// beside the window, the cosines of `dct`.
///
/// Three phases: all downsamplings, row by row with a few rows of each level in the cache; the window on the
/// coarsest level; all upsamplings, likewise. Only the coarsest level is ever stored whole, and where it is
/// large not even that: then there is one phase, and its rows are made when they are upsampled.
struct Pyramid: BlurKernel {
  let accuracy: Accuracy

  init(_ accuracy: Accuracy) { self.accuracy = accuracy }

  var name: String { accuracy.name(in: "pyramid") }
  var summary: String {
    accuracy.summary(of: "downsample, blur a small image, upsample: takes less time as sigma grows")
  }
  var promise: Promise { .exact(accuracy) }
  let instructionSets = InstructionSet.allCases

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let path = Strategy(problem, accuracy)
    if let recipe = path.recipe, let windows = recipe.windows {
      return try PyramidPlan(recipe, windows, problem)
    }
    if path.isByCosines {
      // There is no window of cosines for some narrow bands of sigma.
      do throws(BlurError) { return try SlidingDCTPlan(problem, accuracy) } catch {
        guard case .unsupported = error else { throw error }
      }
    }
    return try SIMDSeparable(accuracy).plan(problem)
  }

  func cost(_ problem: BlurProblem) -> Cost { Strategy(problem, accuracy).cost }
}

/// What takes least: filtering the image by a window or by cosines, or a pyramid.
///
/// Whatever the region and the threads, so that parts have the same bits as the whole.
private struct Strategy {
  /// Nil where the image itself is filtered.
  let recipe: PyramidChoice?
  let isByCosines: Bool
  let cost: Cost

  init(_ problem: BlurProblem, _ accuracy: Accuracy) {
    let constants = CostConstants.of(problem.instructionSet)
    let (window, cosines) = (SIMDSeparable(accuracy).cost(problem), SlidingDCT(accuracy).cost(problem))
    isByCosines = constants.work(cosines) < constants.work(window)
    let direct = isByCosines ? cosines : window
    let layout = problem.layout
    recipe = PyramidChoice(problem, accuracy.share(for: layout.format), direct)
    var cost = recipe?.cost ?? direct
    if recipe != nil { (cost.pieces, cost.phases) = (Double(layout.height), 3) }
    self.cost = cost
  }
}
