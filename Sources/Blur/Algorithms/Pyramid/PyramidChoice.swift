/// All decisions about how a pyramid blurs an image. A pyramid halves the image several times, blurs the
/// smallest version with a short window, and doubles its size again. The decisions are the filters for
/// halving and doubling, the arithmetic, the windows, and the treatment of the edges.
struct PyramidChoice {
  let design: PyramidDesign
  let arithmetic: PyramidArithmetic
  /// The axes of the image, if the pyramid blurs its smallest level with ``PeriodicWeights``. Then no pixels
  /// outside the image need to be computed. If the property is nil, the pyramid computes these pixels, and
  /// uses the same weights for all output pixels.
  let folded: PeriodicAxes?
  /// The estimated cost of the whole blur with this pyramid.
  let cost: Cost
  private let sigma: Sigma
  /// The largest error that the blur windows may cause. It is what remains of the error bound after the
  /// errors from aliasing and from rounding have been subtracted.
  private let room: Double
  private let isOfBytes: Bool
  /// The blur windows with integer weights, or nil if the pyramid uses single precision. They are made early,
  /// because the pyramid cannot be used if the weights do not fit in 16 bits.
  private let fixed: PyramidWindows?

  /// Chooses the cheapest pyramid whose error is at most `bound`, as a fraction of full scale. Returns nil if
  /// no pyramid is cheaper than `direct`, the cost of a blur that filters the image itself.
  init?(_ problem: BlurProblem, _ bound: Double, _ direct: Cost) {
    let isFloat = problem.layout.format.component == .float32
    var best: PyramidChoice?
    for arithmetic in isFloat ? [PyramidArithmetic.float] : [.fixed, .float]
    where arithmetic.rounding(levels: 1) < bound {
      for folded in Self.ways(problem, bound) {
        // Pass the cost of the best pyramid so far, so that the search can skip all pyramids that cost more.
        best = Self.cheapest(problem, bound, best?.cost ?? direct, arithmetic, folded) ?? best
      }
    }
    guard let best else { return nil }
    self = best
  }

  /// Returns the cheapest pyramid in the given arithmetic whose error is at most `bound`, or nil if none is
  /// cheaper than `limit`.
  ///
  /// The error has three causes: aliasing, rounding, and blur windows that are shorter than a Gaussian. If a
  /// design leaves too little of the bound for the windows, it is rejected, and the search is repeated. A new
  /// design with the same number of levels must have less aliasing.
  private static func cheapest(
    _ problem: BlurProblem, _ bound: Double, _ limit: Cost, _ arithmetic: PyramidArithmetic,
    _ folded: PeriodicAxes?
  ) -> PyramidChoice? {
    let costs = PyramidCosts(problem, bound, arithmetic, isFolded: folded != nil)
    var failed: [Int: Double] = [:]
    while true {
      let design = PyramidDesign(
        sigma: folded?.sigma ?? problem.sigma, bound: bound, limits: failed,
        highestOrder: arithmetic.highestOrder, isLocal: problem.layout.format.component == .float32, costs,
        limit)
      guard design.levels > 0 else { return nil }
      if let recipe = PyramidChoice(problem, bound, design, costs, arithmetic, folded) { return recipe }
      failed[design.levels] = design.aliasing
    }
  }

  private init?(
    _ problem: BlurProblem, _ bound: Double, _ design: PyramidDesign, _ costs: PyramidCosts,
    _ arithmetic: PyramidArithmetic, _ folded: PeriodicAxes?
  ) {
    sigma = folded?.sigma ?? problem.sigma
    isOfBytes = problem.layout.format.component == .uint8
    room = PyramidWindows.room(design, bound, arithmetic, gain: folded?.gain(design.orders) ?? 1)
    guard room > 0 else { return nil }
    fixed = arithmetic == .fixed ? PyramidWindows(design, sigma, room, .fixed, isOfBytes: isOfBytes) : nil
    guard fixed != nil || arithmetic == .float else { return nil }
    (self.design, self.arithmetic, self.folded) = (design, arithmetic, folded)
    cost = costs.all(design.orders, aliasing: design.aliasing)
  }

  /// The blur windows for the smallest level of the pyramid. The property is never nil, because the windows
  /// with integer weights exist already, and windows in single precision can always be made.
  var windows: PyramidWindows? {
    fixed ?? PyramidWindows(design, sigma, room, .float, isOfBytes: isOfBytes)
  }

  /// Returns the ways to treat the edges of the image that are worth trying. There are two ways:
  ///
  /// - nil: The pyramid also computes pixels outside the image, as far as the windows reach. This is cheaper
  ///   if the windows reach only a little beyond the image.
  /// - The axes of the image: The pyramid uses ``PeriodicWeights``, which need no pixels outside the image.
  ///   This is cheaper if the windows reach far beyond the image.
  ///
  /// If neither way is clearly cheaper, both are returned.
  private static func ways(_ problem: BlurProblem, _ bound: Double) -> [PeriodicAxes?] {
    guard let folded = PeriodicAxes(problem) else { return [nil] }
    // An estimate of how many pixels outside the image must be computed along one axis, as a multiple of
    // sigma. `wrap` needs them at both ends of the axis. `mirror` and `reflect` usually need them only at the
    // far end.
    let reach = (problem.edge == .wrap ? 2 : 1) * (2 * Double.log(2 / bound)).squareRoot()
    let (sigma, layout) = (problem.sigma, problem.layout)
    let whole =
      (1 + reach * sigma.x / Double(layout.width)) * (1 + reach * sigma.y / Double(layout.height))
    // If pixels outside the image are computed, the total number of computed pixels may be at most `most`
    // times the number of image pixels. More would be too expensive. `wrap` has a higher limit, because many
    // of its pixels outside the image are copied and not computed.
    let most = problem.edge == .wrap ? 5.0 : 3
    return whole < 1.1 ? [nil] : whole > most ? [folded] : [nil, folded]
  }
}

