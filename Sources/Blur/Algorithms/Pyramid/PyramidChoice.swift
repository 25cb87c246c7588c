/// All decisions about how a pyramid blurs an image. A pyramid halves the size of the image several times,
/// blurs the smallest version with a short window, and doubles the size of the result as many times. The
/// decisions are the filters for halving and doubling, the arithmetic, the windows, and the treatment of the
/// edges.
struct PyramidChoice {
  let design: PyramidDesign
  let arithmetic: Arithmetic
  /// The axes of the image, if the pyramid blurs its smallest level with ``PeriodicWeights``, which do not
  /// need pixels outside the image. If the property is nil, the pyramid also computes pixels outside the
  /// image, and uses the same weights for all output pixels.
  let folded: (x: PeriodicAxis, y: PeriodicAxis)?
  /// The estimated cost of the whole blur with this pyramid.
  let cost: Cost
  private let sigma: Sigma
  /// The largest error that the blur windows may cause. It is what remains of the error bound after the
  /// errors from aliasing and from rounding have been subtracted.
  let room: Double
  /// The blur window with integer weights, or nil if the window has weights in single precision. It is
  /// created early, because the pyramid must be rejected if the weights do not fit in 16 bits.
  private let fixed: BlurWindow?

  /// Chooses the cheapest pyramid whose error is at most `bound`, as a fraction of full scale. Returns nil if
  /// no pyramid is cheaper than `direct`, the cost of a blur that filters the image itself.
  init?(_ problem: BlurProblem, _ bound: Double, _ direct: Cost) {
    let fastest = Arithmetic(for: problem.layout.format.component)
    let direct = problem.thresholds.levels == nil ? direct : .unknown
    var best: PyramidChoice?
    for arithmetic in fastest == .float ? [fastest] : [fastest, .float]
    where arithmetic.rounding(levels: 1) < bound {
      for folded in Self.ways(problem, bound) {
        // The search gets the cost of the best pyramid so far, so that it can skip all pyramids that cost
        // more.
        best = Self.cheapest(problem, bound, best?.cost ?? direct, arithmetic, folded) ?? best
      }
    }
    guard let best else { return nil }
    self = best
  }

  /// Returns the cheapest pyramid in the given arithmetic whose error is at most `bound`, or nil if none is
  /// cheaper than `limit`.
  ///
  /// The error has three causes: aliasing, rounding, and blur windows that are shorter than a Gaussian. If
  /// aliasing and rounding leave too little of the bound for the windows, the design is rejected, and the
  /// search is repeated. From then on, a design with the same number of levels must have less aliasing than
  /// the rejected design. If rounding alone exceeded the bound, no other design with the same number of
  /// levels is tried.
  private static func cheapest(
    _ problem: BlurProblem, _ bound: Double, _ limit: Cost, _ arithmetic: Arithmetic,
    _ folded: (x: PeriodicAxis, y: PeriodicAxis)?
  ) -> PyramidChoice? {
    guard
      arithmetic != .averages
        || FirstStep.halvingError(problem, isFolded: folded != nil) < FirstStep.largestHalvingError * bound
    else { return nil }
    let costs = PyramidCosts(problem, bound, arithmetic, isFolded: folded != nil)
    var failed = problem.thresholds.aliasingLimits
    while true {
      let design = PyramidDesign(
        sigma: usedSigma(problem, folded), bound: bound, limits: failed,
        highestOrder: arithmetic.highestOrder, isLocal: problem.layout.format.component == .float32, costs,
        limit)
      guard design.levels > 0 else { return nil }
      if let choice = PyramidChoice(problem, bound, design, costs, arithmetic, folded) { return choice }
      let rounding = arithmetic.rounding(levels: design.levels, gain: gain(design, folded))
      failed[design.levels] = rounding < bound ? design.aliasing : 0
    }
  }

