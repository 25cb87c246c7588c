/// Formulas that estimate how many operations a blur with a pyramid takes, for one image and one arithmetic.
/// The formulas are so fast that many pyramids can be compared.
///
/// The factors in the formulas were first found by counting the instructions per vector in
/// `BlurLoops/Downsample.swift` and `Upsample.swift`. They were then fitted to measured times. The command
/// `lab constants` prints how much the estimates deviate from measured times.
struct PyramidCosts: Sendable {
  let constants: CostConstants
  private let width: Double, height: Double
  private let edge: EdgeMode
  private let sigma: Sigma, bound: Double
  private let channels: Double
  /// Whether the edge mode repeats the image.
  private let repeats: Bool
  private let filter: WindowCost
  private let lanes: Int
  /// Whether the image has 8-bit components and the pyramid computes with 16-bit integers. Its first step
  /// then reads bytes, and its last step writes bytes; see ``FirstStep`` and ``LastStep``.
  let hasByteSteps: Bool
  /// Whether the first two halvings can be done in one step. This step needs an 8-bit image, and instructions
  /// that multiply and shuffle bytes. The baseline of x86-64 lacks these instructions. Other architectures
  /// have them, but do not use this step either, so that their results are bit for bit the same as on the
  /// baseline of x86-64.
  let canQuarter: Bool
  /// The level of the result, which is 0 if the result is as large as the image. Larger levels are not
  /// computed again after the blur.
  let resultLevel: Int
  /// Whether the smallest level of the pyramid is blurred with ``PeriodicWeights``. If so, no pixels outside
  /// the image need to be computed.
  let isFolded: Bool
  /// The number of scalar operations for copying one pixel to a place outside the image. `wrap` needs few of
  /// them, because it copies many neighbouring pixels at once. Most mirrored pixels are copied one by one.
  private let copying: Double
  /// The cost of averaging neighbouring values, relative to the cost in 16-bit arithmetic. In 16-bit
  /// arithmetic, averaging takes a single instruction. In single precision, it takes more instructions, and
  /// the loops take longer to start.
  private let weight: Double

  init(_ problem: BlurProblem, _ bound: Double, _ arithmetic: Arithmetic, isFolded: Bool) {
    let (layout, edge, set) = (problem.layout, problem.edge, problem.instructionSet)
    self.edge = edge
    repeats = edge.period(1) != nil
    (sigma, self.bound) = (problem.sigma, bound)
    self.isFolded = isFolded
    resultLevel = problem.downscaled.trailingZeroBitCount
    hasByteSteps = arithmetic == .averages
    canQuarter =
      set != .baseline && hasByteSteps
      && FirstStep.halvingError(problem, isFolded: isFolded) < 0.2 * bound
    constants = .of(set)
    (width, height) = (Double(layout.width), Double(layout.height))
    channels = Double(layout.format.channels)
    weight = arithmetic.isFixed ? 1 : 1.15
    copying = (edge == .wrap ? 0.1 : 0.3) * (1 + channels / 8)
    // The loops process two vectors at a time, and use only whole pairs of pixels from them. For example,
    // with three channels a pair has 6 values. If two vectors have 32 values, the loops use 5 pairs, which
    // are 30 values.
    let both = 2 * set.vectorBytes / arithmetic.levelBytes
    lanes = (both - both % (2 * layout.format.channels)) / 2
    filter = WindowCost(
      channels: layout.format.channels, vectorBytes: set.vectorBytes, arithmetic: arithmetic,
      isOfFloats: arithmetic == .float)
  }

  /// Estimates the number of pixels of a level of the pyramid along one axis. The estimate includes 8 pixels
  /// outside the image, which are needed for doubling the size of the level. Level 0 is the image itself, and
  /// needs no such pixels.
  ///
  /// - Parameters:
  ///   - length: The number of pixels of the image along the axis.
  ///   - level: The index of the level. Along an axis, each level has half as many pixels as the previous
  ///     one.
  private func side(_ length: Double, _ level: Int) -> Double {
    level == 0 ? length : length / Double(1 << level) + 8
  }

