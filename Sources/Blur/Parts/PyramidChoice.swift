/// What a pyramid does, whatever becomes of the image's edges: its levels, its windows, its arithmetic.
struct PyramidChoice {
  let design: PyramidDesign
  let arithmetic: PyramidArithmetic
  /// The axes, where windows are folded into the image. Else levels hold as much as windows reach.
  let folded: PeriodicAxes?
  /// The operations on all levels.
  let cost: Cost
  private let sigma: Sigma
  /// What is left of the bound for the windows.
  private let room: Double
  private let isOfBytes: Bool
  /// Windows in 16 bits, which had to be made to know that they fit.
  private let fixed: PyramidWindows?

  /// The cheapest that keeps a bound, a share of full scale: for images of integers nearly always in 16 bits.
  /// Nil when the image itself had better be filtered.
  ///
  /// - Parameter direct: the operations of filtering the image itself.
  init?(_ problem: BlurProblem, _ bound: Double, _ direct: Cost) {
    let isFloat = problem.layout.format.component == .float32
    var best: PyramidChoice?
    for arithmetic in isFloat ? [PyramidArithmetic.float] : [.fixed, .float]
    where arithmetic.rounding(levels: 1) < bound {
      for folded in Self.ways(problem, bound) {
        // None that costs more than the best so far is looked at.
        best = Self.cheapest(problem, bound, best?.cost ?? direct, arithmetic, folded) ?? best
      }
    }
    guard let best else { return nil }
    self = best
  }

  /// The cheapest that an arithmetic allows, if it costs less than `limit`: each level rounds, and may leave
  /// the windows too little of the bound, but the fewer levels, the wider are the windows, whose weights
  /// round as well.
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

  /// In floating point there are always some.
  var windows: PyramidWindows? {
    fixed ?? PyramidWindows(design, sigma, room, .float, isOfBytes: isOfBytes)
  }

  /// Whether to fold windows: what may be the cheapest. Where levels hold little beyond the image, they need
  /// not be; where much, they had better be.
  private static func ways(_ problem: BlurProblem, _ bound: Double) -> [PeriodicAxes?] {
    guard let folded = PeriodicAxes(problem) else { return [nil] }
    // Half of that is at a mirrored start, and nearly always follows from what the level holds.
    let reach = (problem.edge == .wrap ? 2 : 1) * (2 * Double.log(2 / bound)).squareRoot()
    let (sigma, layout) = (problem.sigma, problem.layout)
    let whole =
      (1 + reach * sigma.x / Double(layout.width)) * (1 + reach * sigma.y / Double(layout.height))
    // What is wrapped often need not be held at all.
    let most = problem.edge == .wrap ? 5.0 : 3
    return whole < 1.1 ? [nil] : whole > most ? [folded] : [nil, folded]
  }
}

/// Both axes of an image that repeats beyond its ends.
struct PeriodicAxes {
  let x: PeriodicWeights.Axis
  let y: PeriodicWeights.Axis

  var sigma: Sigma

  /// Nil where nothing repeats.
  init?(_ problem: BlurProblem) {
    let (layout, edge, sigma) = (problem.layout, problem.edge, problem.sigma)
    func isMean(_ sigma: Double, _ count: Int) -> Bool {
      count == 1 || sigma >= Sigma.periodsOfMean * Double(edge.period(count) ?? .max) * (1 - 1e-9)
    }
    guard edge.period(1) != nil else { return nil }
    let means = (x: isMean(sigma.x, layout.width), y: isMean(sigma.y, layout.height))
    // A mean is the same for any sigma: one that allows as many levels as the other axis does.
    let most = max(sigma.x, sigma.y)
    guard let raised = try? Sigma(x: means.x ? most : sigma.x, y: means.y ? most : sigma.y) else {
      return nil
    }
    self.sigma = raised
    x = PeriodicWeights.Axis(count: layout.width, edge: edge, sigma: raised.x, isMean: means.x)
    y = PeriodicWeights.Axis(count: layout.height, edge: edge, sigma: raised.y, isMean: means.y)
  }

  /// By how much windows enlarge errors of the levels, along both axes.
  func gain(_ orders: [Int]) -> Double { x.gain(orders) * y.gain(orders) }
}

/// The windows of a pyramid's coarsest level, along both axes.
struct PyramidWindows {
  /// Half of each, from the centre on.
  let across: [Double]
  let down: [Double]
  /// Nil in floating point.
  private let integers: QuantizedWindow?

  /// Nil when the arithmetic leaves more out than there is room for.
  init?(
    _ design: PyramidDesign, _ sigma: Sigma, _ room: Double, _ arithmetic: PyramidArithmetic,
    isOfBytes: Bool
  ) {
    let wholeAcross = design.window(sigma: sigma.x)
    let wholeDown = sigma.x == sigma.y ? wholeAcross : design.window(sigma: sigma.y)
    // Shorter windows may take up what is left; integer weights need some of it.
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

  /// What is left of a bound for the windows, beside aliasing and rounding in the levels.
  ///
  /// - Parameter gain: by how much windows enlarge errors of the levels.
  static func room(
    _ design: PyramidDesign, _ bound: Double, _ arithmetic: PyramidArithmetic, gain: Double = 1
  ) -> Double {
    0.98 * bound - 2 * design.aliasing - arithmetic.rounding(levels: design.levels, gain: gain)
  }

  func filter(_ shape: WindowShape) -> any WindowFilter {
    integers?.filter(shape) ?? FloatFilter(shape, across: across, down: down)
  }
}
