// What an edge mode makes of windows longer than the image: the same result with less work.

extension EdgeMode {
  /// After how many pixels an axis of `count` repeats itself, nil where it does not.
  func period(_ count: Int) -> Int? {
    switch self {
    case .mirror: max(1, 2 * (count - 1))
    case .reflect: 2 * count
    case .wrap: count
    case .clamp, .constant: nil
    }
  }

  /// About the radius of the window that leaves out a bound's worth of a Gaussian, on an axis of `count`
  /// pixels.
  func radius(_ sigma: Double, _ bound: Double, _ count: Int) -> Double {
    min(GaussianTaps.radius(sigma, tail: bound), Double(longestRadius(count))).rounded(.up)
  }

  /// Taps beyond this distance read what a nearer one reads, whatever the output pixel.
  func longestRadius(_ count: Int) -> Int { max(1, period(count).map { $0 / 2 } ?? count) }
}

extension Sigma {
  /// From this many periods on a blur is the mean of a period, to e^(−2π² · 0.81), about 10⁻⁷ of full scale.
  static let periodsOfMean = 0.9

  /// The least sigmas with the same blur of an image.
  package func folded(_ edge: EdgeMode, _ layout: ImageLayout) -> Sigma {
    func folded(_ sigma: Double, _ count: Int) -> Double {
      edge.period(count).map { min(sigma, Self.periodsOfMean * Double($0)) } ?? sigma
    }
    // Sigmas only fall, and not below 0.
    return (try? Sigma(x: folded(x, layout.width), y: folded(y, layout.height))) ?? self
  }
}

extension GaussianTaps {
  /// The same blur of an axis of `count` pixels by a window that is no longer than the axis: weights of taps
  /// that always read the same pixel are added up.
  func folded(_ edge: EdgeMode, _ count: Int) -> GaussianTaps {
    let longest = edge.longestRadius(count)
    guard radius > longest else { return self }
    guard let period = edge.period(count) else {
      // Beyond the image all pixels are equal.
      return GaussianTaps(
        half: half[..<longest] + [half[longest...].reduce(0, +)], leftOut: leftOut)
    }
    var sums = [Double](repeating: 0, count: period)
    for distance in -radius...radius { sums[abs(distance) % period] += half[abs(distance)] }
    // The sums of distance d and of −d, which are the same.
    for distance in 1..<max(1, (period + 1) / 2) {
      sums[distance] = (sums[distance] + sums[period - distance]) / 2
    }
    // A tap half a period away reads the same pixel to the left and to the right; so does any tap of one
    // pixel.
    if period == 1 { return GaussianTaps(half: [0.5, 0.25], leftOut: leftOut) }
    if period % 2 == 0 { sums[period / 2] /= 2 }
    return GaussianTaps(half: Array(sums[...longest]), leftOut: leftOut)
  }
}
