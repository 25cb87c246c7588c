/// Counts the operations of a pyramid's levels, for an image and an arithmetic, in closed form.
///
/// Source of the factors: instructions for each vector in `BlurLoops/FixedResample.swift` and
/// `FloatResample.swift`, then fitted so that the errors that `blurbench tune --constants` prints are least.
struct PyramidCosts: Sendable {
  let constants: CostConstants
  private let width: Double, height: Double
  /// Pixels beyond the image, at both ends together, that an edge mode makes different from each other.
  private let beyond: (x: Double, y: Double)
  /// The radius of the whole window in pixels.
  private let radius: (x: Double, y: Double)
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
    let deviations = (2 * Double.log(2 / bound)).squareRoot()
    let (x, y) = (deviations * problem.sigma.x, deviations * problem.sigma.y)
    let repeats = edge.period(1) != nil && !isFolded
    self.isFolded = isFolded
    constants = .of(set)
    (width, height) = (Double(layout.width), Double(layout.height))
    beyond = repeats ? (2 * x, 2 * y) : (0, 0)
    radius = (x, y)
    channels = Double(layout.format.channels)
    weight = arithmetic == .fixed ? 1 : 1.4
    copying = (edge == .wrap && arithmetic == .fixed ? 0.1 : 0.8) * (1 + channels / 8)
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

  private func vectors(_ pixels: Double) -> Double { (pixels * channels).pieces(of: lanes) }

  /// Making the level after `level`, and making `level` of it again.
  func level(_ level: Int, _ order: Int) -> Cost {
    let steps = Double(order) / 2
    let (columns, next) = (
      side(width + (level == 0 ? 0 : beyond.x), level), side(width + beyond.x, level + 1)
    )
    let downsampled = side(height + beyond.y, level + 1)
    var downsampling = Cost(
      vectors: (vectors(columns) + vectors(next)) * (3 * steps + 7) * weight, rows: 1.6 * weight)
    // Addresses of rows, and pixels beyond the ends.
    downsampling.scalars = 2 * steps + 4 * steps + (level == 0 ? beyond.x * copying : 0)
    let upsampled = side(height, level)
    let upsampling = Cost(
      vectors: (vectors(side(width, level + 1)) * (steps + 3.5) + vectors(side(width, level)) * (steps + 6))
        * weight,
      rows: weight)
    return downsampling * downsampled + upsampling * upsampled + Cost(rows: 8)
  }

  /// Filtering level number `level`, the coarsest.
  func window(_ level: Int) -> Cost {
    let scale = Double(1 << level)
    if isFolded {
      return filter.bands(
        columns: side(width, level), rows: side(height, level), across: (radius.x / scale).rounded(.up),
        down: (radius.y / scale).rounded(.up))
    }
    return filter.filter(
      columns: side(width, level), stored: side(width + beyond.x, level), rows: side(height, level),
      across: (radius.x / scale).rounded(.up), down: (radius.y / scale).rounded(.up))
  }

  /// All of a pyramid.
  func all(_ orders: [Int]) -> Cost {
    orders.enumerated().reduce(window(orders.count)) { $0 + level($1.offset, $1.element) }
  }
}
