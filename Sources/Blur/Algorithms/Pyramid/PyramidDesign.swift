/// The design of a pyramid, which makes a blur with a large sigma fast. A pyramid halves the size of the
/// image several times, blurs the small image with a short window, and doubles the size of the result as many
/// times.
///
/// The image and its smaller versions are called levels. Level 0 is the image, and each further level is half
/// as large as the previous one. Halving and doubling use binomial filters. Pixel i of a level lies at pixel
/// 2i of the previous level if the filter has an even order, and half a pixel before pixel 2i if the filter
/// has an odd order.
///
/// These filters also blur the image, so the window must blur less than the Gaussian does. The spectrum of
/// the window is the Gaussian's spectrum divided by the spectra of all these filters. Aliasing is then the
/// only error, apart from rounding.
struct PyramidDesign: Hashable, Sendable {
  /// The orders of the binomial filters, one for each halving. Doubling uses the same filters. Element 0 is
  /// the order of the filter that halves the image itself. For example, if there are two elements, the
  /// smallest level is a quarter as wide as the image.
  let orders: [Int]
  /// The largest error that aliasing can cause along one axis, as a fraction of full scale.
  let aliasing: Double
  /// Whether the first two halvings are combined into one step, and the last two doublings into another.
  let isQuartered: Bool
  /// The level of the result: 0 if the result is as large as the image, 1 if it is half as large, and 2 if it
  /// is a quarter as large.
  let resultLevel: Int

  /// The index of the image's first pixel along each axis. It is 0 if the result is as large as the image. In
  /// a smaller result, each pixel must lie at the centre of the block of image pixels that it covers. To
  /// achieve this, the index is above 0, and pixel i of the result is pixel i + 2 of its level. The first
  /// filter must then have an odd order.
  var shift: Int {
    resultLevel == 0 ? 0 : (1 << resultLevel) + (resultLevel == 2 && orders[1] & 1 == 0 ? 2 : 1)
  }

  var levels: Int { orders.count }

  /// The largest fraction of the error bound that aliasing along one axis may use. For example, with an error
  /// bound of 0.01, aliasing along each axis may cause an error of 0.0034.
  static let aliasingShare = 0.34

  /// The possible orders of the binomial filters, with the aliasing error that a filter can cause. The error
  /// is at most `constant` / ρⁿ for a filter of order n, if ρ is at least `least`. Here, ρ is sigma in pixels
  /// of the halved image. The constants were measured, and a test checks them.
  static let errors: [(order: Int, constant: Double, least: Double)] = [
    (2, 0.0355, 1.5), (3, 0.0134, 1.5), (4, 0.0063, 1.5), (5, 0.0037, 1.75),
    (6, 0.0026, 1.75), (8, 0.001, 2),
  ]

  /// The aliasing error of the first two halvings if they are done in one step. The filters have the orders 3
  /// and n, where n is `order`. The error is at most `constant` / ρⁿ if ρ is at least `least`. Here, ρ is
  /// sigma in pixels of level 2. There is a separate table, because adding the separate errors of the two
  /// halvings would overestimate their combined error.
  static let quarterErrors: [(order: Int, constant: Double, least: Double)] = [
    (2, 0.0175, 3), (3, 0.0095, 2),
  ]

  /// The largest change in a blurred pixel when a tap of the window moves by one pixel of the smallest level,
  /// relative to the weight of the tap. Pixel values range from 0 to 1. The key is the order of the filter
  /// that doubles the smallest level. For example, with order 2, moving a tap of weight 0.01 changes a pixel
  /// by at most 0.0075.
  ///
  /// A test checks these values.
  static let moves = [
    2: 0.75, 3: 0.59375, 4: 0.515625, 5: 0.4609375, 6: 0.4238281, 8: 0.3720093,
  ]

