/// The design of a pyramid. A pyramid blurs in three steps: it downsamples the image by two several times,
/// blurs the small image with a small window, and upsamples it again.
///
/// Downsampling and upsampling use binomial filters, which are similar to B-splines. Level 0 is the image,
/// and level l + 1 is half as large as level l. Pixel i of level l + 1 lies at the position of pixel 2i of
/// level l, or half a pixel before it if the filter has an odd order.
///
/// The resampling filters blur the image, too, so the window must not be the Gaussian itself. The spectrum of
/// the window is the spectrum of the Gaussian divided by the spectra of all resampling filters. Apart from
/// rounding, the only error that is left is aliasing.
struct PyramidDesign: Hashable, Sendable {
  /// The orders of the binomial filters, one for each halving of the image. Element 0 is the order with which
  /// level 0 is downsampled to level 1 and level 1 is upsampled to level 0, and so on.
  let orders: [Int]
  /// The largest error that aliasing can cause along one axis, as a fraction of full scale.
  let aliasing: Double

  var levels: Int { orders.count }

  /// The largest aliasing error along one axis that a design may have, as a fraction of the error bound. The
  /// error bound is for both axes together.
  static let aliasingShare = 0.34

  /// The orders that resampling filters may have, each with an upper bound for its aliasing error. A filter
  /// of order n causes an error of at most cₙ · ρ⁻ⁿ, where cₙ is `constant`, and ρ is sigma in pixels of the
  /// smaller image. This bound holds only if ρ is at least `least`. The constants are measured worst cases,
  /// and a test measures them again.
  static let errors: [(order: Int, constant: Double, least: Double)] = [
    (2, 0.0355, 1.5), (3, 0.0134, 1.5), (4, 0.0063, 1.5), (5, 0.0037, 1.75),
    (6, 0.0026, 1.75), (8, 0.001, 2),
  ]

  /// A table of the largest change of the result if a tap of the blur window moves by one pixel of the
  /// coarsest level, as a fraction of the tap's weight. The table has one value for each order of the
  /// resampling filters between the coarsest level and the next finer level. All values are below 1, because
  /// these filters spread each tap over several pixels.
  ///
  /// The change of an output pixel is half the sum of the absolute differences between its weights before and
  /// after the move. A test computes this table again and compares.
  static let moves = [
    2: 0.75, 3: 0.59375, 4: 0.515625, 5: 0.4609375, 6: 0.4238281, 8: 0.3720093,
  ]

  init(orders: [Int], aliasing: Double) {
    self.orders = orders
    self.aliasing = aliasing
  }

  /// Finds the cheapest pyramid whose error stays within `bound`. If every pyramid costs at least `limit`,
  /// the design has no levels.
  ///
  /// - Parameters:
  ///   - limits: For some numbers of levels, a limit for the aliasing error. A pyramid with this number of
  ///     levels must have a smaller aliasing error.
  ///   - isLocal: Whether an output pixel must depend only on pixels that are at most six sigma away, which
  ///     is the radius of the exact Gaussian's window.
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

  /// A search through all pyramids, each of which is given by the orders of its resampling filters. It skips
  /// a pyramid as soon as its first levels cost more than the best pyramid so far.
  private struct Search {
    let sigma: Sigma, bound: Double, limits: [Int: Double], highestOrder: Int, isLocal: Bool
    let costs: PyramidCosts
    /// The time of the best pyramid so far, in nanoseconds.
    var least: Double
    fileprivate var best: (orders: [Int], error: Double) = ([], 0)
    fileprivate var orders: [Int] = []

