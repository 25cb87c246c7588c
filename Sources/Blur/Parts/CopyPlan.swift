/// The blur of sigma 0: a copy. Every kernel's plan becomes this one when there is nothing to blur.
package final class CopyPlan: Plan {
  private let region: Region

  package init(_ problem: BlurProblem) { region = problem.region }

  package var facts: PlanFacts {
    PlanFacts(phases: [Phase(units: region.height)], reads: region, hasRowEpilogue: true)
  }

  package func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let target = buffers.destination
    let skipped = region.x * target.layout.format.bytesPerPixel
    let stride = target.layout.rowBytes
    // An epilogue wants rows that are still in the cache, so only without one all are copied at one go.
    if buffers.epilogue == nil, buffers.source.layout.stride == stride, target.layout.stride == stride {
      // SAFETY: the rows of the region lie one behind the other in both images, without padding.
      return target.row(units.lowerBound).copyMemory(
        from: buffers.source.row(region.y + units.lowerBound) + skipped, byteCount: units.count * stride)
    }
    for y in units {
      // SAFETY: the region is inside the source, and both rows hold the target's `rowBytes`.
      target.row(y).copyMemory(
        from: buffers.source.row(region.y + y) + skipped, byteCount: target.layout.rowBytes)
      buffers.finished(y..<y + 1)
    }
  }
}
