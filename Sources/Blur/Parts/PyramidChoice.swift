/// The decisions that define a pyramid: how the image is downsampled and upsampled, in which arithmetic,
/// which blur windows are applied to the coarsest level, and how edges are treated.
struct PyramidChoice {
  let design: PyramidDesign
  let arithmetic: PyramidArithmetic
  /// The axes of the image, if the weights for the coarsest level are folded. With folded weights, each
  /// output pixel has its own weights, which already account for the repetitions of the image (see
  /// ``PeriodicWeights``). The property is nil if the levels extend beyond the image instead, as far as the
  /// blur windows reach.
  let folded: PeriodicAxes?
  /// The estimated cost of the whole pyramid.
  let cost: Cost
  private let sigma: Sigma
  /// The part of the error bound that the blur windows may use. The rest is needed for aliasing and for
  /// rounding in the levels.
  private let room: Double
  private let isOfBytes: Bool
  /// The blur windows with integer weights, or nil in single-precision arithmetic. They are made when the
  /// pyramid is chosen, to find out whether the weights fit in 16 bits.
  private let fixed: PyramidWindows?

  /// Chooses the cheapest pyramid whose error is at most `bound`, as a fraction of full scale. Returns nil if
  /// no pyramid costs less than `direct`. For images of integers, the chosen pyramid nearly always uses
  /// 16-bit arithmetic.
  ///
  /// - Parameter direct: The cost of filtering the image itself, without a pyramid.
  init?(_ problem: BlurProblem, _ bound: Double, _ direct: Cost) {
    let isFloat = problem.layout.format.component == .float32
    var best: PyramidChoice?
    for arithmetic in isFloat ? [PyramidArithmetic.float] : [.fixed, .float]
    where arithmetic.rounding(levels: 1) < bound {
      for folded in Self.ways(problem, bound) {
        // The cost of the best pyramid so far is the limit for the next search, which skips all pyramids that
        // cost more.
        best = Self.cheapest(problem, bound, best?.cost ?? direct, arithmetic, folded) ?? best
      }
    }
    guard let best else { return nil }
    self = best
  }

  /// Returns the cheapest pyramid in the given arithmetic, or nil if none costs less than `limit`.
  ///
  /// The error bound has to cover aliasing, rounding in the levels, and the error of the blur windows. If a
  /// design leaves too little of the bound for its windows, it is rejected, and the search starts again. A
  /// new design with the same number of levels must then have less aliasing than the rejected one.
  ///
  /// Other numbers of levels remain possible. A pyramid with fewer levels has smaller rounding errors in its
  /// levels, but its windows are longer and have more weights that are rounded. So fewer levels are not
  /// always better.
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

  /// The blur windows for the coarsest level. The result is never nil. Windows with integer weights were
  /// already made when the pyramid was chosen, and in single precision there is always a window.
  var windows: PyramidWindows? {
    fixed ?? PyramidWindows(design, sigma, room, .float, isOfBytes: isOfBytes)
  }

  /// Returns the ways to treat the edges of the image that are worth trying. The element nil stands for
  /// levels that extend beyond the image. Any other element holds the axes for folded weights, which need no
  /// pixels beyond the image (see ``PeriodicWeights``).
  ///
  /// Folding saves nothing if the levels would extend only a little beyond the image. It is certain to be
  /// cheaper if they would extend far beyond it. In between, the function returns both elements.
  private static func ways(_ problem: BlurProblem, _ bound: Double) -> [PeriodicAxes?] {
    guard let folded = PeriodicAxes(problem) else { return [nil] }
    // An estimate of how far the levels extend beyond the image along one axis. It is the sum for both ends,
    // as a multiple of sigma. With `mirror` and `reflect`, the levels nearly always extend only beyond the
    // last pixel. At the other end, a level is usually its own mirror image, so no additional pixels are
    // stored.
    let reach = (problem.edge == .wrap ? 2 : 1) * (2 * Double.log(2 / bound)).squareRoot()
    let (sigma, layout) = (problem.sigma, problem.layout)
    let whole =
      (1 + reach * sigma.x / Double(layout.width)) * (1 + reach * sigma.y / Double(layout.height))
    // The largest acceptable ratio of stored pixels to image pixels. Above this ratio, levels that extend
    // beyond the image are certainly too expensive. The limit is higher with `wrap`, because many of the
    // pixels beyond the image then equal other stored pixels and are not stored again.
    let most = problem.edge == .wrap ? 5.0 : 3
    return whole < 1.1 ? [nil] : whole > most ? [folded] : [nil, folded]
  }
}