  init(orders: [Int], aliasing: Double, isQuartered: Bool = false, resultLevel: Int = 0) {
    (self.orders, self.aliasing, self.isQuartered) = (orders, aliasing, isQuartered)
    self.resultLevel = resultLevel
  }

  /// Finds the cheapest pyramid whose error is at most `bound`. If no pyramid is cheaper than `limit`, the
  /// result has no levels.
  ///
  /// - Parameters:
  ///   - limits: Limits for the aliasing error. If `limits` contains a value for the key n, the aliasing
  ///     error of a pyramid with n levels must be smaller than this value.
  ///   - highestOrder: The highest order that a binomial filter may have.
  ///   - isLocal: Whether each output pixel may depend only on pixels that are at most six sigma away.
  ///   - limit: The pyramid must cost less than this.
  init(
    sigma: Sigma, bound: Double, limits: [Int: Double] = [:], highestOrder: Int, isLocal: Bool,
    _ costs: PyramidCosts, _ limit: Cost
  ) {
    let ratio = min(sigma.x, sigma.y) / Self.errors.reduce(.infinity) { min($0, $1.least) }
    let windows = ratio >= 2 ? costs.leastWindows(levels: ratio.exponent) : []
    var search = Search(
      sigma: sigma, bound: bound, limits: limits, highestOrder: highestOrder, isLocal: isLocal,
      costs: costs, leastWindow: windows.map { costs.constants.work($0) }.min() ?? 0,
      leastWindows: windows.map { costs.constants.work($0) - $0.partials * costs.constants.partial },
      least: costs.constants.work(limit))
    search.extend(error: 0, cost: 0)
    search.quarter()
    self = search.best
  }

  /// A search for the cheapest pyramid. The search tries different orders of the binomial filters, one order
  /// for each halving. If the first few filters already cost more than the best pyramid so far, the search
  /// skips all pyramids that begin with these filters.
  private struct Search {
    let sigma: Sigma, bound: Double, limits: [Int: Double], highestOrder: Int, isLocal: Bool
    let costs: PyramidCosts
    /// A lower limit for the time that it takes to blur the smallest level, in nanoseconds.
    let leastWindow: Double
    /// Lower limits for the time that it takes to blur the smallest level, in nanoseconds, for pyramids with
    /// 1, 2, … levels. The additional time for loading incomplete vectors is not counted.
    let leastWindows: [Double]
    /// The estimated time of the best pyramid so far, in nanoseconds. A new pyramid must be faster than this.
    /// At the start of the search, the value is the estimated time for the cost `limit`.
    var least: Double
    fileprivate var best = PyramidDesign(orders: [], aliasing: 0)
    fileprivate var orders: [Int] = []
    /// Whether a single step applies the first two filters in `orders`.
    fileprivate var isQuartered = false

    /// Tries all pyramids that begin with the filters in `orders` and have at least one more filter. To do
    /// so, the method appends each possible filter and calls itself. The new filter never has a lower order
    /// than the last one, because halving a smaller image causes more aliasing.
    ///
    /// - Parameters:
    ///   - error: The aliasing error of the filters in `orders`.
    ///   - cost: The time for halving and doubling with these filters, in nanoseconds.
    mutating func extend(error: Double, cost: Double) {
      let level = orders.count
      let ratio = min(sigma.x, sigma.y) / Double(1 << (level + 1))
      for (order, constant, leastRatio) in errors
      where order <= highestOrder && order >= orders.last ?? 0 && ratio >= leastRatio {
        // If the result is smaller than the image, the first order must be odd; see ``shift``. For halving
        // and doubling, the steps that read or write bytes support only the orders 3 and 4.
        if level == 0 && (costs.resultLevel > 0 && order & 1 == 0 || costs.hasByteSteps && order == 2) {
          continue
        }
        let cost = cost + costs.constants.work(costs.level(level, order))
        // If this order is already too expensive, stop here. The remaining orders are higher, and cost even
        // more.
        guard cost + leastWindow < least else { return }
        let error = error + Self.error(order, constant, ratio)
        guard error <= aliasingShare * bound else { continue }
        orders.append(order)
        consider(error, cost)
        extend(error: error, cost: cost)
        orders.removeLast()
      }
    }

