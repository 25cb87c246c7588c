/// The plan for sigma 0, which copies the image. Every kernel uses this plan if there is nothing to blur.
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
    // The caller can pass an epilogue, which is an operation on each finished row. It should run while the
    // row is still in the cache. So all rows are copied in one call only if there is no epilogue.
    if buffers.epilogue == nil, buffers.source.layout.stride == stride, target.layout.stride == stride {
      // SAFETY: the rows of the region lie inside both images. Neither image has padding between its rows, so
      // that `units.count` rows are one block of memory.
      return target.row(units.lowerBound).copyMemory(
        from: buffers.source.row(region.y + units.lowerBound) + skipped, byteCount: units.count * stride)
    }
    for y in units {
      // SAFETY: the region lies inside the source image, so both rows hold at least `rowBytes` bytes, where
      // `rowBytes` is the length of a row of the region.
      target.row(y).copyMemory(
        from: buffers.source.row(region.y + y) + skipped, byteCount: target.layout.rowBytes)
      buffers.finished(y..<y + 1)
    }
  }
}