/// The two axes of an image that the edge mode repeats beyond its ends.
struct PeriodicAxes {
  let x: PeriodicWeights.Axis
  let y: PeriodicWeights.Axis

  var sigma: Sigma

  /// Creates the axes. Returns nil if the edge mode does not repeat the image, as `clamp` and `constant` do
  /// not.
  init?(_ problem: BlurProblem) {
    let (layout, edge, sigma) = (problem.layout, problem.edge, problem.sigma)
    func isMean(_ sigma: Double, _ count: Int) -> Bool {
      count == 1 || sigma >= Sigma.periodsOfMean * Double(edge.period(count) ?? .max) * (1 - 1e-9)
    }
    guard edge.period(1) != nil else { return nil }
    let means = (x: isMean(sigma.x, layout.width), y: isMean(sigma.y, layout.height))
    // On an axis whose sigma is so large that the blur is a plain mean, a larger sigma gives the same result.
    // The sigma of such an axis is raised to that of the other axis. This can allow more levels, because
    // their number is limited by the smaller of the two sigmas.
    let most = max(sigma.x, sigma.y)
    guard let raised = try? Sigma(x: means.x ? most : sigma.x, y: means.y ? most : sigma.y) else {
      return nil
    }
    self.sigma = raised
    x = PeriodicWeights.Axis(count: layout.width, edge: edge, sigma: raised.x, isMean: means.x)
    y = PeriodicWeights.Axis(count: layout.height, edge: edge, sigma: raised.y, isMean: means.y)
  }

  /// Returns the factor by which the weights along both axes together amplify errors in the levels of the
  /// pyramid.
  func gain(_ orders: [Int]) -> Double { x.gain(orders) * y.gain(orders) }
}

/// The blur windows that a pyramid applies to its coarsest level, along both axes.
struct PyramidWindows {
  /// The right halves of the two windows, each starting at the centre. `across` is the window along a row,
  /// and `down` is the window along a column.
  let across: [Double]
  let down: [Double]
  /// The windows with integer weights, or nil in single-precision arithmetic.
  private let integers: QuantizedWindow?

  /// Shortens the windows as far as the error budget `room` allows. In 16-bit arithmetic, it also rounds the
  /// weights to integers. Returns nil if rounding makes the error larger than `room`.
  init?(
    _ design: PyramidDesign, _ sigma: Sigma, _ room: Double, _ arithmetic: PyramidArithmetic,
    isOfBytes: Bool
  ) {
    let wholeAcross = design.window(sigma: sigma.x)
    let wholeDown = sigma.x == sigma.y ? wholeAcross : design.window(sigma: sigma.y)
    // Each of the two windows is given the same share of the error budget `room`. The rest of the budget must
    // cover the error from rounding the weights to integers. If it does not, a smaller share is tried.
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

  /// Returns the part of the error bound that is left for the windows, after the errors from aliasing and
  /// from rounding in the levels have been subtracted.
  ///
  /// - Parameter gain: The factor by which the windows amplify errors in the levels.
  static func room(
    _ design: PyramidDesign, _ bound: Double, _ arithmetic: PyramidArithmetic, gain: Double = 1
  ) -> Double {
    0.98 * bound - 2 * design.aliasing - arithmetic.rounding(levels: design.levels, gain: gain)
  }

  func filter(_ shape: WindowShape) -> any WindowFilter {
    integers?.filter(shape) ?? FloatFilter(shape, across: across, down: down)
  }
}
