/// All decisions about how a pyramid blurs an image. A pyramid halves the image several times, blurs the
/// smallest image (the coarsest level) with a short window, and doubles its size again. The decisions are the
/// filters for halving and doubling, the arithmetic, the windows, and the treatment of the edges.
struct PyramidChoice {
  let design: PyramidDesign
  let arithmetic: PyramidArithmetic
  /// The axes of the image, if each output pixel has its own weights that already account for the repetitions
  /// of the image (see ``PeriodicWeights``). If the property is nil, all output pixels have the same weights.
  /// The pyramid then also computes pixels outside the image, as far as the windows reach.
  let folded: PeriodicAxes?
  /// The estimated cost of the whole blur with this pyramid.
  let cost: Cost
  private let sigma: Sigma
  /// The largest error that the blur windows may cause. It is what remains of the error bound after the
  /// errors from aliasing and from rounding have been subtracted.
  private let room: Double
  private let isOfBytes: Bool
  /// The blur windows with integer weights, or nil if the pyramid uses single precision. They are made early,
  /// because a pyramid is possible only if the weights fit in 16 bits.
  private let fixed: PyramidWindows?

  /// Chooses the cheapest pyramid whose error is at most `bound`, as a fraction of full scale. Returns nil if
  /// no pyramid is cheaper than `direct`. For images with integer components, 16-bit arithmetic is nearly
  /// always the cheapest.
  ///
  /// - Parameter direct: The cost of a blur without a pyramid, which filters the image itself.
  init?(_ problem: BlurProblem, _ bound: Double, _ direct: Cost) {
    let isFloat = problem.layout.format.component == .float32
    var best: PyramidChoice?
    for arithmetic in isFloat ? [PyramidArithmetic.float] : [.fixed, .float]
    where arithmetic.rounding(levels: 1) < bound {
      for folded in Self.ways(problem, bound) {
        // A pyramid is of interest only if it is cheaper than the best one so far. Passing the cost of the
        // best one makes the search faster, because it can skip all pyramids that cost more.
        best = Self.cheapest(problem, bound, best?.cost ?? direct, arithmetic, folded) ?? best
      }
    }
    guard let best else { return nil }
    self = best
  }

  /// Returns the cheapest pyramid in the given arithmetic, or nil if none is cheaper than `limit`.
  ///
  /// Three errors together must not exceed the bound: aliasing, rounding, and the error of the blur windows,
  /// which are shorter than a Gaussian. If aliasing and rounding leave too little for the windows, the design
  /// is rejected, and another one is searched. If the new design has as many levels as the rejected one, it
  /// must have less aliasing.
  ///
  /// Designs with more or with fewer levels are tried, too. Fewer levels mean less rounding when the image is
  /// halved and doubled. But the windows must then be longer, and more weights are rounded.
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

  /// The blur windows for the coarsest level (the smallest image of the pyramid). The property is never nil:
  /// the windows with integer weights exist already, and windows in single precision can always be made.
  var windows: PyramidWindows? {
    fixed ?? PyramidWindows(design, sigma, room, .float, isOfBytes: isOfBytes)
  }

  /// Returns the ways to treat the edges of the image that are worth trying. There are two ways:
  ///
  /// - The pyramid also computes pixels outside the image, as far as the windows reach. The element nil
  ///   stands for this way.
  /// - Each output pixel has its own weights, which account for the repetitions of the image (see
  ///   ``PeriodicWeights``), so no pixels outside the image are needed. The element then holds the axes of
  ///   the image.
  ///
  /// If the windows reach only a little beyond the image, the first way is cheaper. If they reach far beyond
  /// it, the second way is cheaper. In between, both are returned.
  private static func ways(_ problem: BlurProblem, _ bound: Double) -> [PeriodicAxes?] {
    guard let folded = PeriodicAxes(problem) else { return [nil] }
    // An estimate of how far the computed pixels extend beyond the image along one axis, as a multiple of
    // sigma. Both ends are added. In the edge modes `mirror` and `reflect`, only the far end counts. At the
    // start of the axis, a level usually is its own mirror image, so the pixels before the start are not
    // computed.
    let reach = (problem.edge == .wrap ? 2 : 1) * (2 * Double.log(2 / bound)).squareRoot()
    let (sigma, layout) = (problem.sigma, problem.layout)
    let whole =
      (1 + reach * sigma.x / Double(layout.width)) * (1 + reach * sigma.y / Double(layout.height))
    // The limit for the number of computed pixels, divided by the number of image pixels. If more pixels were
    // computed outside the image, this would certainly be too expensive. In the edge mode `wrap`, the limit
    // is higher, because many pixels outside the image are equal to stored pixels and need not be computed
    // again.
    let most = problem.edge == .wrap ? 5.0 : 3
    return whole < 1.1 ? [nil] : whole > most ? [folded] : [nil, folded]
  }
}