    /// Tries all pyramids that do the first two halvings in one step.
    fileprivate mutating func quarter() {
      guard costs.canQuarter else { return }
      isQuartered = true
      let ratio = min(sigma.x, sigma.y) / 4
      for (order, constant, leastRatio) in quarterErrors where ratio >= leastRatio {
        let error = Self.error(order, constant, ratio)
        let cost = costs.constants.work(costs.quarter(order))
        guard cost < least, error <= aliasingShare * bound, costs.resultLevel == 0 || order > 2 else {
          continue
        }
        orders = [3, order]
        consider(error, cost)
        extend(error: error, cost: cost)
      }
    }

    private static func error(_ order: Int, _ constant: Double, _ ratio: Double) -> Double {
      constant * (0..<order).reduce(1) { power, _ in power / ratio }
    }

    private mutating func consider(_ error: Double, _ cost: Double) {
      guard orders.count >= costs.resultLevel else { return }
      // Most pyramids can be rejected by this lower limit, which is faster to compute than the cost of the
      // whole blur. The factor allows for rounding errors.
      guard (cost + leastWindows[orders.count - 1]) * 0.999999 < least else { return }
      let design = PyramidDesign(
        orders: orders, aliasing: error, isQuartered: isQuartered, resultLevel: costs.resultLevel)
      let total = costs.constants.work(costs.all(design))
      guard total < least, error < limits[orders.count] ?? .infinity else { return }
      if !isLocal || design.isLocal(sigma, bound, isFolded: costs.isFolded) {
        (best, least) = (design, total)
      }
    }
  }

  /// Returns whether each output pixel depends only on pixels that are at most six sigma away. The window of
  /// the exact Gaussian ends at this distance.
  ///
  /// - Parameter isFolded: Whether the smallest level is blurred with ``PeriodicWeights``.
  fileprivate func isLocal(_ sigma: Sigma, _ bound: Double, isFolded: Bool) -> Bool {
    // If sigma is at least 12 pixels of the smallest level, the result is always true: the window reaches
    // less than five sigma, and the combined reach of the filters for halving and doubling is less than one
    // sigma.
    if min(sigma.x, sigma.y) >= Double(12 << levels) { return true }
    let room = room(bound, .float)
    guard room > 0 else { return false }
    // The combined reach of all filters for halving and doubling, in pixels of the image. A filter of order n
    // reaches n / 2 pixels of its level when it halves the level, and another n / 2 pixels when it doubles
    // the level. A pixel of level l is as wide as 2ˡ pixels of the image.
    let resampling = orders.enumerated().reduce(0) { $0 + $1.element << $1.offset }
    func isLocal(_ radius: Int, _ sigma: Double) -> Bool {
      // With `PeriodicWeights`, a window can reach one pixel farther.
      resampling + (isFolded ? radius + 1 : radius) << levels <= Int((6 * sigma).rounded(.up))
    }
    // The window blurs less than the Gaussian, so it is not longer than a window of the Gaussian would be. In
    // most cases, even a window of the Gaussian is short enough, and the real window need not be computed.
    func longest(_ sigma: Double) -> Int {
      Int((GaussianTaps.radius(sigma, tail: Self.shortening * room) / Double(1 << levels)).rounded(.up))
    }
    if isLocal(longest(sigma.x), sigma.x) && isLocal(longest(sigma.y), sigma.y) { return true }
    guard let window = shortestWindow(sigma: sigma, room: room, .float) else { return false }
    return isLocal(window.across.count - 1, sigma.x) && isLocal(window.down.count - 1, sigma.y)
  }

  /// The fraction of the allowed error that may be spent on shortening the window along each axis, if the
  /// window has weights in single precision.
  private static let shortening = 0.48