  /// Returns the radius, along each axis, of a window that would blur the image itself, without a pyramid.
  ///
  /// - Parameter aliasing: The largest error from aliasing. The larger this error is, the smaller the error
  ///   of the window must be, and the longer the window becomes.
  private func radius(_ aliasing: Double) -> Pixels {
    let deviations = (2 * Double.log(2 / (1.25 * bound - 2.5 * aliasing))).squareRoot()
    return (deviations * sigma.x, deviations * sigma.y)
  }

  /// Estimates how many pixels outside the image must be computed along one axis, in pixels of the image. The
  /// result is for both ends of the axis together. If the pyramid is really used, ``PyramidAxis`` determines
  /// the exact number.
  ///
  /// - Parameters:
  ///   - length: The number of pixels of the image along the axis.
  ///   - radius: The number of pixels that the window reads on each side of its centre.
  ///   - orders: The orders of the filters that halve the image.
  private func beyond(_ length: Double, _ radius: Double, _ orders: [Int]) -> Double {
    if isFolded || !repeats { return 0 }
    guard resultLevel == 0 || edge == .wrap, let repeated = PyramidAxis.repeated(edge, Int(length), orders)
    else { return 2 * radius }
    return repeated.count == nil ? radius : 0
  }

  /// Estimates how many columns and rows of a level are stored. If the edge mode repeats the image, `beyond`
  /// already includes four of the eight pixels that `side` adds, so they are subtracted again.
  ///
  /// - Parameter beyond: The number of pixels outside the image that must be computed along each axis.
  private func stored(_ level: Int, _ beyond: Pixels) -> (columns: Double, rows: Double) {
    let less = repeats && !isFolded ? 4.0 : 0
    return (side(width + beyond.x, level) - less, side(height + beyond.y, level) - less)
  }

  private typealias Pixels = (x: Double, y: Double)

  private func vectors(_ pixels: Double) -> Double { (pixels * channels).pieces(of: lanes) }

  /// Returns the cost of making the next smaller level from a level, and of computing the level again from
  /// the smaller one after the blur. Pixels outside the image are not counted.
  ///
  /// - Parameters:
  ///   - level: The number of the larger level. Level 0 is the image.
  ///   - order: The order of the binomial filter that is used for both steps.
  func level(_ level: Int, _ order: Int) -> Cost { self.level(level, order, (0, 0)) }

  private func level(_ level: Int, _ order: Int, _ beyond: Pixels) -> Cost {
    if level == 0 && hasByteSteps {
      return reading(2, order, beyond) + doubling(to: 0, order) + Cost(rows: 8)
    }
    let steps = Double(order) / 2
    let next = stored(level + 1, beyond)
    // The loop always reads two vectors of the larger level, and computes one vector of the smaller level.
    var downsampling = Cost(
      vectors: 3 * vectors(next.columns) * (3 * steps + 7) * weight, rows: 1.6 * weight)
    // Scalar operations collect the addresses of the source rows, and copy pixels to places outside the
    // image. The copies are counted only at level 0, which is the image.
    downsampling.scalars = 2 * steps + 4 * steps + (level == 0 ? beyond.x * copying : 0)
    // In the edge mode `mirror`, the first and the last row get only half their weight. Each sum that
    // includes one of these rows is therefore computed twice, with and without the row, and the result is the
    // mean of both sums. `twice` estimates this additional work, as the number of rows that take equally
    // long.
    let twice = isFolded && level == 0 && edge == .mirror && height > 1 ? 2.5 * Double(order) : 0
    return downsampling * (next.rows + twice) + doubling(to: level, order) + Cost(rows: 8)
  }

  /// Returns the cost of computing a level from the next smaller one after the blur. The cost is 0 if the
  /// level is larger than the result.
  private func doubling(to level: Int, _ order: Int) -> Cost {
    guard level >= resultLevel else { return Cost() }
    if level == resultLevel && hasByteSteps { return writing(2, order) }
    let steps = Double(order) / 2
    // The loop always reads one vector of the smaller level, and computes two vectors of the larger level.
    let upsampling = Cost(
      vectors: vectors(side(width, level + 1)) * (3 * steps + 15.5) * weight, rows: weight)
    return upsampling * side(height, level)
  }

