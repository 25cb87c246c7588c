import BlurLoopTable

/// A plan that blurs a whole image with a ``WindowFilter``. The caller can pass an epilogue, which is an
/// operation on each finished row. The plan then blurs only a few rows at a time, so that these rows are
/// still in the cache when the epilogue processes them.
final class WindowPlan: IntegerWindowPlan {
  private let region: Region
  private let rows: EdgeRows
  private let filter: any WindowFilter

  init(_ problem: BlurProblem, _ filter: any WindowFilter) throws(BlurError) {
    region = problem.region
    rows = try EdgeRows(problem.edge, layout: problem.layout)
    self.filter = filter
  }

  var weights: IntegerWeights? { filter.weights }

  var facts: PlanFacts {
    PlanFacts(
      phases: [Phase(units: region.height, grain: FilterLoops.rowsPerBlock)],
      scratchBytes: filter.scratchBytes,
      reads: Region(
        columns: filter.frame.line.columns,
        rows: rows.span(of: region.rows.widened(by: filter.frame.radius))),
      arithmetic: filter.weights?.arithmetic.rawValue, hasRowEpilogue: true,
      blockRows: PhaseContext.rowsAtOnce)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let isStreamed = buffers.isStreamed
    let strip = buffers.epilogue == nil ? units.count : PhaseContext.rowsAtOnce
    for y in stride(from: units.lowerBound, to: units.upperBound, by: max(1, strip)) {
      let wanted = y..<min(y + strip, units.upperBound)
      filter.run(wanted, buffers.scratch, isStreamed: isStreamed) {
        rows.row(at: region.y + $0, of: buffers.source)
      } into: {
        buffers.destination.row($0)
      }
      buffers.finished(wanted)
    }
  }
}
