/// The Gaussian as two one-dimensional passes, first down the columns and then along the rows, in plain
/// scalar Swift.
///
/// For each output row, the vertical pass adds up weighted source rows, and stores the sums as a line of
/// single-precision values. The line is then extended beyond both ends, as the edge mode requires. The
/// horizontal pass adds up shifted copies of this line, each multiplied by a weight. With windows of radius
/// r, both passes together take 2(2r + 1) multiplications per component. No intermediate image is stored.
struct Separable: BlurKernel {
  let name = "separable"
  let summary = "two 1-D convolutions in plain scalar Swift"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    try SeparablePlan(problem, cost: cost(problem))
  }

  func cost(_ problem: BlurProblem) -> Cost {
    let layout = problem.layout
    let tail = GaussianTaps.tail(for: layout.format)
    let across = problem.edge.radius(problem.sigma.x, tail, layout.width)
    let down = problem.edge.radius(problem.sigma.y, tail, layout.height)
    let values = Double(layout.width) * Double(layout.height) * Double(layout.format.channels)
    // A blur takes 2 · (across + down + 1) multiplications and additions per value. The compiler vectorises
    // the loops along a row, four values at a time, so the work for four values counts as one scalar
    // operation.
    var cost = Cost(scalars: values * (across + down + 1) / 2)
    cost.pieces = Double(layout.height)
    return cost
  }
}

private final class SeparablePlan: Plan {
  private let layout: ImageLayout
  private let region: Region
  private let edge: EdgeMode
  private let rows: EdgeRows
  private let line: PaddedLine
  private let across: [Float]
  private let down: [Float]
  private let cost: Cost

  init(_ problem: BlurProblem, cost: Cost) throws(BlurError) {
    self.cost = cost
    (layout, region, edge) = (problem.layout, problem.region, problem.edge)
    let horizontal = GaussianTaps(sigma: problem.sigma.x, for: layout.format)
      .folded(edge, layout.width)
    let vertical = GaussianTaps(sigma: problem.sigma.y, for: layout.format)
      .folded(edge, layout.height)
    rows = try EdgeRows(edge, layout: layout)
    line = PaddedLine(
      region.columns, radius: horizontal.radius, width: layout.width, edge: edge,
      channels: layout.format.channels)
    across = horizontal.window.map { Float($0) }
    down = vertical.window.map { Float($0) }
  }

  /// The facts about this plan that the executor needs. The scratch memory of a thread holds the line of
  /// vertical sums, extended beyond the edges of the image, followed by the sums of the horizontal pass.
  var facts: PlanFacts {
    PlanFacts(
      phases: [Phase(units: region.height)],
      scratchBytes: (line.positions.count + region.width) * layout.format.channels
        * MemoryLayout<Float>.stride,
      reads: Region(columns: line.columns, rows: rows.span(of: region.rows.widened(by: down.count / 2)))
    ).costing(cost)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    switch layout.format.component {
    case .uint8: blur(units, buffers, UInt8.self)
    case .uint16: blur(units, buffers, UInt16.self)
    case .float32: blur(units, buffers, Float.self)
    }
  }

  @inline(__always)
  private func blur<C: PixelComponent>(_ units: Range<Int>, _ buffers: PhaseContext, _ type: C.Type) {
    let channels = layout.format.channels
    // SAFETY: the scratch memory has space for a line of values that extends beyond the edges of the image,
    // followed by a line of sums. `scratchBytes` counts the bytes of both lines.
    let values = buffers.scratch.assumingMemoryBound(to: Float.self)
    let sums = values + line.positions.count * channels
    for y in units {
      sumRows(around: y + region.y, buffers.source, into: values, type)
      line.fill(values) { edge.constant($0, in: layout.format) }
      sumColumns(of: values, into: sums)
      let target = buffers.destination.unsafeRow(y)
      for i in 0..<region.width * channels { target.setComponent(i, to: C(rounding: sums[i])) }
    }
  }

  /// Computes the vertical pass for row `y` of the image. It adds up the rows in the window around this row,
  /// each multiplied by its weight.
  @inline(__always)
  private func sumRows<C: PixelComponent>(
    around y: Int, _ source: ImageView, into line: UnsafeMutablePointer<Float>, _ type: C.Type
  ) {
    let channels = layout.format.channels
    let first = self.line.columns.lowerBound * channels
    let count = self.line.columns.count * channels
    // SAFETY: the memory at `line` has space for every pixel in the range `positions`. This range includes
    // the pixels in `columns`, which are written here.
    let sums = line + self.line.offset(of: self.line.columns.lowerBound) * channels
    sums.update(repeating: 0, count: count)
    for (k, weight) in down.enumerated() {
      let row = rows.row(at: y + k - down.count / 2, of: source)
      for i in 0..<count { sums[i] += weight * row.component(first + i, as: type).single }
    }
  }

  /// Computes the horizontal pass over a line that has been extended beyond both ends. It adds up shifted
  /// copies of the line, each multiplied by its weight.
  @inline(__always)
  private func sumColumns(of line: UnsafeMutablePointer<Float>, into sums: UnsafeMutablePointer<Float>) {
    let channels = layout.format.channels
    let count = region.width * channels
    let first = self.line.offset(of: region.x - across.count / 2)
    sums.update(repeating: 0, count: count)
    for (k, weight) in across.enumerated() {
      // SAFETY: the line extends half a window beyond the region on both sides. No tap of the window shifts
      // the line by more than half a window, so all values that are read lie inside the line.
      let shifted = line + (first + k) * channels
      for i in 0..<count { sums[i] += weight * shifted[i] }
    }
  }
}