  /// Returns the cost of blurring the smallest level of the pyramid.
  ///
  /// - Parameters:
  ///   - level: The number of this level.
  ///   - beyond: The number of pixels outside the image that must be computed along each axis.
  ///   - radius: The radius of a window that would blur the image itself, in pixels of the image.
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

  /// Returns the lowest costs of blurring the smallest level, for pyramids with 1, 2, …, `levels` levels.
  /// These are the costs if there is no aliasing, and if no pixels outside the image are computed. Such
  /// pixels can make a row so long that no partial loads are needed, but they increase all other costs.
  func leastWindows(levels: Int) -> [Cost] {
    let radius = radius(0)
    return (1...levels).map { window($0, (0, 0), radius: radius) }
  }

  /// Returns the cost of the whole blur: of halving the image, blurring the smallest level, and enlarging the
  /// result again.
  func all(_ design: PyramidDesign) -> Cost {
    let (orders, radius) = (design.orders, radius(design.aliasing))
    let beyond = (x: beyond(width, radius.x, orders), y: beyond(height, radius.y, orders))
    let cost = orders.enumerated().dropFirst(design.isQuartered ? 2 : 0).reduce(
      window(orders.count, beyond, radius: radius)
    ) { $0 + level($1.offset, $1.element, beyond) }
    return design.isQuartered ? cost + quarter(orders[1], beyond) : cost
  }

  /// Returns the cost of the two steps that skip level 1: the image is made four times smaller, which gives
  /// level 2, and the blurred level 2 is made four times larger, which gives the result. Pixels outside the
  /// image are not counted.
  ///
  /// - Parameter order: The order of the second of the two binomial filters, 2 or 3 (see
  ///   `BlurLoops/ByteResample.swift`).
  func quarter(_ order: Int) -> Cost { quarter(order, (0, 0)) }

  private func quarter(_ order: Int, _ beyond: Pixels) -> Cost {
    let back = resultLevel == 0 ? writing(4, order) : doubling(to: 1, order)
    return reading(4, order, beyond) + back + Cost(rows: 8)
  }

  /// Returns the cost of the first step, which reads the bytes of the image and makes it `ratio` times
  /// smaller. The cost of the last step, which enlarges a level and writes bytes, is ``writing(_:_:)``. The
  /// formula counts vectors of 16-bit values. A vector of bytes holds twice as many components.
  private func reading(_ ratio: Int, _ order: Int, _ beyond: Pixels) -> Cost {
    let next = stored(ratio / 2, beyond)
    let steps = Double(order - (ratio == 4 ? 2 : 3))
    let products = vectors(Double(ratio) * next.columns) * (ratio == 4 ? 14 + 6 * steps : 7 + 2 * steps)
    let copying = Double(ratio) * beyond.x * (channels == 3 ? 2 : channels / 6)
    return Cost(
      vectors: (products + vectors(next.columns) * (ratio == 4 ? 18 : 12 + 2 * steps)) * threeChannels,
      scalars: (ratio == 4 ? 40 : 10) + copying, rows: ratio == 4 ? 4 : 1) * next.rows
  }

  private func writing(_ ratio: Int, _ order: Int) -> Cost {
    let steps = Double(order - (ratio == 4 ? 2 : 3))
    let level = resultLevel + ratio / 2
    let columns = side(width, resultLevel)
    return Cost(
      vectors: vectors(columns) * (ratio == 4 ? 20 + 5 * steps : 10 + 2 * steps) * threeChannels,
      rows: ratio == 4 ? 4 : 1) * (side(height, level) - 8)
  }

  /// A factor for the time of the first and the last step if they read or write bytes. With three channels, a
  /// quarter of each vector is unused, and the loops need more instructions to separate and join pixels.
  private var threeChannels: Double { channels == 3 ? 1.5 : 1 }
}
