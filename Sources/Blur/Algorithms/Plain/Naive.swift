/// Direct two-dimensional convolution. Each output pixel is a weighted sum over its whole window.
///
/// With a window of radius r, this takes (2r + 1)² multiplications per component, in double precision. The
/// code follows the definition of the blur directly, and is therefore simple and slow.
struct Naive: BlurKernel {
  let name = "naive"
  let summary = "direct 2-D convolution in double precision, with the shortest sufficiently accurate window"
  let promise = Promise.exact()
  let isDefinition = true

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    try NaivePlan(problem, cost: cost(problem))
  }

  func cost(_ problem: BlurProblem) -> Cost {
    let layout = problem.layout
    let tail = GaussianTaps.tail(for: layout.format)
    let taps = [problem.sigma.x, problem.sigma.y].map {
      2 * GaussianTaps.radius($0, tail: tail).rounded(.up) + 1
    }
    let values = Double(layout.width) * Double(layout.height) * Double(layout.format.channels)
    // For each weight of the window, the loop does a load, a conversion, a multiplication, and an addition
    // that must wait for the previous addition. Together, these four steps count as two scalar operations.
    var cost = Cost(scalars: 2 * values * taps[0] * taps[1])
    cost.pieces = Double(layout.height)
    return cost
  }
}

private final class NaivePlan: Plan {
  private let layout: ImageLayout
  private let region: Region
  private let edge: EdgeMode
  private let rows: EdgeRows
  private let across: GaussianTaps
  private let down: GaussianTaps
  /// For each horizontal position that a window can reach, the column of the image that is read there. It is
  /// −1 if the constant colour of the edge mode is used instead.
  private let columns: [Int]
  private let cost: Cost

  init(_ problem: BlurProblem, cost: Cost) throws(BlurError) {
    self.cost = cost
    (layout, region, edge) = (problem.layout, problem.region, problem.edge)
    rows = try EdgeRows(edge, layout: layout)
    across = GaussianTaps(sigma: problem.sigma.x, for: layout.format)
    down = GaussianTaps(sigma: problem.sigma.y, for: layout.format)
    columns = region.columns.widened(by: across.radius).map {
      problem.edge.index(of: $0, count: problem.layout.width) ?? -1
    }
  }

  var facts: PlanFacts {
    PlanFacts(
      phases: [Phase(units: region.height)],
      reads: Region(
        columns: edge.span(of: region.columns.widened(by: across.radius), count: layout.width),
        rows: rows.span(of: region.rows.widened(by: down.radius)))
    ).costing(cost)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    switch layout.format.component {
    case .uint8: convolve(units, buffers, UInt8.self)
    case .uint16: convolve(units, buffers, UInt16.self)
    case .float32: convolve(units, buffers, Float.self)
    }
  }

  @inline(__always)
  private func convolve<C: PixelComponent>(_ units: Range<Int>, _ buffers: PhaseContext, _ type: C.Type) {
    let channels = layout.format.channels
    for y in units {
      let target = buffers.destination.unsafeRow(y)
      for x in 0..<region.width {
        for c in 0..<channels {
          let sum = weightedSum(x, y + region.y, c, channels, buffers.source, type)
          target.setComponent(x * channels + c, to: C(rounding: sum))
        }
      }
    }
  }

  /// Returns the blurred value of channel `c` in column `x` of the region and row `y` of the image.
  @inline(__always)
  private func weightedSum<C: PixelComponent>(
    _ x: Int, _ y: Int, _ c: Int, _ channels: Int, _ source: ImageView, _ type: C.Type
  ) -> Double {
    let constant = Double(edge.constant(c, in: layout.format))
    var sum = 0.0
    for j in -down.radius...down.radius {
      let row = rows.row(at: y + j, of: source)
      var rowSum = 0.0
      for i in -across.radius...across.radius {
        let column = columns[x + i + across.radius]
        let value = column < 0 ? constant : row.component(column * channels + c, as: type).number
        rowSum += across.half[abs(i)] * value
      }
      sum += down.half[abs(j)] * rowSum
    }
    return sum
  }
}
