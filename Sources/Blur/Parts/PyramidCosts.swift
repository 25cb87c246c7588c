/// An estimate of the number of operations that a pyramid takes, for one image and one arithmetic. It is a
/// formula, so it can be computed for many pyramids without planning them.
///
/// Source of the factors: the number of instructions per vector in `BlurLoops/FixedResample.swift` and
/// `FloatResample.swift`. The factors were then fitted to measured times. The command `blurbench tune
/// --constants` prints how much the estimates deviate from measured times.
struct PyramidCosts: Sendable {
  let constants: CostConstants
  private let width: Double, height: Double
  private let edge: EdgeMode
  private let sigma: Sigma, bound: Double
  private let channels: Double
  private let filter: WindowCost
  private let lanes: Int
  /// Whether the weights are folded: each output pixel of the coarsest level has its own weights, and only
  /// pixels inside the image are read.
  let isFolded: Bool
  /// The number of scalar operations that it takes to copy a pixel to a position beyond the end of a row.
  /// With `wrap` in 16-bit arithmetic it is small, because many neighbouring pixels are copied at once.
  /// Mirrored pixels are copied one by one.
  private let copying: Double
  /// The relative cost of averaging neighbouring values. It is 1 in 16-bit arithmetic, where each average is
  /// a single instruction. It is higher in single precision, where an average takes more instructions and the
  /// loops take longer to start.
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
    // The loops process two vectors at a time. With three channels, two vectors do not end with a whole pair
    // of pixels. The values after the last whole pair are computed again with the next two vectors, so they
    // are not counted here.
    let both = 2 * set.vectorBytes / arithmetic.bytes
    lanes = (both - both % (2 * layout.format.channels)) / 2
    filter = WindowCost(
      channels: layout.format.channels, vectorBytes: set.vectorBytes,
      arithmetic: .init(isFixed: arithmetic == .fixed, layout.format.component),
      isOfFloats: arithmetic == .float)
  }

  /// Returns the estimated number of pixels of a level along one axis. `length` is the number of pixels of
  /// the image along this axis. For every level except the image itself (level 0), eight pixels are added,
  /// because upsampling reads a few pixels beyond the ends of a level.
  private func side(_ length: Double, _ level: Int) -> Double {
    level == 0 ? length : length / Double(1 << level) + 8
  }

  /// Returns the radius that a window along each axis would need to blur the image itself, in pixels of the
  /// image. Aliasing uses a part of the error bound. The larger this part is, the less of the Gaussian's
  /// weight the window may cut off, and the longer the window must be.
  private func radius(_ aliasing: Double) -> Pixels {
    let deviations = (2 * Double.log(2 / (1.25 * bound - 2.5 * aliasing))).squareRoot()
    return (deviations * sigma.x, deviations * sigma.y)
  }

  /// Returns the estimated number of pixels by which the pyramid extends beyond the image along one axis. The
  /// pixels beyond both ends of the axis are counted together, in pixels of the image. This is only an
  /// estimate: when a pyramid is planned, ``PyramidAxis`` determines which pixels are really needed.
  private func beyond(_ length: Double, _ radius: Double, _ orders: [Int]) -> Double {
    if isFolded || edge.period(1) == nil { return 0 }
    guard let repeated = PyramidAxis.repeated(edge, Int(length), orders) else { return 2 * radius }
    return repeated.count == nil ? radius : 0
  }

  /// Returns the estimated number of columns and of rows that are stored for a level. `beyond` is the number
  /// of pixels by which the pyramid extends beyond the image along each axis.
  ///
  /// The method `side` adds eight pixels along each axis for the pixels beyond the level that upsampling
  /// reads. If the pyramid extends beyond the image, `beyond` already includes four of these eight pixels.
  /// Four pixels are then subtracted, so that they do not count twice.
  private func stored(_ level: Int, _ beyond: Pixels) -> (columns: Double, rows: Double) {
    let less = edge.period(1) == nil || isFolded ? 0.0 : 4
    return (side(width + beyond.x, level) - less, side(height + beyond.y, level) - less)
  }

  private typealias Pixels = (x: Double, y: Double)

  private func vectors(_ pixels: Double) -> Double { (pixels * channels).pieces(of: lanes) }

  /// Returns the cost of downsampling `level` to the next coarser level, and of upsampling the result again.
  /// Pixels beyond the image are not counted.
  func level(_ level: Int, _ order: Int) -> Cost { self.level(level, order, (0, 0)) }

  private func level(_ level: Int, _ order: Int, _ beyond: Pixels) -> Cost {
    let steps = Double(order) / 2
    let (columns, next) = (level == 0 ? width : stored(level, beyond).columns, stored(level + 1, beyond))
    var downsampling = Cost(
      vectors: (vectors(columns) + vectors(next.columns)) * (3 * steps + 7) * weight, rows: 1.6 * weight)
    // Scalar operations are needed to collect the addresses of the source rows, and to copy pixels to
    // positions beyond the ends of a row.
    downsampling.scalars = 2 * steps + 4 * steps + (level == 0 ? beyond.x * copying : 0)
    let upsampled = side(height, level)
    let upsampling = Cost(
      vectors: (vectors(side(width, level + 1)) * (steps + 3.5) + vectors(side(width, level)) * (steps + 6))
        * weight,
      rows: weight)
    // In the edge mode `mirror`, the first and the last row of the image belong to two repetitions of the
    // image, so each of them gets only half its weight. Sums that contain one of these rows are therefore
    // computed twice, with the row and without it.
    let twice = isFolded && level == 0 && edge == .mirror && height > 1 ? 2.5 * Double(order) : 0
    return downsampling * (next.rows + twice) + upsampling * upsampled + Cost(rows: 8)
  }

  /// Returns the cost of applying the window to level number `level`, which is the coarsest level.
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

  /// Returns the cost of a whole pyramid whose resampling filters have the given orders.
  func all(_ orders: [Int], aliasing: Double) -> Cost {
    let radius = radius(aliasing)
    let beyond = (x: beyond(width, radius.x, orders), y: beyond(height, radius.y, orders))
    return orders.enumerated().reduce(window(orders.count, beyond, radius: radius)) {
      $0 + level($1.offset, $1.element, beyond)
    }
  }
}
