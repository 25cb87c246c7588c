/// The plan for sigma 0, which copies the image. Every kernel uses this plan if both sigmas are 0.
package final class CopyPlan: Plan {
  private let region: Region

  package let facts: PlanFacts

  package init(_ problem: BlurProblem, cost: Cost = .unknown) {
    region = problem.region
    facts = PlanFacts(phases: [Phase(units: region.height)], reads: region, hasRowEpilogue: true)
      .costing(cost)
  }

  package func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let target = buffers.destination
    let skipped = region.x * target.layout.format.bytesPerPixel
    let stride = target.layout.rowBytes
    // An epilogue is a function that the caller passes to process each finished row. It is fastest while the
    // row is still in the cache. Therefore all rows are copied at once only if there is no epilogue.
    if buffers.epilogue == nil, buffers.source.layout.stride == stride, target.layout.stride == stride {
      // SAFETY: the region lies inside the source image. Both strides equal the number of bytes in a row of
      // the region, so the region is as wide as the source image, and rows follow each other without unused
      // bytes. Therefore, in each image, the rows whose indices are in the range `units` form a single block
      // of `units.count * stride` bytes.
      return target.unsafeRow(units.lowerBound).copyMemory(
        from: buffers.source.unsafeRow(region.y + units.lowerBound) + skipped, byteCount: units.count * stride
      )
    }
    for y in units {
      // SAFETY: the region lies inside the source image, and the destination image has the size of the
      // region. So there are `rowBytes` bytes to read and `rowBytes` bytes to write in each row.
      target.unsafeRow(y).copyMemory(
        from: buffers.source.unsafeRow(region.y + y) + skipped, byteCount: target.layout.rowBytes)
      buffers.finished(y..<y + 1)
    }
  }
}
