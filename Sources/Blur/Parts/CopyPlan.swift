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
      // SAFETY: the region lies inside the source image, and the destination image has the size of the
      // region. Neither image has unused bytes between its rows. Therefore the rows `units` are a single
      // block of `units.count * stride` bytes in each image.
      return target.row(units.lowerBound).copyMemory(
        from: buffers.source.row(region.y + units.lowerBound) + skipped, byteCount: units.count * stride)
    }
    for y in units {
      // SAFETY: the region lies inside the source image, and `rowBytes` is the length of a row of the region.
      // So the source row holds `rowBytes` bytes after the skipped bytes, and the destination row also holds
      // `rowBytes` bytes.
      target.row(y).copyMemory(
        from: buffers.source.row(region.y + y) + skipped, byteCount: target.layout.rowBytes)
      buffers.finished(y..<y + 1)
    }
  }
}