  /// Returns the largest error that the blur window may cause. It is what remains of the error bound after
  /// the errors from aliasing and from rounding have been subtracted.
  ///
  /// - Parameters:
  ///   - bound: The largest error that the whole blur may have, as a fraction of full scale.
  ///   - gain: The factor by which the window can enlarge errors that come from halving the image.
  func room(_ bound: Double, _ arithmetic: Arithmetic, gain: Double = 1) -> Double {
    0.98 * bound - 2 * aliasing - arithmetic.rounding(levels: levels, gain: gain)
  }

  /// Returns the shortest window that blurs the smallest level along both axes. In integer arithmetic, its
  /// weights are also rounded to integers. The result is nil if the error from shortening and rounding would
  /// exceed `room`.
  ///
  /// - Parameters:
  ///   - sigma: The sigma of the whole blur, in pixels of the image.
  ///   - room: The largest error that the window may cause, as a fraction of full scale.
  func shortestWindow(sigma: Sigma, room: Double, _ arithmetic: Arithmetic) -> BlurWindow? {
    let wholeAcross = WindowSpectrum(self, sigma.x).half()
    let wholeDown = sigma.x == sigma.y ? wholeAcross : WindowSpectrum(self, sigma.y).half()
    // `share` is the fraction of the allowed error that may be spent on shortening the window along each
    // axis. The rest must be enough for rounding the weights to integers. If it is not, the next smaller
    // share is tried.
    for share in arithmetic.isFixed ? [0.45, 0.3, 0.15] : [Self.shortening] {
      let across = shortened(wholeAcross, error: share * room)
      let down = sigma.x == sigma.y ? across : shortened(wholeDown, error: share * room)
      guard arithmetic.isFixed else { return BlurWindow(across: across.half, down: down.half) }
      guard let window = BlurWindow(across: across.half, down: down.half, arithmetic) else { return nil }
      if across.error + down.error + window.error <= room { return window }
    }
    return nil
  }

  /// Makes a window as short as possible. The weights that are cut off are added to the last weight that
  /// remains, because this changes the result less than dropping them. Returns the weights from the centre to
  /// one side, and the largest change that this causes in a blurred pixel if all pixels lie between 0 and 1.
  ///
  /// - Parameter allowed: The largest change that is allowed.
  private func shortened(_ window: [Double], error allowed: Double) -> (half: [Double], error: Double) {
    let (radius, error) = shortestRadius(window, error: allowed)
    let sum = window[0] + 2 * window.dropFirst().reduce(0, +)
    return (Self.shortened(window, to: radius + 1).map { $0 / sum }, error)
  }

  /// Returns the smallest radius to which a window can be shortened, and the largest change that this causes
  /// in a blurred pixel, if the weights that are cut off are added to the last weight that remains.
  ///
  /// - Parameter allowed: The largest change that is allowed, if all pixels lie between 0 and 1.
  private func shortestRadius(
    _ window: [Double], error allowed: Double
  ) -> (radius: Int, error: Double) {
    let move = levels > resultLevel ? orders.last.flatMap { Self.moves[$0] } ?? 1 : 1
    return GaussianTaps.shortest(window, error: allowed, move: move)
  }

  /// Returns the smallest radius of a window with weights in single precision.
  ///
  /// - Parameters:
  ///   - window: The weights from the centre of the window to one side.
  ///   - room: The largest error that the windows along both axes may cause, as a fraction of full scale.
  func radius(_ window: [Double], room: Double) -> Int {
    shortestRadius(window, error: Self.shortening * room).radius
  }

  /// Shortens a list of weights to its first `count` elements. The weights of all further elements are added
  /// to the last element that remains.
  static func shortened(_ taps: [Double], to count: Int) -> [Double] {
    taps[..<(count - 1)] + [taps[(count - 1)...].reduce(0, +)]
  }
}