  /// Returns the factor by which the windows along both axes can enlarge errors that come from halving the
  /// image. For example, these errors can grow by 8 % if the factor is 1.08.
  private static func gain(_ design: PyramidDesign, _ folded: (x: PeriodicAxis, y: PeriodicAxis)?) -> Double {
    folded.map { $0.x.gain(design) * $0.y.gain(design) } ?? 1
  }

  private init?(
    _ problem: BlurProblem, _ bound: Double, _ design: PyramidDesign, _ costs: PyramidCosts,
    _ arithmetic: Arithmetic, _ folded: (x: PeriodicAxis, y: PeriodicAxis)?
  ) {
    sigma = Self.usedSigma(problem, folded)
    room =
      design.room(bound, arithmetic, gain: Self.gain(design, folded))
      - (arithmetic == .averages ? FirstStep.halvingError(problem, isFolded: folded != nil) : 0)
    guard room > 0 else { return nil }
    let hasFixedWindow = arithmetic.isFixed && folded == nil
    fixed = hasFixedWindow ? design.shortestWindow(sigma: sigma, room: room, arithmetic) : nil
    guard fixed != nil || !hasFixedWindow else { return nil }
    (self.design, self.arithmetic, self.folded) = (design, arithmetic, folded)
    var cost = costs.all(design)
    (cost.pieces, cost.phases) = (Double(problem.layout.height), 3)
    self.cost = cost
  }

  /// The blur window for the smallest level of the pyramid. The property is never nil: either the window with
  /// integer weights already exists, or a window in single precision is created, which is always possible. If
  /// ``folded`` is not nil, no window is needed, so it has only one tap.
  var window: BlurWindow? {
    if folded != nil { return BlurWindow(across: [1], down: [1]) }
    return fixed ?? design.shortestWindow(sigma: sigma, room: room, .float)
  }

  /// Returns the sigmas for which the pyramid is designed. If the edge mode repeats the image, these sigmas
  /// can be larger than the sigmas of the problem (see ``PeriodicAxis/both(of:)``).
  private static func usedSigma(
    _ problem: BlurProblem, _ folded: (x: PeriodicAxis, y: PeriodicAxis)?
  ) -> Sigma {
    folded.flatMap { try? Sigma(x: $0.x.sigma, y: $0.y.sigma) } ?? problem.sigma
  }

  /// Returns the ways to treat the edges of the image that are worth trying. There are two ways:
  ///
  /// - nil: The pyramid also computes pixels outside the image, as far as the windows reach. This is cheaper
  ///   if the windows reach only a little beyond the image.
  /// - The axes of the image: The pyramid uses ``PeriodicWeights``, which need no pixels outside the image.
  ///   This is cheaper if the windows reach far beyond the image.
  ///
  /// If neither way is clearly cheaper, both are returned.
  private static func ways(
    _ problem: BlurProblem, _ bound: Double
  ) -> [(x: PeriodicAxis, y: PeriodicAxis)?] {
    guard let folded = PeriodicAxis.both(of: problem) else { return [nil] }
    // `reach` estimates how many pixels outside the image must be computed along one axis, as a multiple of
    // sigma. Such pixels are needed at both ends of the axis if the edge mode is `wrap`, or if the result is
    // smaller than the image. In all other cases, they are needed only at the far end.
    let ends = problem.edge == .wrap || problem.downscaled > 1 ? 2.0 : 1
    let reach = ends * (2 * Double.log(2 / bound)).squareRoot()
    let (sigma, layout) = (problem.sigma, problem.layout)
    let whole =
      (1 + reach * sigma.x / Double(layout.width)) * (1 + reach * sigma.y / Double(layout.height))
    // If pixels outside the image are computed, the total number of computed pixels may be at most `most`
    // times the number of image pixels. More would be too expensive. `wrap` has a higher limit, because many
    // of its pixels outside the image are copied and not computed.
    let most = problem.edge == .wrap ? 5.0 : 3
    if let folds = problem.thresholds.foldsWindows { return folds ? [folded] : [nil] }
    return whole < 1.1 ? [nil] : whole > most ? [folded] : [nil, folded]
  }
}
