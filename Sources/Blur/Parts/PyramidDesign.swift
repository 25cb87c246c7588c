/// The design of a pyramid, which makes a blur with a large sigma fast. A pyramid halves the size of the
/// image several times, blurs the small image with a short window, and doubles its size again.
///
/// The image and its smaller versions are called levels. Level 0 is the image, and each further level is half
/// as large as the one before. The filters for halving and doubling are binomial filters, which are similar
/// to B-splines. Pixel i of a level lies at pixel 2i of the level before. If the filter has an odd order, it
/// lies half a pixel before that.
///
/// Because these filters blur the image as well, the window must blur less than the Gaussian does. Its
/// spectrum is the Gaussian's spectrum divided by the spectra of all these filters. Aliasing is then the only
/// error, apart from rounding.
struct PyramidDesign: Hashable, Sendable {
  /// The orders of the binomial filters that halve the image, one for each halving. The same orders are used
  /// for doubling the size again. Element 0 is for the image itself. For example, two elements mean that the
  /// smallest image has a quarter of the image's width.
  let orders: [Int]
  /// The largest error that aliasing can cause along one axis, as a fraction of full scale.
  let aliasing: Double

  var levels: Int { orders.count }

  /// The largest part of the error bound that aliasing along one axis may use up. With an error bound of
  /// 0.01, aliasing may cause an error of 0.0034 along each axis.
  static let aliasingShare = 0.34

  /// The possible orders of the binomial filters that halve the image, and the aliasing errors that they
  /// cause. The error of a filter of order n is at most `constant` · ρ⁻ⁿ, where ρ is sigma in pixels of the
  /// smaller image. This is true only if ρ is at least `least`. The constants are measured worst cases, and a
  /// test measures them again.
  static let errors: [(order: Int, constant: Double, least: Double)] = [
    (2, 0.0355, 1.5), (3, 0.0134, 1.5), (4, 0.0063, 1.5), (5, 0.0037, 1.75),
    (6, 0.0026, 1.75), (8, 0.001, 2),
  ]

  /// How much a blurred pixel can change if a tap of the window moves to the neighbouring pixel of the
  /// smallest image, as a fraction of the tap's weight. For example, with a filter of order 2, moving a tap
  /// of weight 0.01 changes the result by at most 0.0075. The key is the order of the binomial filter that
  /// doubles the size of the smallest image. The values are below 1, because the filters spread each tap over
  /// several pixels.
  ///
  /// The change is half the sum of the absolute differences between the weights of a pixel before and after
  /// the move. A test computes the table again.
  static let moves = [
    2: 0.75, 3: 0.59375, 4: 0.515625, 5: 0.4609375, 6: 0.4238281, 8: 0.3720093,
  ]

  init(orders: [Int], aliasing: Double) {
    self.orders = orders
    self.aliasing = aliasing
  }

  /// Finds the cheapest pyramid whose error is at most `bound`. If no pyramid is cheaper than `limit`, the
  /// result has no levels.
  ///
  /// - Parameters:
  ///   - limits: Limits for the aliasing error. A pyramid with n levels must have an aliasing error below
  ///     `limits[n]`, if there is such an element.
  ///   - highestOrder: The highest order that a binomial filter may have.
  ///   - isLocal: Whether an output pixel must not depend on pixels that are more than six sigma away, where
  ///     the window of the exact Gaussian ends.
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

  /// A search for the cheapest pyramid. A pyramid is given by the orders of its binomial filters, one for
  /// each halving of the image. As soon as the first halvings cost more than the best pyramid so far, the
  /// search skips all pyramids that begin with them.
  private struct Search {
    let sigma: Sigma, bound: Double, limits: [Int: Double], highestOrder: Int, isLocal: Bool
    let costs: PyramidCosts
    /// The estimated time of the best pyramid so far, in nanoseconds. At first, it is the time that a pyramid
    /// must stay below.
    var least: Double
    fileprivate var best: (orders: [Int], error: Double) = ([], 0)
    fileprivate var orders: [Int] = []

