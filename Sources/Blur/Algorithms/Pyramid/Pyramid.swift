/// The Gaussian, computed by resampling: the image is downsampled, the small image is blurred with a small
/// window, and the result is upsampled again.
///
/// Source: P. J. Burt, "Fast filter transforms for image processing" (1981) and Burt and Adelson, "The
/// Laplacian pyramid as a compact image code" (1983) for the pyramid of binomial filters. Here, the spectrum
/// of the window is the spectrum of the Gaussian divided by the spectra of the resampling filters
/// (``PyramidDesign``). Aliasing is then the only remaining error. The number of levels is chosen so that
/// even the worst case of aliasing stays below the error bound.
///
/// Pixel i of a level always lies at pixel 2i of the next larger level, or half a pixel before it. Pixels are
/// counted from the edge of the whole image, so that blurring a region or a tile gives the same pixels as
/// blurring the whole image.
///
/// A pyramid does not pay off if the sigmas are small, if they differ a lot between the axes, or if the image
/// is small compared with the window. In these cases, the kernel blurs the image itself, in the same way as
/// the kernel `simd` or the kernel `dct`, whichever is faster.
///
/// If the result should be half or a quarter as large as the image, the last one or two doublings are left
/// out. The pixels are then counted from a position outside the image, so that each pixel of the result lies
/// at the centre of a block of image pixels (``PyramidDesign/shift``).
///
/// There are three phases. The first does all downsamplings row by row, with a few rows of each level in the
/// cache. The second applies the window to the coarsest level. The third does all upsamplings row by row.
/// Between the phases, only the coarsest level is stored, and it is stored completely. If the coarsest level
/// is too large for the cache, a single phase can do all the work instead. It computes each row of the
/// coarsest level only when upsampling needs this row.
struct Pyramid: BlurKernel {
  let accuracy: Accuracy

  init(_ accuracy: Accuracy) { self.accuracy = accuracy }

  var name: String { accuracy.name(in: "pyramid") }
  var summary: String {
    accuracy.summary(of: "downsamples, blurs the small image, and upsamples it; faster for larger sigmas")
  }
  var promise: Promise { .exact(accuracy) }
  let instructionSets = InstructionSet.allCases
  let downscales = true

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan { try draft(problem).plan(problem) }

  private func plan(_ problem: BlurProblem, _ strategy: Strategy) throws(BlurError) -> any Plan {
    if let pyramid = strategy.pyramid, let window = pyramid.window {
      return try PyramidPlan(pyramid, window, problem)
    }
    if strategy.isByCosines {
      // In a few narrow ranges of sigma, none of the supported numbers of cosines is accurate enough.
      // Creating the plan for the cosine filter then throws an error, and an ordinary convolution is used
      // instead.
      do throws(BlurError) { return try SlidingDCTPlan(problem, accuracy) } catch {
        guard case .unsupported = error else { throw error }
      }
    }
    return try SIMDSeparable(accuracy).plan(problem)
  }

  func cost(_ problem: BlurProblem) -> Cost { draft(problem).cost }

  func draft(_ problem: BlurProblem) -> PlanDraft {
    // To get a smaller result, the kernel can also blur the image at full size and then average blocks of
    // pixels. This is cheaper if sigma is so small that a pyramid does not pay off.
    let averaged = problem.downscaled > 1 ? DownscaledPlan.draft(problem, draft) : nil
    let strategy = Strategy(problem, accuracy, limit: averaged?.cost)
    if let averaged, strategy.pyramid == nil { return averaged }
    return PlanDraft(cost: strategy.cost) { (problem) throws(BlurError) in try plan(problem, strategy) }
  }
}

/// The cheapest of three strategies for a blur: filtering the image with a window, filtering it with sliding
/// sums of cosines, or using a pyramid.
///
/// The choice does not depend on the region or the number of threads, so that a part of an image always gets
/// the same bits as the whole image.
private struct Strategy {
  /// The design of the pyramid, or nil if the image is blurred without a pyramid.
  let pyramid: PyramidChoice?
  let isByCosines: Bool
  /// The cost of blurring the image without a pyramid.
  let direct: Cost

  /// The cost of the cheapest strategy.
  var cost: Cost { pyramid?.cost ?? direct }

  /// Chooses a strategy.
  ///
  /// - Parameter limit: A pyramid is chosen only if it costs less than this. If nil, the limit is the cost of
  ///   blurring the image without a pyramid.
  init(_ problem: BlurProblem, _ accuracy: Accuracy, limit: Cost?) {
    let constants = CostConstants.of(problem.instructionSet)
    let (window, cosines) = (SIMDSeparable(accuracy).cost(problem), SlidingDCT(accuracy).cost(problem))
    isByCosines = problem.thresholds.usesCosines ?? (constants.work(cosines) < constants.work(window))
    direct = isByCosines ? cosines : window
    pyramid = PyramidChoice(problem, accuracy.share(for: problem.layout.format), limit ?? direct)
  }
}
