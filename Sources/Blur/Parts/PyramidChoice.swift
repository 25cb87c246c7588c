/// The decisions that define a pyramid: its levels, its windows, its arithmetic, and whether its windows are
/// folded.
struct PyramidChoice {
  let design: PyramidDesign
  let arithmetic: PyramidArithmetic
  /// The axes of the image if windows are folded into the image. Otherwise nil, and the levels extend as far
  /// as the windows reach.
  let folded: PeriodicAxes?
  /// The estimated cost of all levels.
  let cost: Cost
  private let sigma: Sigma
  /// The part of the error bound that is left for the windows.
  private let room: Double
  private let isOfBytes: Bool
  /// The windows in 16-bit arithmetic, which are made here in order to find out whether they fit. Nil in
  /// floating point.
  private let fixed: PyramidWindows?

  /// Chooses the cheapest pyramid that stays within an error bound, which is a fraction of full scale. For
  /// integer images, the arithmetic nearly always has 16 bits. The result is nil if it is better to filter
  /// the image itself.
  ///
  /// - Parameter direct: The cost of filtering the image itself.
  init?(_ problem: BlurProblem, _ bound: Double, _ direct: Cost) {
    let isFloat = problem.layout.format.component == .float32
    var best: PyramidChoice?
    for arithmetic in isFloat ? [PyramidArithmetic.float] : [.fixed, .float]
    where arithmetic.rounding(levels: 1) < bound {
      for folded in Self.ways(problem, bound) {
        // A pyramid that costs more than the best one so far is not examined.
        best = Self.cheapest(problem, bound, best?.cost ?? direct, arithmetic, folded) ?? best
      }
    }
    guard let best else { return nil }
    self = best
  }

  /// Returns the cheapest pyramid that an arithmetic allows, or nil if none costs less than `limit`.
  ///
  /// Each level adds rounding errors and may leave too little of the bound for the windows. But with fewer
  /// levels the windows are wider, and their weights are rounded as well. So if a design leaves too little,
  /// the search goes on with less aliasing for that number of levels.
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

  /// The windows of the coarsest level. In floating point they always exist.
  var windows: PyramidWindows? {
    fixed ?? PyramidWindows(design, sigma, room, .float, isOfBytes: isOfBytes)
  }

  /// Returns the ways of handling edges that may be the cheapest: with folded windows, without, or both. If
  /// the levels extend only a little beyond the image, there is no need to fold. If they would extend far,
  /// folding is better.
  private static func ways(_ problem: BlurProblem, _ bound: Double) -> [PeriodicAxes?] {
    guard let folded = PeriodicAxes(problem) else { return [nil] }
    // In the mirroring modes only one end counts, because the pixels before the mirrored start nearly always
    // follow from pixels of the level.
    let reach = (problem.edge == .wrap ? 2 : 1) * (2 * Double.log(2 / bound)).squareRoot()
    let (sigma, layout) = (problem.sigma, problem.layout)
    let whole =
      (1 + reach * sigma.x / Double(layout.width)) * (1 + reach * sigma.y / Double(layout.height))
    // With `wrap`, the pixels beyond the image often do not have to be stored at all.
    let most = problem.edge == .wrap ? 5.0 : 3
    return whole < 1.1 ? [nil] : whole > most ? [folded] : [nil, folded]
  }
}

/// The two axes of an image that repeats beyond its ends.
struct PeriodicAxes {
  let x: PeriodicWeights.Axis
  let y: PeriodicWeights.Axis

  var sigma: Sigma

  /// Creates the axes, or returns nil if the edge mode does not repeat the image.
  init?(_ problem: BlurProblem) {
    let (layout, edge, sigma) = (problem.layout, problem.edge, problem.sigma)
    func isMean(_ sigma: Double, _ count: Int) -> Bool {
      count == 1 || sigma >= Sigma.periodsOfMean * Double(edge.period(count) ?? .max) * (1 - 1e-9)
    }
    guard edge.period(1) != nil else { return nil }
    let means = (x: isMean(sigma.x, layout.width), y: isMean(sigma.y, layout.height))
    // A mean is the same for every sigma. So an axis of means gets a sigma that allows as many levels as the
    // other axis.
    let most = max(sigma.x, sigma.y)
    guard let raised = try? Sigma(x: means.x ? most : sigma.x, y: means.y ? most : sigma.y) else {
      return nil
    }
    self.sigma = raised
    x = PeriodicWeights.Axis(count: layout.width, edge: edge, sigma: raised.x, isMean: means.x)
    y = PeriodicWeights.Axis(count: layout.height, edge: edge, sigma: raised.y, isMean: means.y)
  }

  /// Returns the factor by which the folded windows amplify errors from the coarser levels, along both axes
  /// together.
  func gain(_ orders: [Int]) -> Double { x.gain(orders) * y.gain(orders) }
}

/// The windows of a pyramid's coarsest level along both axes.
struct PyramidWindows {
  /// The right half of the window along a row, starting at the centre. The property `down` holds that along a
  /// column.
  let across: [Double]
  let down: [Double]
  /// The windows in integers, or nil in floating point.
  private let integers: QuantizedWindow?

  /// Shortens the windows as far as the error budget allows. Returns nil if the arithmetic causes an error
  /// above `room`.
  init?(
    _ design: PyramidDesign, _ sigma: Sigma, _ room: Double, _ arithmetic: PyramidArithmetic,
    isOfBytes: Bool
  ) {
    let wholeAcross = design.window(sigma: sigma.x)
    let wholeDown = sigma.x == sigma.y ? wholeAcross : design.window(sigma: sigma.y)
    // Shorter windows may use up the rest of the error budget, but integer weights need a part of it for
    // rounding.
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

  /// Returns the part of an error bound that is left for the windows after aliasing and rounding in the
  /// levels.
  ///
  /// - Parameter gain: The factor by which the windows amplify errors from the levels.
  static func room(
    _ design: PyramidDesign, _ bound: Double, _ arithmetic: PyramidArithmetic, gain: Double = 1
  ) -> Double {
    0.98 * bound - 2 * design.aliasing - arithmetic.rounding(levels: design.levels, gain: gain)
  }

  func filter(_ shape: WindowShape) -> any WindowFilter {
    integers?.filter(shape) ?? FloatFilter(shape, across: across, down: down)
  }
}
