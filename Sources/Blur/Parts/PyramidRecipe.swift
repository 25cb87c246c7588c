/// What a pyramid does, whatever becomes of the image's edges: its levels, its windows, its arithmetic.
struct PyramidRecipe {
  let design: PyramidDesign
  let arithmetic: PyramidArithmetic
  /// The operations on all levels.
  let cost: Cost
  private let sigma: Sigma
  private let bound: Double
  private let isOfBytes: Bool
  /// Windows in 16 bits, which had to be made to know that they fit.
  private let fixed: PyramidWindows?

  /// The cheapest that keeps a bound, a share of full scale: in 16 bits if it can be. Nil when the image
  /// itself had better be filtered.
  ///
  /// - Parameter direct: the operations of filtering the image itself.
  init?(_ problem: BlurProblem, _ bound: Double, _ direct: Cost) {
    let (format, sigma) = (problem.layout.format, problem.sigma)
    let isLocal = format.component == .float32
    for arithmetic in isLocal ? [PyramidArithmetic.float] : [.fixed, .float] {
      let costs = PyramidCosts(problem, bound, arithmetic)
      let design = PyramidDesign(
        sigma: sigma, bound: bound, highestOrder: arithmetic.highestOrder, isLocal: isLocal, costs, direct)
      let isOfBytes = format.component == .uint8
      guard design.levels > 0, PyramidWindows.room(design, bound, arithmetic) > 0 else { continue }
      let fixed =
        arithmetic == .fixed
        ? PyramidWindows(design, sigma, bound, .fixed, isOfBytes: isOfBytes) : nil
      guard fixed != nil || arithmetic == .float else { continue }
      (self.design, self.arithmetic, self.fixed) = (design, arithmetic, fixed)
      (self.sigma, self.bound, self.isOfBytes) = (sigma, bound, isOfBytes)
      cost = costs.all(design.orders)
      return
    }
    return nil
  }

  /// In floating point there are always some.
  var windows: PyramidWindows? {
    fixed ?? PyramidWindows(design, sigma, bound, .float, isOfBytes: isOfBytes)
  }
}

/// The windows of a pyramid's coarsest level, along both axes.
struct PyramidWindows {
  /// Half of each, from the centre on.
  let across: [Double]
  let down: [Double]
  /// Nil in floating point.
  private let integers: IntegerWindow?

  /// Nil when the arithmetic cannot keep the bound.
  init?(
    _ design: PyramidDesign, _ sigma: Sigma, _ bound: Double, _ arithmetic: PyramidArithmetic,
    isOfBytes: Bool
  ) {
    let room = Self.room(design, bound, arithmetic)
    guard room > 0 else { return nil }
    let wholeAcross = design.window(sigma: sigma.x)
    let wholeDown = sigma.x == sigma.y ? wholeAcross : design.window(sigma: sigma.y)
    // What windows leave out may take up what is left; integer weights need some of it.
    for share in arithmetic == .fixed ? [0.45, 0.3, 0.15] : [0.48] {
      let across = GaussianTaps.cut(wholeAcross, tail: share * room)
      let down = GaussianTaps.cut(wholeDown, tail: share * room)
      if arithmetic == .float {
        (self.across, self.down, integers) = (across.half, down.half, nil)
        return
      }
      let integers = IntegerWindow(across: across.half, down: down.half, isOfBytes: isOfBytes)
      guard let integers else { return nil }
      if across.leftOut + down.leftOut + integers.error <= room {
        (self.across, self.down, self.integers) = (across.half, down.half, integers)
        return
      }
    }
    return nil
  }

  /// What is left of a bound for the windows, beside aliasing and rounding in the levels.
  static func room(_ design: PyramidDesign, _ bound: Double, _ arithmetic: PyramidArithmetic) -> Double {
    0.98 * bound - 2 * design.aliasing - arithmetic.rounding(levels: design.levels)
  }

  func filter(_ shape: WindowShape) -> any WindowFilter {
    integers?.filter(shape) ?? FloatFilter(shape, across: across, down: down)
  }
}
