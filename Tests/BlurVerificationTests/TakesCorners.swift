import Blur

/// A kernel whose smaller results show the first pixel of each block, instead of the mean of the block.
struct TakesCorners: BlurKernel {
  let name = "TakesCorners"
  let summary = "takes one pixel of each block"
  let promise = Promise.exact()
  let downscales = true

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    if problem.downscaled == 1 { return MutantKernel<Honest>().plan(problem) }
    var parameters = BlurParameters(sigma: problem.sigma, edge: problem.edge, region: problem.region)
    parameters.instructionSet = .baseline
    return CornersPlan(
      try BlurPlan(Kernel(MutantKernel<Honest>()), for: problem.layout, parameters), problem.downscaled)
  }
}

private final class CornersPlan: Plan {
  private let blur: BlurPlan
  private let factor: Int
  let facts = PlanFacts(phases: [Phase(units: 1)])

  init(_ blur: BlurPlan, _ factor: Int) { (self.blur, self.factor) = (blur, factor) }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    do throws(BlurError) {
      let (region, format) = (blur.region, blur.layout.format)
      var blurred = try Image(ImageLayout(format, width: region.width, height: region.height))
      try blurred.withMutableView { (view) throws(BlurError) in try blur.blur(buffers.source, into: view) }
      blurred.withView { view in
        for y in 0..<buffers.destination.layout.height {
          for x in 0..<buffers.destination.layout.width {
            // SAFETY: both pixels lie inside their images, because the result has one pixel for each block.
            (buffers.destination.unsafeRow(y) + x * format.bytesPerPixel).copyMemory(
              from: view.unsafeRow(factor * y) + factor * x * format.bytesPerPixel,
              byteCount: format.bytesPerPixel)
          }
        }
      }
    } catch {
      buffers.fail(error)
    }
  }
}
