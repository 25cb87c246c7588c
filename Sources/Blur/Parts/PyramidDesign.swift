/// How the pyramid blurs: downsample the image by two some times, filter what is left with a small window,
/// upsample it again.
///
/// Downsampling and upsampling use binomial filters, B-splines in the limit. Level 0 is the image; level l +
/// 1 is half of level l, its pixel i standing where pixel 2i stood, by filters of odd order half a pixel
/// before it. The window is what remains of the Gaussian when the resampling filters are divided out of its
/// spectrum, so that only aliasing is left as error.
struct PyramidDesign: Hashable, Sendable {
  /// The order of the binomial filter that downsamples and upsamples level 0, level 1 and so on.
  let orders: [Int]
  /// How far a result can be off by aliasing, along one axis, as a share of full scale.
  let aliasing: Double

  var levels: Int { orders.count }

  /// What may be off by aliasing, along one axis, of a bound for both.
  static let aliasingShare = 0.34

  /// Orders that resample exactly enough, and the constant cₙ of their error cₙ · ρ⁻ⁿ at ρ = sigma in pixels
  /// of the smaller image, from the least ρ on: worst cases, measured. A test repeats it.
  static let errors: [(order: Int, constant: Double, least: Double)] = [
    (2, 0.0355, 1.5), (3, 0.0134, 1.5), (4, 0.0063, 1.5), (5, 0.0037, 1.75),
    (6, 0.0026, 1.75), (8, 0.001, 2),
  ]

  /// What moving a tap of the coarsest level by one pixel changes, as a share of its weight, by the order of
  /// the filters there, which spread it: half the sum of differences, at the worst output pixel. A test
  /// repeats it.
  static let moves = [
    2: 0.75, 3: 0.59375, 4: 0.515625, 5: 0.4609375, 6: 0.4238281, 8: 0.3720093,
  ]

  init(orders: [Int], aliasing: Double) {
    self.orders = orders
    self.aliasing = aliasing
  }

  /// The cheapest pyramid that keeps `bound`; empty if none costs less than `limit`.
  ///
  /// - Parameters:
  ///   - limits: by the number of levels, what aliasing must stay below; where there is none, the bound alone
  ///     limits it.
  ///   - isLocal: whether no pixel may reach farther than in the definition of the blur, six sigma.
  ///   - limit: operations that it must cost less than.
  init(
    sigma: Sigma, bound: Double, limits: [Int: Double] = [:], highestOrder: Int, isLocal: Bool,
    _ costs: PyramidCosts, _ limit: Cost
  ) {
    var search = Search(
      sigma: sigma, bound: bound, limits: limits, highestOrder: highestOrder, isLocal: isLocal,
      costs: costs, least: costs.constants.work(limit))
    search.extend(error: 0, cost: 0)
    (orders, aliasing) = search.best
  }

  /// All pyramids, but for those that cost more than the best so far.
  private struct Search {
    let sigma: Sigma, bound: Double, limits: [Int: Double], highestOrder: Int, isLocal: Bool
    let costs: PyramidCosts
    /// Nanoseconds of the best so far.
    var least: Double
    fileprivate var best: (orders: [Int], error: Double) = ([], 0)
    fileprivate var orders: [Int] = []

    /// Tries all levels that may follow those of `orders`, which never fall, for coarser levels alias more.
    mutating func extend(error: Double, cost: Double) {
      let level = orders.count
      let ratio = min(sigma.x, sigma.y) / Double(1 << (level + 1))
      for (order, constant, leastRatio) in errors
      where order <= highestOrder && order >= orders.last ?? 0 && ratio >= leastRatio {
        let cost = cost + costs.constants.work(costs.level(level, order))
        // Further levels, higher orders and pixels beyond the image cost more still.
        guard cost < least else { return }
        let error = error + constant * (0..<order).reduce(1) { power, _ in power / ratio }
        guard error <= aliasingShare * bound else { continue }
        orders.append(order)
        consider(error)
        extend(error: error, cost: cost)
        orders.removeLast()
      }
    }

    private mutating func consider(_ error: Double) {
      let total = costs.constants.work(costs.all(orders, aliasing: error))
      guard total < least, error < limits[orders.count] ?? .infinity else { return }
      let design = PyramidDesign(orders: orders, aliasing: error)
      if !isLocal || design.isLocal(sigma, bound, isFolded: costs.isFolded) {
        (best, least) = ((orders, error), total)
      }
    }
  }

