// If the window of a blur is longer than the image, the window reads some pixels several times, with
// different weights, because the edge mode repeats pixels. The functions in this file replace such a window
// with a shorter window that gives the same result with less work.

extension EdgeMode {
  /// Returns the number of pixels after which this edge mode repeats an axis of `count` pixels. Returns nil
  /// for `clamp` and `constant`, which do not repeat the image.
  func period(_ count: Int) -> Int? {
    switch self {
    case .mirror: max(1, 2 * (count - 1))
    case .reflect: 2 * count
    case .wrap: count
    case .clamp, .constant: nil
    }
  }

  /// Returns a range of positions on an axis of `count` pixels. All pixels before the range are equal to its
  /// first pixel, and all pixels after it are equal to its last. Returns nil if the edge mode repeats the
  /// image, because no such range exists then.
  func steady(_ count: Int) -> Range<Int>? {
    switch self {
    case .clamp: 0..<count
    case .constant: -1..<count + 1
    case .mirror, .reflect, .wrap: nil
    }
  }

  /// Returns the approximate radius of the window for blurring an axis of `count` pixels. The radius is at
  /// most ``longestRadius(_:)``.
  ///
  /// - Parameter bound: The largest fraction of the Gaussian's weight that the window may leave out.
  func radius(_ sigma: Double, _ bound: Double, _ count: Int) -> Double {
    min(GaussianTaps.radius(sigma, tail: bound), Double(longestRadius(count))).rounded(.up)
  }

  /// Returns the largest radius that is useful on an axis of `count` pixels. The additional taps of a longer
  /// window would read only pixels that other taps already read, because the edge mode repeats pixels outside
  /// the image.
  func longestRadius(_ count: Int) -> Int { max(1, period(count).map { $0 / 2 } ?? count) }
}

extension Sigma {
  /// The smallest sigma, in periods, at which a blur turns every pixel into the mean of the image. A period
  /// is the number of pixels after which the edge mode repeats the image. At this sigma, pixels still differ
  /// from the mean by e^(−2π² · 0.9²), which is about 10⁻⁷ of full scale.
  static let periodsOfMean = 0.9

  /// Returns the smallest sigmas that blur images of this layout in the same way as these sigmas. If the edge
  /// mode repeats the image, every very large sigma turns all pixels into their mean. Such a sigma is
  /// therefore replaced by the smallest sigma that does this. In the other edge modes, the sigmas stay as
  /// they are.
  package func folded(_ edge: EdgeMode, _ layout: ImageLayout) -> Sigma {
    guard edge.period(1) != nil else { return self }
    func folded(_ sigma: Double, _ count: Int) -> Double {
      edge.period(count).map { min(sigma, Self.periodsOfMean * Double($0)) } ?? sigma
    }
    // `Sigma` throws an error for invalid values. Each value here is either the old value or a smaller
    // positive one, so it is always valid.
    return (try? Sigma(x: folded(x, layout.width), y: folded(y, layout.height))) ?? self
  }
}

extension GaussianTaps {
  /// Returns the shortest window that gives the same result on an axis of `count` pixels. On a short axis,
  /// the edge mode can make several taps read the same pixel. The new window combines these taps into a
  /// single tap, whose weight is the sum of their weights.
  func folded(_ edge: EdgeMode, _ count: Int) -> GaussianTaps {
    let longest = edge.longestRadius(count)
    guard radius > longest else { return self }
    guard let period = edge.period(count) else {
      // In the edge modes `clamp` and `constant`, all pixels beyond an edge are equal. Therefore the last tap
      // of the new window can take the weights of all taps that are farther away.
      return GaussianTaps(
        half: half[..<longest] + [half[longest...].reduce(0, +)], leftOut: leftOut)
    }
    var sums = [Double](repeating: 0, count: period)
    for distance in -radius...radius { sums[abs(distance) % period] += half[abs(distance)] }
    // In a periodic image, the tap at distance d reads pixel d, and the tap at distance −d reads pixel
    // `period` − d. The loop above added the weights of both taps to pixel d. The window is symmetric, so
    // pixel d and pixel `period` − d must have the same weight. This weight is the mean of their two sums.
    for distance in 1..<max(1, (period + 1) / 2) {
      sums[distance] = (sums[distance] + sums[period - distance]) / 2
    }
    // If the period is 1, all taps read the same pixel, so any weights that sum to 1 will do. If the period
    // is even, the tap half a period before the centre reads the same pixel as the tap half a period after
    // it. Each of these two taps gets half of the pixel's weight.
    if period == 1 { return GaussianTaps(half: [0.5, 0.25], leftOut: leftOut) }
    if period % 2 == 0 { sums[period / 2] /= 2 }
    return GaussianTaps(half: Array(sums[...longest]), leftOut: leftOut)
  }
}