    /// Tries all pyramids that begin with the filters in `orders` and halve the image at least once more. The
    /// method appends one filter, trying each possible order, and then calls itself to append more. No filter
    /// has a lower order than the one before, because halving a smaller image causes more aliasing.
    ///
    /// - Parameters:
    ///   - error: The aliasing error of the filters in `orders`.
    ///   - cost: The time for halving and doubling with these filters, in nanoseconds.
    mutating func extend(error: Double, cost: Double) {
      let level = orders.count
      let ratio = min(sigma.x, sigma.y) / Double(1 << (level + 1))
      for (order, constant, leastRatio) in errors
      where order <= highestOrder && order >= orders.last ?? 0 && ratio >= leastRatio {
        let cost = cost + costs.constants.work(costs.level(level, order))
        // If this order is already too expensive, the search can stop here, because the remaining iterations
        // try higher orders, which cost even more.
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

  /// Returns whether no output pixel depends on pixels that are more than six sigma away, where the window of
  /// the exact Gaussian ends.
  ///
  /// - Parameter isFolded: Whether each output pixel has its own weights, which account for the repetitions
  ///   of the image. See ``PeriodicWeights``.
  fileprivate func isLocal(_ sigma: Sigma, _ bound: Double, isFolded: Bool) -> Bool {
    // A sigma of at least 12 pixels of the smallest image is always large enough. The window reaches less
    // than five sigma. The filters for halving and doubling together reach less than 12 pixels of the
    // smallest image, which is at most one sigma. The sum is less than six sigma.
    if min(sigma.x, sigma.y) >= Double(12 << levels) { return true }
    let room = PyramidWindows.room(self, bound, .float)
    guard room > 0, let windows = PyramidWindows(self, sigma, room, .float, isOfBytes: false) else {
      return false
    }
    // `resampling` is how far the filters for halving and doubling reach, in pixels of the image. A filter of
    // order n reaches n / 2 pixels to each side. It is used twice, once for halving and once for doubling, so
    // it reaches n pixels of its level. One pixel of level l is as wide as 2ˡ pixels of the image.
    let resampling = orders.enumerated().reduce(0) { $0 + $1.element << $1.offset }
    return [(windows.across, sigma.x), (windows.down, sigma.y)].allSatisfy { window, sigma in
      // `window` contains the weight of the centre, so it has one element more than the radius. If each
      // output pixel has its own weights (see `PeriodicWeights`), the centre can lie between two pixels. The
      // window can then reach one pixel farther.
      let radius = window.count - (isFolded ? 0 : 1)
      return resampling + radius << levels <= Int((6 * sigma).rounded(.up))
    }
  }

  /// Returns the weights of the window that blurs the smallest image along one axis. The window is symmetric,
  /// so only the weights from the centre to one side are returned. None is negative. Their sum is arbitrary,
  /// so the caller must scale them.
  ///
  /// - Parameters:
  ///   - sigma: The sigma of the whole blur, in pixels of the image.
  ///   - offset: The distance from the centre of the window to the first weight, in pixels of the smallest
  ///     image. Each further weight is one pixel farther away.
  func window(sigma: Double, offset: Double = 0) -> [Double] {
    let ratio = sigma / Double(1 << levels)
    var sums = [SIMD4<Double>](repeating: .zero, count: Int((8 * ratio).rounded(.up)) + 8)
    // The weights are computed from the spectrum of the window, by an integral over all frequencies that the
    // smallest image can represent. The integral is approximated by a sum over this number of frequencies.
    // Four of them are computed at a time, in one vector.
    let frequencies = max(64, (sums.count + 1) / 2 * 4)
    let step = Double.pi / Double(frequencies)
    for k in stride(from: 0, to: frequencies, by: 4) {
      let frequency = (SIMD4(0, 1, 2, 3) + (Double(k) + 0.5)) * step
      let cosine = SIMD4<Double>(.cos(frequency.x), .cos(frequency.y), .cos(frequency.z), .cos(frequency.w))
      let value = remaining(ratio * frequency, cosine)
      // `current` is the cosine of the frequency times the distance of a tap. The cosine for the next tap
      // follows from the last two cosines, by cos(a + b) = 2 cos a cos b − cos(a − b). Calling `cos` for each
      // tap would be slow.
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

  /// Makes a window as short as possible, by adding the weights of its outermost taps to the last tap that
  /// remains. Returns the weights from the centre to one side, and the largest change that a blurred pixel
  /// can undergo if all pixels lie between 0 and 1.
  ///
  /// Dropping the outermost weights would change the result more than moving them by a few pixels. Moving
  /// them changes little, because the filters that double the image again spread each tap over several
  /// pixels.
  ///
  /// - Parameter allowed: The largest change that is allowed.
  func shortened(_ window: [Double], error allowed: Double) -> (half: [Double], error: Double) {
    let move = orders.last.flatMap { Self.moves[$0] } ?? 1
    let (radius, error) = GaussianTaps.shortest(window, error: allowed, move: move)
    let sum = window[0] + 2 * window.dropFirst().reduce(0, +)
    return (Self.shortened(window, to: radius + 1).map { $0 / sum }, error)
  }

  /// Shortens a list of weights to its first `count` elements. The weights of all further elements are added
  /// to the last element that remains.
  static func shortened(_ taps: [Double], to count: Int) -> [Double] {
    taps[..<(count - 1)] + [taps[(count - 1)...].reduce(0, +)]
  }

  /// Returns the spectrum that the window must have, at four frequencies. It is the spectrum of the Gaussian
  /// divided by the spectra of the filters that halve and double the image, because these filters blur the
  /// image as well.
  ///
  /// - Parameters:
  ///   - phase: The frequencies multiplied by sigma. Frequencies are in radians per pixel of the smallest
  ///     image, and sigma is in pixels of this image.
  ///   - cosine: The cosines of the frequencies.
  private func remaining(_ phase: SIMD4<Double>, _ cosine: SIMD4<Double>) -> SIMD4<Double> {
    let exponent = phase * phase * -0.5
    var value = SIMD4<Double>(.exp(exponent.x), .exp(exponent.y), .exp(exponent.z), .exp(exponent.w))
    var cosine = cosine
    // The loop divides by the spectrum of one filter at a time. The filter of order n between two levels has
    // the spectrum cosⁿ(ω/2), where ω is the frequency in radians per pixel of the larger level. It is used
    // for halving and for doubling, so the loop divides by cos²(ω/2) n times. This square is (1 + cos ω) / 2.
    //
    // The loop begins with the smallest image. At the next larger level, ω is half as large, and `cosine` is
    // updated for this.
    for order in orders.reversed() {
      cosine = ((1 + cosine) / 2).squareRoot()
      let square = (1 + cosine) / 2
      for _ in 0..<order { value /= square }
    }
    return value
  }
}