/// The two axes of an image that the edge mode repeats beyond its ends, as `wrap`, `mirror` and `reflect` do.
struct PeriodicAxes {
  let x: PeriodicWeights.Axis
  let y: PeriodicWeights.Axis

  var sigma: Sigma

  /// Creates the axes of the image. Returns nil if the edge mode does not repeat the image, which is the case
  /// for `clamp` and `constant`.
  init?(_ problem: BlurProblem) {
    let (layout, edge, sigma) = (problem.layout, problem.edge, problem.sigma)
    func isMean(_ sigma: Double, _ count: Int) -> Bool {
      count == 1 || sigma >= Sigma.periodsOfMean * Double(edge.period(count) ?? .max) * (1 - 1e-9)
    }
    guard edge.period(1) != nil else { return nil }
    let means = (x: isMean(sigma.x, layout.width), y: isMean(sigma.y, layout.height))
    // If sigma is very large, the blur along an axis gives the mean of all pixels, and a still larger sigma
    // gives the same mean. The sigma of such an axis can therefore be raised to that of the other axis. This
    // may allow a pyramid with more levels, because the smaller of the two sigmas limits their number.
    let most = max(sigma.x, sigma.y)
    guard let raised = try? Sigma(x: means.x ? most : sigma.x, y: means.y ? most : sigma.y) else {
      return nil
    }
    self.sigma = raised
    x = PeriodicWeights.Axis(count: layout.width, edge: edge, sigma: raised.x, isMean: means.x)
    y = PeriodicWeights.Axis(count: layout.height, edge: edge, sigma: raised.y, isMean: means.y)
  }

  /// Returns how much larger an error in the levels of the pyramid can become when the coarsest level is
  /// blurred along both axes. A result of 1.08 means that it can grow by 8 %.
  func gain(_ orders: [Int]) -> Double { x.gain(orders) * y.gain(orders) }
}

/// The blur windows that a pyramid applies to its smallest image (the coarsest level): one along the rows,
/// and one along the columns.
struct PyramidWindows {
  /// The weights of the two windows. `across` blurs along a row, and `down` blurs along a column. The windows
  /// are symmetric, so each array has only the weight of the centre and the weights to one side of it.
  let across: [Double]
  let down: [Double]
  /// The windows with weights rounded to integers, or nil if the pyramid uses single precision.
  private let integers: QuantizedWindow?

  /// Shortens the windows as far as possible. In 16-bit arithmetic, it also rounds the weights to integers.
  /// Returns nil if the error from shortening and rounding would exceed `room`.
  ///
  /// - Parameter room: The largest error that the windows together may cause, as a fraction of full scale.
  init?(
    _ design: PyramidDesign, _ sigma: Sigma, _ room: Double, _ arithmetic: PyramidArithmetic,
    isOfBytes: Bool
  ) {
    let wholeAcross = design.window(sigma: sigma.x)
    let wholeDown = sigma.x == sigma.y ? wholeAcross : design.window(sigma: sigma.y)
    // `share` is the part of `room`, the largest allowed error, that shortening may use for each of the two
    // windows. The rest must be enough for the error from rounding the weights to integers. If it is not, the
    // next smaller share is tried.
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
  ///   - gain: The factor by which the windows can enlarge errors in the levels of the pyramid.
  static func room(
    _ design: PyramidDesign, _ bound: Double, _ arithmetic: PyramidArithmetic, gain: Double = 1
  ) -> Double {
    0.98 * bound - 2 * design.aliasing - arithmetic.rounding(levels: design.levels, gain: gain)
  }

  func filter(_ shape: WindowShape) -> any WindowFilter {
    integers?.filter(shape) ?? FloatFilter(shape, across: across, down: down)
  }
}
