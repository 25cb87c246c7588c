/// The design of a pyramid, which blurs in three steps: downsample the image by two several times, filter the
/// small image with a small window, and upsample it again.
///
/// Downsampling and upsampling use binomial filters, which approach B-splines. Level 0 is the image, and
/// level l + 1 is half of level l. Pixel i of level l + 1 is at the position of pixel 2i of level l, or half
/// a pixel before it if the filter has an odd order. The window is what remains of the Gaussian when its
/// spectrum is divided by the spectra of the resampling filters. So aliasing is the only error that is left.
struct PyramidDesign: Hashable, Sendable {
  /// The orders of the binomial filters that downsample and upsample level 0, level 1 and so on.
  let orders: [Int]
  /// The largest error that aliasing can cause along one axis, as a fraction of full scale.
  let aliasing: Double

  var levels: Int { orders.count }

  /// The share of the error bound that aliasing along one axis may use. The bound is for both axes together.
  static let aliasingShare = 0.34

  /// The orders that resample accurately enough. The error of order n is cₙ · ρ⁻ⁿ, where cₙ is `constant` and
  /// ρ is sigma in pixels of the smaller image. This holds if ρ is at least `least`. The constants are
  /// measured worst cases, and a test repeats the measurement.
  static let errors: [(order: Int, constant: Double, least: Double)] = [
    (2, 0.0355, 1.5), (3, 0.0134, 1.5), (4, 0.0063, 1.5), (5, 0.0037, 1.75),
    (6, 0.0026, 1.75), (8, 0.001, 2),
  ]

  /// The effect of moving a tap of the coarsest level by one pixel, as a fraction of the tap's weight. It
  /// depends on the order of the filters at that level, because they spread the tap. The effect is half the
  /// sum of absolute differences at the worst output pixel. A test repeats the computation.
  static let moves = [
    2: 0.75, 3: 0.59375, 4: 0.515625, 5: 0.4609375, 6: 0.4238281, 8: 0.3720093,
  ]

  init(orders: [Int], aliasing: Double) {
    self.orders = orders
    self.aliasing = aliasing
  }

  /// Finds the cheapest pyramid that stays within `bound`. The pyramid has no levels if none costs less than
  /// `limit`.
  ///
  /// - Parameters:
  ///   - limits: The value that aliasing must stay below, for some numbers of levels. For all other numbers
  ///     of levels, only the bound limits aliasing.
  ///   - isLocal: Whether no pixel may reach farther than in the definition of the blur, which is six sigma.
  ///   - limit: The cost that the pyramid must stay below.
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

  /// A search through all pyramids that skips those that cost more than the best one so far.
  private struct Search {
    let sigma: Sigma, bound: Double, limits: [Int: Double], highestOrder: Int, isLocal: Bool
    let costs: PyramidCosts
    /// The time of the best pyramid so far, in nanoseconds.
    var least: Double
    fileprivate var best: (orders: [Int], error: Double) = ([], 0)
    fileprivate var orders: [Int] = []

