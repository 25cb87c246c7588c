/// Counts the operations of a pyramid's levels, for an image and an arithmetic, in closed form.
///
/// Source of the factors: instructions for each vector in `BlurLoops/FixedResample.swift` and
/// `FloatResample.swift`, then fitted so that the errors that `blurbench tune --constants` prints are least.
struct PyramidCosts: Sendable {
  let constants: CostConstants
  private let width: Double, height: Double
  private let edge: EdgeMode
  private let sigma: Sigma, bound: Double
  private let channels: Double
  private let filter: WindowCost
  private let lanes: Int
  /// Whether windows are folded into the image.
  let isFolded: Bool
  /// Steps to copy a pixel beyond an end of a row: in runs, but those that are mirrored one by one.
  private let copying: Double
  /// Averages of integers are one instruction; weighted sums of float values are more, and begin later.
  private let weight: Double

  init(_ problem: BlurProblem, _ bound: Double, _ arithmetic: PyramidArithmetic, isFolded: Bool) {
    let (layout, edge, set) = (problem.layout, problem.edge, problem.instructionSet)
    self.edge = edge
    (sigma, self.bound) = (problem.sigma, bound)
    self.isFolded = isFolded
    constants = .of(set)
    (width, height) = (Double(layout.width), Double(layout.height))
    channels = Double(layout.format.channels)
    weight = arithmetic == .fixed ? 1 : 1.4
    copying = (edge == .wrap && arithmetic == .fixed ? 0.1 : 0.5) * (1 + channels / 8)
    // Two vectors are taken at a time, of which whole pairs of pixels count.
    let both = 2 * set.vectorBytes / arithmetic.bytes
    lanes = (both - both % (2 * layout.format.channels)) / 2
    filter = WindowCost(
      channels: layout.format.channels, vectorBytes: set.vectorBytes,
      arithmetic: .init(isFixed: arithmetic == .fixed, layout.format.component),
      isOfFloats: arithmetic == .float)
  }

  /// Pixels of a side of a level, with those that interpolation reads.
  private func side(_ length: Double, _ level: Int) -> Double {
    level == 0 ? length : length / Double(1 << level) + 8
  }

  /// The radius of the whole window in pixels: the longer, the less of the bound aliasing leaves it.
  private func radius(_ aliasing: Double) -> Pixels {
    let deviations = (2 * Double.log(2 / (1.25 * bound - 2.5 * aliasing))).squareRoot()
    return (deviations * sigma.x, deviations * sigma.y)
  }

  /// Pixels of the image's size beyond it, at both ends together, that levels hold, see ``PyramidAxis``.
  private func beyond(_ length: Double, _ radius: Double, _ orders: [Int]) -> Double {
    if isFolded || edge.period(1) == nil { return 0 }
    guard let repeated = PyramidAxis.repeated(edge, Int(length), orders) else { return 2 * radius }
    return repeated.count == nil ? radius : 0
  }

  /// The pixels of a level that are stored along a row and along a column. Those that interpolation reads are
  /// beyond the image, too.
  private func stored(_ level: Int, _ beyond: Pixels) -> (columns: Double, rows: Double) {
    let less = edge.period(1) == nil || isFolded ? 0.0 : 4
    return (side(width + beyond.x, level) - less, side(height + beyond.y, level) - less)
  }

  private typealias Pixels = (x: Double, y: Double)

  private func vectors(_ pixels: Double) -> Double { (pixels * channels).pieces(of: lanes) }

  /// Making the level after `level`, and making `level` of it again, without what is beyond the image.
  func level(_ level: Int, _ order: Int) -> Cost { self.level(level, order, (0, 0)) }

  private func level(_ level: Int, _ order: Int, _ beyond: Pixels) -> Cost {
    let steps = Double(order) / 2
    let (columns, next) = (level == 0 ? width : stored(level, beyond).columns, stored(level + 1, beyond))
    var downsampling = Cost(
      vectors: (vectors(columns) + vectors(next.columns)) * (3 * steps + 7) * weight, rows: 1.6 * weight)
    // Addresses of rows, and pixels beyond the ends.
    downsampling.scalars = 2 * steps + 4 * steps + (level == 0 ? beyond.x * copying : 0)
    let upsampled = side(height, level)
    let upsampling = Cost(
      vectors: (vectors(side(width, level + 1)) * (steps + 3.5) + vectors(side(width, level)) * (steps + 6))
        * weight,
      rows: weight)
    // Rows that count half are summed twice.
    let twice = isFolded && level == 0 && edge == .mirror && height > 1 ? 2.5 * Double(order) : 0
    return downsampling * (next.rows + twice) + upsampling * upsampled + Cost(rows: 8)
  }

  /// Filtering level number `level`, the coarsest.
  private func window(_ level: Int, _ beyond: Pixels, radius: Pixels) -> Cost {
    let scale = Double(1 << level)
    if isFolded {
      return filter.bands(
        columns: side(width, level), rows: side(height, level), across: (radius.x / scale).rounded(.up),
        down: (radius.y / scale).rounded(.up))
    }
    return filter.filter(
      columns: side(width, level), stored: stored(level, beyond).columns, rows: side(height, level),
      across: (radius.x / scale).rounded(.up), down: (radius.y / scale).rounded(.up))
  }

  /// All of a pyramid.
  func all(_ orders: [Int], aliasing: Double) -> Cost {
    let radius = radius(aliasing)
    let beyond = (x: beyond(width, radius.x, orders), y: beyond(height, radius.y, orders))
    return orders.enumerated().reduce(window(orders.count, beyond, radius: radius)) {
      $0 + level($1.offset, $1.element, beyond)
    }
  }
}
