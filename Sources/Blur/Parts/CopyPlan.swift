/// The blur of sigma 0: a copy. Every kernel's plan becomes this one when there is nothing to blur.
final class CopyPlan: Plan {
  private let region: Region

  init(_ problem: BlurProblem) { region = problem.region }

  var facts: PlanFacts {
    PlanFacts(phases: [Phase(units: region.height)], reads: region, hasRowEpilogue: true)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    let target = buffers.destination
    let skipped = region.x * target.layout.format.bytesPerPixel
    for y in units {
      // SAFETY: the region is inside the source, and both rows hold the target's `rowBytes`.
      target.row(y).copyMemory(
        from: buffers.source.row(region.y + y) + skipped, byteCount: target.layout.rowBytes)
      buffers.finished(y..<y + 1)
    }
  }
}
