/// The weights of a Gaussian at whole pixels. The window is symmetric, so only its right half is stored,
/// starting at the centre. The window ends where almost no weight is left, and the weights of the whole
/// window sum to 1.
///
/// The weights are g(i) ∝ exp(−i²/2σ²) at the integers i. The reference blur, which defines the exact result,
/// uses the same weights with a longer window.
struct GaussianTaps: Hashable, Sendable {
  /// The weight of the centre, then the weight of each neighbour at distance 1, and so on.
  let half: [Double]
  /// The sum of the weights that were cut off, as a fraction of the whole Gaussian. It is also the largest
  /// error of a weighted mean with the shorter window, if all samples lie between 0 and 1.
  let leftOut: Double

  /// The number of taps on each side of the centre.
  var radius: Int { half.count - 1 }

  /// All 2·radius + 1 weights of the window, from left to right.
  var window: [Double] { half.dropFirst().reversed() + half }

  init(half: [Double], leftOut: Double) { (self.half, self.leftOut) = (half, leftOut) }

  /// Samples a Gaussian with a standard deviation of `sigma` pixels, and cuts off as many outer taps as
  /// possible whose weights sum to at most `tail`.
  init(sigma: Double, tail: Double) {
    let longest = Int((6 * sigma).rounded(.up))
    // The square of i/σ is computed, and not i²/σ², because for a tiny σ the square of σ would underflow to
    // 0.
    let samples = (0...longest).map { i -> Double in
      let distance = i == 0 ? 0 : Double(i) / sigma
      return Double.exp(-distance * distance / 2)
    }
    (half, leftOut) = Self.cut(samples, tail: tail)
  }

  /// Cuts off the outer samples of a symmetric window, as many as possible so that their sum is at most the
  /// fraction `tail` of the sum of all samples. Returns the right half of the remaining window, normalised to
  /// the sum 1, and the fraction that was cut off.
  static func cut(_ samples: [Double], tail: Double) -> (half: [Double], leftOut: Double) {
    let (radius, leftOut) = shortest(samples, error: tail)
    let kept = samples[...radius]
    let total = kept[0] + 2 * kept.dropFirst().reduce(0, +)
    return (kept.map { $0 / total }, leftOut)
  }

  /// Returns the smallest radius to which a symmetric window can be shortened if the result may change by at
  /// most `allowed`. Also returns the largest change that shortening to this radius can cause. Changes are
  /// those of a weighted mean whose samples lie between 0 and 1.
  ///
  /// - Parameters:
  ///   - samples: The right half of the window, starting at the centre.
  ///   - allowed: The largest change that is allowed.
  ///   - move: The largest change of the result if a tap moves by one pixel, as a fraction of the tap's
  ///     weight. Pass 1 if the outer taps will be dropped. Pass a smaller value if their weights will be
  ///     added to the last remaining tap.
  static func shortest(
    _ samples: [Double], error allowed: Double, move: Double = 1
  ) -> (radius: Int, error: Double) {
    let sum = samples[0] + 2 * samples.dropFirst().reduce(0, +)
    var (radius, outside, error) = (samples.count - 1, 0.0, 0.0)
    while radius > 0 {
      outside += 2 * samples[radius] / sum
      // If the window becomes one tap shorter, the weights of all outer taps move one pixel closer to the
      // centre. This increases the error by at most `move * outside`, where `outside` is the sum of these
      // weights. However far the weights move, the error is never larger than this sum.
      let more = min(outside, error + move * outside)
      if more > allowed { break }
      (radius, error) = (radius - 1, more)
    }
    return (radius, error)
  }

  /// Returns the standard deviation, in pixels, that the Gaussian of `sigma` has after it has been sampled at
  /// whole pixels. For a small sigma it is smaller than sigma: for example, 0.464 for 0.5. Filters that are
  /// designed to have a given variance use this standard deviation instead of sigma.
  static func deviation(_ sigma: Double) -> Double {
    // Sampling the Gaussian at whole pixels reduces its variance by about 8π²σ⁴ e^(−2π²σ²), which is
    // negligible for sigmas of 2 and above.
    guard sigma < 2 else { return sigma }
    var (sum, moment) = (1.0, 0.0)
    for i in 1...24 {
      let weight = 2 * Double.exp(-Double(i * i) / (2 * sigma * sigma))
      sum += weight
      moment += Double(i * i) * weight
    }
    return (moment / sum).squareRoot()
  }

  /// Creates the shortest window that is accurate enough for kernels that promise an exact Gaussian blur of
  /// images in `format`.
  init(sigma: Double, for format: PixelFormat) { self.init(sigma: sigma, tail: Self.tail(for: format)) }

  /// Returns the approximate radius of the window that cuts off the fraction `tail` of a Gaussian's weight.
  static func radius(_ sigma: Double, tail: Double) -> Double {
    (2 * Double.log(2 / tail)).squareRoot() * sigma
  }

  /// Returns the fraction of the Gaussian's weight that a window may cut off along each axis. In 8-bit
  /// formats, cutting off this fraction along both axes causes an error of at most a fifth of an 8-bit level.
  /// In all other formats, it causes an error of about 1e-5 of full scale.
  static func tail(for format: PixelFormat) -> Double { format.component == .uint8 ? 4e-4 : 4e-6 }
}
