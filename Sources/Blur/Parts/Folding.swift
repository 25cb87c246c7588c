// If the window of a blur is longer than the image, several of its weights belong to the same pixel, because
// the edge mode repeats pixels. The functions in this file replace such a window by a shorter window that
// gives the same result with less work.

extension EdgeMode {
  /// Returns the period with which this edge mode repeats an axis of `count` pixels. The period is the number
  /// of pixels after which the repeated image begins again. Returns nil for `clamp` and `constant`, which do
  /// not repeat the image.
  func period(_ count: Int) -> Int? {
    switch self {
    case .mirror: max(1, 2 * (count - 1))
    case .reflect: 2 * count
    case .wrap: count
    case .clamp, .constant: nil
    }
  }

  /// Returns the approximate radius of the window that is needed to blur an axis of `count` pixels. The
  /// result never exceeds the largest radius that is useful in this edge mode.
  ///
  /// - Parameter bound: The largest fraction of the Gaussian's weight that the window may leave out.
  func radius(_ sigma: Double, _ bound: Double, _ count: Int) -> Double {
    min(GaussianTaps.radius(sigma, tail: bound), Double(longestRadius(count))).rounded(.up)
  }

  /// Returns the largest radius that is useful for a window on an axis of `count` pixels. A longer window
  /// would not read any other pixels: because of the edge mode, each tap beyond this radius reads a pixel
  /// that a nearer tap also reads.
  func longestRadius(_ count: Int) -> Int { max(1, period(count).map { $0 / 2 } ?? count) }
}

extension Sigma {
  /// The smallest sigma at which a blur turns every pixel into the mean of the image, as a multiple of the
  /// period. The period is the number of pixels after which the edge mode repeats the image. At this sigma,
  /// the difference between the blur and the mean is e^(−2π² · 0.9²), which is about 10⁻⁷ of full scale.
  static let periodsOfMean = 0.9

  /// Returns the smallest sigmas that blur images of this layout in the same way as these sigmas. Only edge
  /// modes that repeat the image allow a smaller sigma: every sufficiently large sigma then turns each pixel
  /// into the same mean, so a large sigma can be replaced by a smaller one.
  package func folded(_ edge: EdgeMode, _ layout: ImageLayout) -> Sigma {
    func folded(_ sigma: Double, _ count: Int) -> Double {
      edge.period(count).map { min(sigma, Self.periodsOfMean * Double($0)) } ?? sigma
    }
    // `Sigma` throws an error for invalid values. The values here are valid, because each of them is either
    // the old value or a smaller positive one.
    return (try? Sigma(x: folded(x, layout.width), y: folded(y, layout.height))) ?? self
  }
}

extension GaussianTaps {
  /// Returns a window that gives the same result on an axis of `count` pixels, but is not longer than
  /// necessary. On a short axis, the edge mode can make several taps read the same pixel. The returned window
  /// combines such taps into a single tap, whose weight is the sum of their weights.
  func folded(_ edge: EdgeMode, _ count: Int) -> GaussianTaps {
    let longest = edge.longestRadius(count)
    guard radius > longest else { return self }
    guard let period = edge.period(count) else {
      // In the edge modes `clamp` and `constant`, all pixels beyond an edge are equal. Therefore one tap can
      // take the weights of all taps that are farther away.
      return GaussianTaps(
        half: half[..<longest] + [half[longest...].reduce(0, +)], leftOut: leftOut)
    }
    var sums = [Double](repeating: 0, count: period)
    for distance in -radius...radius { sums[abs(distance) % period] += half[abs(distance)] }
    // After this loop, the window is symmetric. `sums[distance]` is the total weight of the pixel that lies
    // `distance` pixels after the centre. `sums[period - distance]` is the total weight of the pixel that
    // lies equally far before the centre. Without rounding errors, both sums would be equal, so they are
    // replaced by their mean.
    for distance in 1..<max(1, (period + 1) / 2) {
      sums[distance] = (sums[distance] + sums[period - distance]) / 2
    }
    // The period is the number of pixels after which the image repeats. If it is even, the pixel half a
    // period before the centre is the same as the pixel half a period after it. Each of the two taps gets
    // half of the total weight. If the period is 1, all taps read the same pixel, so any weights with the sum
    // 1 will do.
    if period == 1 { return GaussianTaps(half: [0.5, 0.25], leftOut: leftOut) }
    if period % 2 == 0 { sums[period / 2] /= 2 }
    return GaussianTaps(half: Array(sums[...longest]), leftOut: leftOut)
  }
}