  /// Whether no pixel reaches farther than in the definition of the blur, six sigma.
  fileprivate func isLocal(_ sigma: Sigma, _ bound: Double, isFolded: Bool) -> Bool {
    // Windows are below five deviations long. From here on that leaves room for all filters.
    if min(sigma.x, sigma.y) >= Double(12 << levels) { return true }
    let room = PyramidWindows.room(self, bound, .float)
    guard room > 0, let windows = PyramidWindows(self, sigma, room, .float, isOfBytes: false) else {
      return false
    }
    // A level's filter reaches half its order in that level's pixels, downsampling and upsampling.
    let resampling = orders.enumerated().reduce(0) { $0 + $1.element << $1.offset }
    return [(windows.across, sigma.x), (windows.down, sigma.y)].allSatisfy { window, sigma in
      // Folded windows stand between pixels, too, and reach up to one farther.
      let radius = window.count - (isFolded ? 0 : 1)
      return resampling + radius << levels <= Int((6 * sigma).rounded(.up))
    }
  }

  /// The window of the coarsest level, for one axis: half of it, from the centre on, not negative; its sum is
  /// arbitrary.
  ///
  /// - Parameter offset: of all positions from the centre, in pixels of the coarsest level.
  func window(sigma: Double, offset: Double = 0) -> [Double] {
    let ratio = sigma / Double(1 << levels)
    var sums = [SIMD4<Double>](repeating: .zero, count: Int((8 * ratio).rounded(.up)) + 8)
    // The integral of the spectrum over all frequencies that the coarsest level can hold, four at once.
    let frequencies = max(64, (sums.count + 1) / 2 * 4)
    let step = Double.pi / Double(frequencies)
    for k in stride(from: 0, to: frequencies, by: 4) {
      let frequency = (SIMD4(0, 1, 2, 3) + (Double(k) + 0.5)) * step
      let cosine = SIMD4<Double>(.cos(frequency.x), .cos(frequency.y), .cos(frequency.z), .cos(frequency.w))
      let value = remaining(ratio * frequency, cosine)
      // cos(nω) from the two before it.
      var (before, current) = (cosine, SIMD4<Double>(repeating: 1))
      if offset != 0 {
        for i in 0..<4 {
          before[i] = .cos((offset - 1) * frequency[i])
          current[i] = .cos(offset * frequency[i])
        }
      }
      for n in sums.indices {
        sums[n] += value * current
        (before, current) = (current, 2 * cosine * current - before)
      }
    }
    return sums.map { max(0, $0.sum()) }
  }

  /// Half of a window, the outermost taps added to the last one that stays, and how far that puts a weighted
  /// mean of values from 0 to 1 off: less than without them, for filters spread a tap over its neighbours.
  ///
  /// - Parameter allowed: what that may be.
  func shortened(_ window: [Double], error allowed: Double) -> (half: [Double], error: Double) {
    let move = orders.last.flatMap { Self.moves[$0] } ?? 1
    let (radius, error) = GaussianTaps.shortest(window, error: allowed, move: move)
    let sum = window[0] + 2 * window.dropFirst().reduce(0, +)
    return (Self.shortened(window, to: radius + 1).map { $0 / sum }, error)
  }

  /// The first `count` taps, the last of them with all that follow.
  static func shortened(_ taps: [Double], to count: Int) -> [Double] {
    taps[..<(count - 1)] + [taps[(count - 1)...].reduce(0, +)]
  }

  /// The Gaussian's spectrum without those of the resampling filters.
  ///
  /// - Parameters:
  ///   - phase: the frequency times sigma, in radians.
  ///   - cosine: that of the frequency, in radians per pixel of the coarsest level.
  private func remaining(_ phase: SIMD4<Double>, _ cosine: SIMD4<Double>) -> SIMD4<Double> {
    let exponent = phase * phase * -0.5
    var value = SIMD4<Double>(.exp(exponent.x), .exp(exponent.y), .exp(exponent.z), .exp(exponent.w))
    var cosine = cosine
    // The filter of order n has the spectrum cosⁿ(ω/2), cos²(ω/2) being (1 + cos ω) / 2, and is used twice; ω
    // halves from each level to the next finer one.
    for order in orders.reversed() {
      cosine = ((1 + cosine) / 2).squareRoot()
      let square = (1 + cosine) / 2
      for _ in 0..<order { value /= square }
    }
    return value
  }
}
