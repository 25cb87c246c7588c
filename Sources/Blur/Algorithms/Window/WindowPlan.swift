import BlurLoopTable

/// A plan that blurs an image with a ``WindowFilter``, at full size and in a single phase. The caller can
/// pass an epilogue, which is an operation on each finished row. The plan then blurs only a few rows at a
/// time, so that these rows are still in the cache when the epilogue processes them.
final class WindowPlan: Plan {
  private let region: Region
  private let rows: EdgeRows
  private let filter: any WindowFilter
  let facts: PlanFacts

  init(_ problem: BlurProblem, _ window: BlurWindow, cost: Cost) throws(BlurError) {
    region = problem.region
    rows = try EdgeRows(problem.edge, layout: problem.layout)
    let format = problem.layout.format
    let shape = WindowShape(
      component: format.component, channels: format.channels, wanted: region.columns,
      inside: 0..<problem.layout.width, edge: problem.edge, instructionSet: problem.instructionSet)
    let frame = WindowFrame(shape, window)
    let filter = window.filter(frame)
    var facts = PlanFacts(
      phases: [Phase(units: region.height, grain: FilterLoops.rowsPerBlock)],
      scratchBytes: filter.scratchBytes,
      reads: Region(
        columns: frame.line.columns, rows: rows.span(of: region.rows.widened(by: frame.radius))),
      arithmetic: window.integers?.arithmetic.rawValue, hasRowEpilogue: true,
      blockRows: PhaseContext.rowsAtOnce)
    (facts.integerWeights, facts.cost) = (window.integers, cost)
    (self.filter, self.facts) = (filter, facts)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let strip = buffers.epilogue == nil ? units.count : PhaseContext.rowsAtOnce
    for y in stride(from: units.lowerBound, to: units.upperBound, by: max(1, strip)) {
      let wanted = y..<min(y + strip, units.upperBound)
      filter.run(wanted, buffers) {
        rows.row(at: region.y + $0, of: buffers.source)
      } into: {
        buffers.destination.unsafeRow($0)
      }
      buffers.finished(wanted)
    }
  }
}