    /// Tries all levels that can follow those in `orders`. The orders never decrease from level to level,
    /// because coarser levels alias more.
    mutating func extend(error: Double, cost: Double) {
      let level = orders.count
      let ratio = min(sigma.x, sigma.y) / Double(1 << (level + 1))
      for (order, constant, leastRatio) in errors
      where order <= highestOrder && order >= orders.last ?? 0 && ratio >= leastRatio {
        let cost = cost + costs.constants.work(costs.level(level, order))
        // Further levels, higher orders and pixels beyond the image would cost even more.
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

  /// Returns whether no pixel reaches farther than in the definition of the blur, which is six sigma.
  fileprivate func isLocal(_ sigma: Sigma, _ bound: Double, isFolded: Bool) -> Bool {
    // A window reaches less than five sigma. If sigma is at least this large, the sixth sigma is enough for
    // the reach of all resampling filters.
    if min(sigma.x, sigma.y) >= Double(12 << levels) { return true }
    let room = PyramidWindows.room(self, bound, .float)
    guard room > 0, let windows = PyramidWindows(self, sigma, room, .float, isOfBytes: false) else {
      return false
    }
    // The filters of a level reach as many of its pixels as their order: one half in downsampling and one
    // half in upsampling.
    let resampling = orders.enumerated().reduce(0) { $0 + $1.element << $1.offset }
    return [(windows.across, sigma.x), (windows.down, sigma.y)].allSatisfy { window, sigma in
      // Folded windows also fall between pixels, and can then reach one pixel farther.
      let radius = window.count - (isFolded ? 0 : 1)
      return resampling + radius << levels <= Int((6 * sigma).rounded(.up))
    }
  }

  /// Returns the right half of the coarsest level's window along one axis, starting at the centre. No weight
  /// is negative, and the sum of the weights is arbitrary.
  ///
  /// - Parameter offset: The offset of all positions from the centre, in pixels of the coarsest level.
  func window(sigma: Double, offset: Double = 0) -> [Double] {
    let ratio = sigma / Double(1 << levels)
    var sums = [SIMD4<Double>](repeating: .zero, count: Int((8 * ratio).rounded(.up)) + 8)
    // The spectrum is integrated over all frequencies that the coarsest level can represent, four frequencies
    // at a time.
    let frequencies = max(64, (sums.count + 1) / 2 * 4)
    let step = Double.pi / Double(frequencies)
    for k in stride(from: 0, to: frequencies, by: 4) {
      let frequency = (SIMD4(0, 1, 2, 3) + (Double(k) + 0.5)) * step
      let cosine = SIMD4<Double>(.cos(frequency.x), .cos(frequency.y), .cos(frequency.z), .cos(frequency.w))
      let value = remaining(ratio * frequency, cosine)
      // Each cos(nω) is computed from the two cosines before it.
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

  /// Returns half of a window whose outermost taps are added to the last tap that stays, and the error that
  /// this causes. The error is the largest difference in a weighted mean of values from 0 to 1. It is smaller
  /// than if the taps were left out, because the resampling filters spread each tap over its neighbours.
  ///
  /// - Parameter allowed: The largest error that is allowed.
  func shortened(_ window: [Double], error allowed: Double) -> (half: [Double], error: Double) {
    let move = orders.last.flatMap { Self.moves[$0] } ?? 1
    let (radius, error) = GaussianTaps.shortest(window, error: allowed, move: move)
    let sum = window[0] + 2 * window.dropFirst().reduce(0, +)
    return (Self.shortened(window, to: radius + 1).map { $0 / sum }, error)
  }

  /// Returns the first `count` taps. The weights of all taps that follow are added to the last of them.
  static func shortened(_ taps: [Double], to count: Int) -> [Double] {
    taps[..<(count - 1)] + [taps[(count - 1)...].reduce(0, +)]
  }

  /// Returns the spectrum of the Gaussian, divided by the spectra of the resampling filters.
  ///
  /// - Parameters:
  ///   - phase: The frequency times sigma, in radians.
  ///   - cosine: The cosine of the frequency, where the frequency is in radians per pixel of the coarsest
  ///     level.
  private func remaining(_ phase: SIMD4<Double>, _ cosine: SIMD4<Double>) -> SIMD4<Double> {
    let exponent = phase * phase * -0.5
    var value = SIMD4<Double>(.exp(exponent.x), .exp(exponent.y), .exp(exponent.z), .exp(exponent.w))
    var cosine = cosine
    // The filter of order n has the spectrum cosⁿ(ω/2), where cos²(ω/2) is (1 + cos ω) / 2, and it is used
    // twice. From each level to the next finer one, ω is halved.
    for order in orders.reversed() {
      cosine = ((1 + cosine) / 2).squareRoot()
      let square = (1 + cosine) / 2
      for _ in 0..<order { value /= square }
    }
    return value
  }
}
