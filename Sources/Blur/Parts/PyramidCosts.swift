/// An estimate of how many operations a blur with a pyramid takes, for one image and one arithmetic. Because
/// it is only a formula, many pyramids can be compared quickly.
///
/// The factors in the formula were first counted as instructions per vector in
/// `BlurLoops/FixedResample.swift` and `FloatResample.swift`, and then fitted to measured times. The command
/// `blurbench tune --constants` prints how much the estimates deviate from measured times.
struct PyramidCosts: Sendable {
  let constants: CostConstants
  private let width: Double, height: Double
  private let edge: EdgeMode
  private let sigma: Sigma, bound: Double
  private let channels: Double
  private let filter: WindowCost
  private let lanes: Int
  /// Whether each output pixel of the coarsest level (the smallest image of the pyramid) has its own weights,
  /// which account for the repetitions of the image. No pixels outside the image are then needed. See
  /// ``PeriodicWeights``.
  let isFolded: Bool
  /// The number of scalar operations for filling a pixel beyond the end of a row with a copy of another
  /// pixel. It is small for `wrap` in 16-bit arithmetic, because many neighbouring pixels are then copied at
  /// once. Mirrored pixels are copied one by one.
  private let copying: Double
  /// How much more an average of neighbouring values costs than in 16-bit arithmetic, where it is a single
  /// instruction and `weight` is 1. In single precision, an average takes more instructions, and the loops
  /// take longer to start.
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
    // The loops process two vectors at a time, but only whole pairs of pixels in them count. For example,
    // with three channels a pair has 6 values. If two vectors have 32 values, they hold 5 whole pairs, which
    // are 30 values. The 2 remaining values are computed again with the next two vectors.
    let both = 2 * set.vectorBytes / arithmetic.bytes
    lanes = (both - both % (2 * layout.format.channels)) / 2
    filter = WindowCost(
      channels: layout.format.channels, vectorBytes: set.vectorBytes,
      arithmetic: .init(isFixed: arithmetic == .fixed, layout.format.component),
      isOfFloats: arithmetic == .float)
  }

  /// Estimates the number of pixels of a level of the pyramid along one axis. Eight pixels are added, because
  /// doubling the size of a level needs a few pixels beyond its ends. Level 0 is the image itself, so nothing
  /// is added there.
  ///
  /// - Parameters:
  ///   - length: The number of pixels of the image along the axis.
  ///   - level: The number of the level. Each level has half as many pixels as the one before.
  private func side(_ length: Double, _ level: Int) -> Double {
    level == 0 ? length : length / Double(1 << level) + 8
  }

  /// Returns the number of pixels that a window must read on each side of its centre to blur the image
  /// itself, for both axes.
  ///
  /// - Parameter aliasing: The largest error from aliasing. The larger it is, the smaller is the error that
  ///   the window may cause, and the longer the window must be.
  private func radius(_ aliasing: Double) -> Pixels {
    let deviations = (2 * Double.log(2 / (1.25 * bound - 2.5 * aliasing))).squareRoot()
    return (deviations * sigma.x, deviations * sigma.y)
  }

  /// Estimates how many pixels outside the image the pyramid must compute along one axis. The pixels beyond
  /// both ends are counted together, in pixels of the image. When a pyramid is really used, ``PyramidAxis``
  /// determines these pixels exactly.
  ///
  /// - Parameters:
  ///   - length: The number of pixels of the image along the axis.
  ///   - radius: The number of pixels that the window reads on each side of its centre.
  ///   - orders: The orders of the filters that halve the image.
  private func beyond(_ length: Double, _ radius: Double, _ orders: [Int]) -> Double {
    if isFolded || edge.period(1) == nil { return 0 }
    guard let repeated = PyramidAxis.repeated(edge, Int(length), orders) else { return 2 * radius }
    return repeated.count == nil ? radius : 0
  }

  /// Estimates how many columns and rows of a level are stored.
  ///
  /// The method `side` adds eight pixels to each axis of a level. If the edge mode repeats the image and
  /// `isFolded` is false, four of the eight are subtracted again, because `beyond` is meant to include them.
  ///
  /// - Parameter beyond: The number of pixels outside the image that must be computed along each axis.
  private func stored(_ level: Int, _ beyond: Pixels) -> (columns: Double, rows: Double) {
    let less = edge.period(1) == nil || isFolded ? 0.0 : 4
    return (side(width + beyond.x, level) - less, side(height + beyond.y, level) - less)
  }

  private typealias Pixels = (x: Double, y: Double)

  private func vectors(_ pixels: Double) -> Double { (pixels * channels).pieces(of: lanes) }

  /// Returns the cost of two steps: halving the size of a level, and doubling the size of the smaller level
  /// again after it has been blurred. Pixels outside the image are not counted.
  ///
  /// - Parameters:
  ///   - level: The number of the larger of the two levels. Level 0 is the image.
  ///   - order: The order of the binomial filter for both steps.
  func level(_ level: Int, _ order: Int) -> Cost { self.level(level, order, (0, 0)) }

  private func level(_ level: Int, _ order: Int, _ beyond: Pixels) -> Cost {
    let steps = Double(order) / 2
    let (columns, next) = (level == 0 ? width : stored(level, beyond).columns, stored(level + 1, beyond))
    var downsampling = Cost(
      vectors: (vectors(columns) + vectors(next.columns)) * (3 * steps + 7) * weight, rows: 1.6 * weight)
    // Scalar operations are needed to collect the addresses of the source rows, and to copy pixels to places
    // beyond the ends of a row. The copies are counted only at level 0, which is the image.
    downsampling.scalars = 2 * steps + 4 * steps + (level == 0 ? beyond.x * copying : 0)
    let upsampled = side(height, level)
    let upsampling = Cost(
      vectors: (vectors(side(width, level + 1)) * (steps + 3.5) + vectors(side(width, level)) * (steps + 6))
        * weight,
      rows: weight)
    // In the edge mode `mirror`, the image and its mirror image share the first and the last row, so each of
    // these rows gets only half its weight. To achieve this, every sum that contains one of them is computed
    // twice, with the row and without it, and the two sums are averaged.
    let twice = isFolded && level == 0 && edge == .mirror && height > 1 ? 2.5 * Double(order) : 0
    return downsampling * (next.rows + twice) + upsampling * upsampled + Cost(rows: 8)
  }

  /// Returns the cost of blurring the coarsest level, which is the smallest image of the pyramid.
  ///
  /// - Parameters:
  ///   - level: The number of the coarsest level.
  ///   - beyond: The number of pixels outside the image that must be computed along each axis.
  ///   - radius: The radius that the window would have if it blurred the image itself, in image pixels.
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

  /// Returns the cost of the whole blur: halving the image once for each element of `orders`, blurring the
  /// smallest image, and doubling its size again.
  ///
  /// - Parameters:
  ///   - orders: The orders of the binomial filters, beginning with the filter for the image itself.
  ///   - aliasing: The largest error from aliasing along one axis.
  func all(_ orders: [Int], aliasing: Double) -> Cost {
    let radius = radius(aliasing)
    let beyond = (x: beyond(width, radius.x, orders), y: beyond(height, radius.y, orders))
    return orders.enumerated().reduce(window(orders.count, beyond, radius: radius)) {
      $0 + level($1.offset, $1.element, beyond)
    }
  }
}