    /// Tries all pyramids that begin with the levels in `orders` and have at least one more level. It adds a
    /// level with each possible order, and then calls itself to add further levels. The order never decreases
    /// from one level to the next, because coarser levels cause more aliasing.
    mutating func extend(error: Double, cost: Double) {
      let level = orders.count
      let ratio = min(sigma.x, sigma.y) / Double(1 << (level + 1))
      for (order, constant, leastRatio) in errors
      where order <= highestOrder && order >= orders.last ?? 0 && ratio >= leastRatio {
        let cost = cost + costs.constants.work(costs.level(level, order))
        // All pyramids that this loop has not tried yet cost even more, because they have a higher order or
        // more levels.
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

  /// Returns whether every output pixel depends only on pixels that are at most six sigma away, which is the
  /// radius of the exact Gaussian's window.
  fileprivate func isLocal(_ sigma: Sigma, _ bound: Double, isFolded: Bool) -> Bool {
    // If sigma is at least 12 pixels of the coarsest level, every output pixel depends only on pixels within
    // six sigma. The blur window reaches less than five sigma. The resampling filters together reach less
    // than 12 pixels of the coarsest level, and so less than one sigma.
    if min(sigma.x, sigma.y) >= Double(12 << levels) { return true }
    let room = PyramidWindows.room(self, bound, .float)
    guard room > 0, let windows = PyramidWindows(self, sigma, room, .float, isOfBytes: false) else {
      return false
    }
    // A binomial filter of order n reaches n / 2 pixels to each side. On each level, the image is filtered
    // twice, once for downsampling and once for upsampling. Together, both filters reach n pixels of this
    // level.
    let resampling = orders.enumerated().reduce(0) { $0 + $1.element << $1.offset }
    return [(windows.across, sigma.x), (windows.down, sigma.y)].allSatisfy { window, sigma in
      // The taps include the centre, so the radius is one less than their number. With folded weights (see
      // `PeriodicWeights`), the centre of the window can lie between two pixels. The window can then reach
      // one pixel farther.
      let radius = window.count - (isFolded ? 0 : 1)
      return resampling + radius << levels <= Int((6 * sigma).rounded(.up))
    }
  }

  /// Returns the right half of the window that blurs the coarsest level along one axis, starting at the
  /// centre. No weight is negative, but the sum of the weights is not normalised.
  ///
  /// - Parameter offset: The distance from the centre to the first weight, in pixels of the coarsest level.
  ///   The other weights follow at a distance of one pixel each.
  func window(sigma: Double, offset: Double = 0) -> [Double] {
    let ratio = sigma / Double(1 << levels)
    var sums = [SIMD4<Double>](repeating: .zero, count: Int((8 * ratio).rounded(.up)) + 8)
    // The window is the integral of its spectrum over all frequencies that the coarsest level can represent.
    // The integral is computed as a sum, with four frequencies at a time in the lanes of a vector.
    let frequencies = max(64, (sums.count + 1) / 2 * 4)
    let step = Double.pi / Double(frequencies)
    for k in stride(from: 0, to: frequencies, by: 4) {
      let frequency = (SIMD4(0, 1, 2, 3) + (Double(k) + 0.5)) * step
      let cosine = SIMD4<Double>(.cos(frequency.x), .cos(frequency.y), .cos(frequency.z), .cos(frequency.w))
      let value = remaining(ratio * frequency, cosine)
      // The cosine for each tap is computed from the cosines for the two taps before it, because a call of
      // `cos` would be slow.
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

  /// Shortens a window as far as `allowed` permits, by adding the weights of its outermost taps to the last
  /// remaining tap. Returns the right half of the shorter window, and the largest change of the result that
  /// shortening can cause if all samples lie between 0 and 1.
  ///
  /// Simply dropping the outermost taps would change the result more. Moving their weights by a few pixels
  /// changes it only a little, because the resampling filters spread each tap over several pixels.
  ///
  /// - Parameter allowed: The largest change that is allowed.
  func shortened(_ window: [Double], error allowed: Double) -> (half: [Double], error: Double) {
    let move = orders.last.flatMap { Self.moves[$0] } ?? 1
    let (radius, error) = GaussianTaps.shortest(window, error: allowed, move: move)
    let sum = window[0] + 2 * window.dropFirst().reduce(0, +)
    return (Self.shortened(window, to: radius + 1).map { $0 / sum }, error)
  }

  /// Returns the first `count` taps. The weights of all further taps are added to the last of these taps.
  static func shortened(_ taps: [Double], to count: Int) -> [Double] {
    taps[..<(count - 1)] + [taps[(count - 1)...].reduce(0, +)]
  }

  /// Returns the spectrum of the blur window at four frequencies. It is the spectrum of the Gaussian, divided
  /// by the spectra of all resampling filters, because these filters blur the image, too.
  ///
  /// - Parameters:
  ///   - phase: Each frequency multiplied by sigma. The frequency is in radians per pixel of the coarsest
  ///     level, and sigma is in pixels of this level.
  ///   - cosine: The cosines of the frequencies.
  private func remaining(_ phase: SIMD4<Double>, _ cosine: SIMD4<Double>) -> SIMD4<Double> {
    let exponent = phase * phase * -0.5
    var value = SIMD4<Double>(.exp(exponent.x), .exp(exponent.y), .exp(exponent.z), .exp(exponent.w))
    var cosine = cosine
    // The loop goes from the coarsest level to the image. In each step, `cosine` becomes the cosine of the
    // frequency ω in pixels of the next finer level, where frequencies are half as large. The binomial filter
    // of order n between the two levels has the spectrum cosⁿ(ω/2), and cos²(ω/2) is (1 + cos ω) / 2. This
    // filter is used twice, for downsampling and for upsampling.
    for order in orders.reversed() {
      cosine = ((1 + cosine) / 2).squareRoot()
      let square = (1 + cosine) / 2
      for _ in 0..<order { value /= square }
    }
    return value
  }
}
