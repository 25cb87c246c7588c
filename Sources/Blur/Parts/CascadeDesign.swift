#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How the pyramid blurs: halve the image some times, filter what is left with a small window, double it again.
///
/// Halving and doubling use binomial filters, B-splines in the limit. Level 0 is the image; level l + 1 is half
/// of level l, its pixel i standing where pixel 2i stood. The window is what remains of the Gaussian when the
/// resampling filters are divided out of its spectrum, so that only aliasing is left as error.
struct CascadeDesign: Hashable, Sendable {
  /// The order of the binomial filter that halves, and doubles, level 0, level 1 and so on.
  let orders: [Int]
  /// How far a result can be off by aliasing, along one axis, as a share of full scale.
  let aliasing: Double

  var levels: Int { orders.count }

  /// What may be off by aliasing, along one axis, of a bound for both.
  static let aliasingShare = 0.34

  /// Orders that resample exactly enough, and the constant cₙ of their error cₙ · ρ⁻ⁿ at ρ = sigma in pixels
  /// of the smaller image, from the least ρ on: worst cases, measured. A test repeats it.
  static let errors: [(order: Int, constant: Double, least: Double)] = [
    (2, 0.0355, 1.5), (4, 0.0063, 1.5), (6, 0.0026, 1.75), (8, 0.001, 2),
  ]

  init(orders: [Int], aliasing: Double) {
    self.orders = orders
    self.aliasing = aliasing
  }

  /// The cheapest cascade for an image of `width` × `height` that keeps `bound`; empty if that is to filter
  /// the image itself.
  ///
  /// - Parameter isLocal: whether no pixel may reach farther than in the definition of the blur, six sigma.
  init(sigma: Sigma, bound: Double, highestOrder: Int, isLocal: Bool, width: Int, height: Int) {
    let best = Self.cheapest(sigma, bound, highestOrder, isLocal, width, height)
    orders = best.orders
    aliasing = best.error
  }

  /// The search behind `init`, with the operations of what it finds.
  static func cheapest(
    _ sigma: Sigma, _ bound: Double, _ highestOrder: Int, _ isLocal: Bool, _ width: Int, _ height: Int
  ) -> (orders: [Int], error: Double, cost: Double) {
    let smaller = min(sigma.x, sigma.y)
    var best: (orders: [Int], error: Double) = ([], 0)
    var least = Self.windowCost(sigma: max(sigma.x, sigma.y), level: 0, width, height)
    // Extends a cascade by one level at a time; orders never fall, for coarser levels alias more.
    func extend(_ orders: [Int], _ error: Double, _ cost: Double) {
      let level = orders.count
      let ratio = smaller / Double(1 << (level + 1))
      for (order, constant, least) in Self.errors
      where order <= highestOrder && order >= orders.last ?? 0 && ratio >= least {
        let error = error + constant * pow(ratio, -Double(order))
        guard error <= Self.aliasingShare * bound else { continue }
        let cost = cost + Self.levelCost(order: order, level: level, width, height)
        extend(orders + [order], error, cost)
        consider(orders + [order], error, cost)
      }
    }
    func consider(_ orders: [Int], _ error: Double, _ cost: Double) {
      let scale = Double(1 << orders.count)
      let total =
        cost + Self.windowCost(sigma: max(sigma.x, sigma.y) / scale, level: orders.count, width, height)
      if total < least && (!isLocal || Self.reach(orders, smaller / scale, bound) <= 6 * smaller / scale) {
        (best, least) = ((orders, error), total)
      }
    }
    extend([], 0, 0)
    return (best.orders, best.error, least)
  }

  /// How far a pixel reaches, in pixels of the coarsest level: as resampling filters and window do together.
  private static func reach(_ orders: [Int], _ ratio: Double, _ bound: Double) -> Double {
    // Each level's filters have a variance of order / 4 pixels of its own, twice.
    let resampled = orders.reversed().enumerated().reduce(0) { sum, level in
      sum + Double(level.element) / 2 / Double(1 << (2 * level.offset + 2))
    }
    let deviations = (2 * log(10 / bound)).squareRoot()
    return deviations * max(0, ratio * ratio - resampled).squareRoot() + Double(orders.last!)
  }

  /// The operations of a cascade, and so many for each row that is begun: in small images these are the most.
  static func operations(
    _ orders: [Int], _ sigma: Sigma, _ width: Int, _ height: Int, ofRow: Double
  ) -> Double {
    var sum = 0.0
    for level in 0...orders.count {
      let rows = side(height, level)
      let isLast = level == orders.count
      let pixel =
        isLast ? windowPixel(max(sigma.x, sigma.y) / Double(1 << level)) : levelPixel(orders[level])
      sum += rows * (ofRow + side(width, level) * pixel)
    }
    return sum
  }

  /// Operations for halving and doubling a level, by count of the inner loops.
  private static func levelCost(order: Int, level: Int, _ width: Int, _ height: Int) -> Double {
    side(width, level) * side(height, level) * levelPixel(order)
  }

  /// Operations of the window at a level.
  private static func windowCost(sigma: Double, level: Int, _ width: Int, _ height: Int) -> Double {
    side(width, level) * side(height, level) * windowPixel(sigma)
  }

  private static func levelPixel(_ order: Int) -> Double { 4 + Double(order) }
  private static func windowPixel(_ sigma: Double) -> Double { 4 + 8 * sigma }

  /// Pixels of a side of a level, with those beyond the edges.
  private static func side(_ length: Int, _ level: Int) -> Double {
    Double(length) / Double(1 << level) + (level == 0 ? 0 : 8)
  }

  /// The window of the coarsest level, for one axis: half of it, from the centre on, not negative, sum 1,
  /// without the outer taps that weigh at most `tail` together.
  func window(sigma: Double, tail: Double) -> (half: [Double], leftOut: Double) {
    let scale = Double(1 << levels)
    let ratio = sigma / scale
    var samples = [Double](repeating: 0, count: Int((8 * ratio).rounded(.up)) + 8)
    // The integral of the spectrum over all frequencies that the coarsest level can hold.
    let frequencies = max(64, samples.count * 2)
    for k in 0..<frequencies {
      let frequency = (Double(k) + 0.5) / Double(frequencies) * Double.pi
      let value = remaining(sigma: sigma, frequency: frequency / scale)
      // cos(nω) from the two before it.
      var (before, current) = (cos(frequency), 1.0)
      for n in samples.indices {
        samples[n] += value * current
        (before, current) = (current, 2 * cos(frequency) * current - before)
      }
    }
    return GaussianTaps.cut(samples.map { max(0, $0) }, tail: tail)
  }

  /// The Gaussian's spectrum without those of the resampling filters, at a frequency in radians per pixel.
  private func remaining(sigma: Double, frequency: Double) -> Double {
    var resampling = 1.0
    for (level, order) in orders.enumerated() {
      resampling *= pow(cos(frequency * Double(1 << level) / 2), 2 * Double(order))
    }
    return exp(-sigma * sigma * frequency * frequency / 2) / resampling
  }
}