/// The two axes of an image, if the edge mode is `wrap`, `mirror` or `reflect`. These edge modes repeat the
/// image.
struct PeriodicAxes {
  let x: PeriodicWeights.Axis
  let y: PeriodicWeights.Axis

  var sigma: Sigma

  /// Describes the horizontal and the vertical axis of the image that is blurred. Returns nil for the edge
  /// modes `clamp` and `constant`, because they do not repeat the image.
  init?(_ problem: BlurProblem) {
    let (layout, edge, sigma) = (problem.layout, problem.edge, problem.sigma)
    func isMean(_ sigma: Double, _ count: Int) -> Bool {
      count == 1 || sigma >= Sigma.periodsOfMean * Double(edge.period(count) ?? .max) * (1 - 1e-9)
    }
    guard edge.period(1) != nil else { return nil }
    let means = (x: isMean(sigma.x, layout.width), y: isMean(sigma.y, layout.height))
    // If sigma is so large that the blur along an axis gives the mean of all pixels, a still larger sigma
    // gives the same mean. So the sigma of this axis can be raised to that of the other axis. The pyramid can
    // then have more levels, because the smaller sigma limits their number.
    let most = max(sigma.x, sigma.y)
    guard let raised = try? Sigma(x: means.x ? most : sigma.x, y: means.y ? most : sigma.y) else {
      return nil
    }
    self.sigma = raised
    x = PeriodicWeights.Axis(count: layout.width, edge: edge, sigma: raised.x, isMean: means.x)
    y = PeriodicWeights.Axis(count: layout.height, edge: edge, sigma: raised.y, isMean: means.y)
  }

  /// Returns the factor by which blurring the smallest level of the pyramid along both axes can enlarge
  /// errors that come from halving the image. For example, if the factor is 1.08, they can grow by 8 %.
  func gain(_ orders: [Int]) -> Double { x.gain(orders) * y.gain(orders) }
}

/// The blur windows that a pyramid applies to its smallest level: one along the rows, and one along the
/// columns.
struct PyramidWindows {
  /// The weights of the two windows. `across` blurs along a row, and `down` blurs along a column. The windows
  /// are symmetric, so each array has only the weight of the centre and the weights to one side of it.
  let across: [Double]
  let down: [Double]
  /// The windows `across` and `down` with weights that are rounded to integers, or nil if the pyramid uses
  /// single precision.
  private let integers: QuantizedWindow?

  /// Creates windows that are as short as possible. In 16-bit arithmetic, their weights are also rounded to
  /// integers. The result is nil if the error from shortening and rounding would exceed `room`.
  ///
  /// - Parameter room: The largest error that the two windows together may cause, as a fraction of full
  ///   scale.
  init?(
    _ design: PyramidDesign, _ sigma: Sigma, _ room: Double, _ arithmetic: PyramidArithmetic,
    isOfBytes: Bool
  ) {
    let wholeAcross = design.window(sigma: sigma.x)
    let wholeDown = sigma.x == sigma.y ? wholeAcross : design.window(sigma: sigma.y)
    // `share` is the fraction of the allowed error that may be spent on shortening each window. The rest must
    // be enough for rounding the weights to integers. If it is not, the next smaller share is tried.
    for share in arithmetic == .fixed ? [0.45, 0.3, 0.15] : [0.48] {
      let across = design.shortened(wholeAcross, error: share * room)
      let down = design.shortened(wholeDown, error: share * room)
      if arithmetic == .float {
        (self.across, self.down, integers) = (across.half, down.half, nil)
        return
      }
      let integers = QuantizedWindow(across: across.half, down: down.half, isOfBytes: isOfBytes)
      guard let integers else { return nil }
      if across.error + down.error + integers.error <= room {
        (self.across, self.down, self.integers) = (across.half, down.half, integers)
        return
      }
    }
    return nil
  }

  /// Returns the largest error that the blur windows may cause. It is what remains of the error bound after
  /// the errors from aliasing and from rounding have been subtracted.
  ///
  /// - Parameters:
  ///   - bound: The largest error that the whole blur may have, as a fraction of full scale.
  ///   - gain: The factor by which the windows can enlarge errors that come from halving the image.
  static func room(
    _ design: PyramidDesign, _ bound: Double, _ arithmetic: PyramidArithmetic, gain: Double = 1
  ) -> Double {
    0.98 * bound - 2 * design.aliasing - arithmetic.rounding(levels: design.levels, gain: gain)
  }

  func filter(_ shape: WindowShape) -> any WindowFilter {
    integers?.filter(shape) ?? FloatFilter(shape, across: across, down: down)
  }
}
