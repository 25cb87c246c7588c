/// The weights of a Gaussian blur along one axis. A pixel at a distance of i pixels from the centre has a
/// weight proportional to exp(−i²/2σ²), and all weights together sum to 1.
///
/// The weights are the same on both sides of the centre, so only the centre and the right side are stored.
/// Pixels so far away that they have almost no weight are left out. The reference blur, which defines the
/// exact result, uses the same formula, but it leaves out fewer pixels.
struct GaussianTaps: Hashable, Sendable {
  /// The weight of the centre pixel, followed by the weights of the pixels at the distances 1, 2, 3, … on one
  /// side of it.
  let half: [Double]
  /// The sum of the weights of the pixels that were left out, as a fraction of the sum of all weights of the
  /// Gaussian. Leaving these pixels out changes a blurred pixel by at most this value, if all pixels lie
  /// between 0 and 1.
  let leftOut: Double

  /// The distance in pixels from the centre to the farthest pixel that has a weight.
  var radius: Int { half.count - 1 }

  /// All weights from left to right. There are 2 · radius + 1 of them: the centre, and `radius` on each side.
  var window: [Double] { half.dropFirst().reversed() + half }

  init(half: [Double], leftOut: Double) { (self.half, self.leftOut) = (half, leftOut) }

  /// Computes the weights of a Gaussian with a standard deviation of `sigma` pixels. The window is as short
  /// as possible: the weights that are left out on both sides may sum to at most the fraction `tail` of all
  /// weights.
  init(sigma: Double, tail: Double) {
    let longest = Int((6 * sigma).rounded(.up))
    // The division by `sigma` comes before squaring, because the square of a tiny sigma would be rounded to
    // 0.
    let samples = (0...longest).map { i -> Double in
      let distance = i == 0 ? 0 : Double(i) / sigma
      return Double.exp(-distance * distance / 2)
    }
    (half, leftOut) = Self.cut(samples, tail: tail)
  }

  /// Shortens a symmetric window as far as possible. The weights that are left out on both sides may sum to
  /// at most the fraction `tail` of all weights.
  ///
  /// - Parameter samples: The weight of the centre, followed by the weights to the right of it.
  /// - Returns: The remaining weights from the centre to the right, scaled so that the whole window sums to
  ///   1, and the fraction of the weight that was left out.
  static func cut(_ samples: [Double], tail: Double) -> (half: [Double], leftOut: Double) {
    let (radius, leftOut) = shortest(samples, error: tail)
    let kept = samples[...radius]
    let total = kept[0] + 2 * kept.dropFirst().reduce(0, +)
    return (kept.map { $0 / total }, leftOut)
  }

  /// Returns the smallest radius to which a symmetric window can be shortened without changing a weighted
  /// mean of samples between 0 and 1 by more than `allowed`. Also returns an upper bound for the change.
  ///
  /// - Parameters:
  ///   - samples: The weight of the centre, followed by the weights to the right of it.
  ///   - allowed: The largest change that is allowed.
  ///   - move: The largest change in the mean if a weight moves to the neighbouring pixel, as a fraction of
  ///     this weight. Pass 1 if the outer weights are left out. Pass a smaller value if the outer weights are
  ///     added to the last weight that remains.
  static func shortest(
    _ samples: [Double], error allowed: Double, move: Double = 1
  ) -> (radius: Int, error: Double) {
    let sum = samples[0] + 2 * samples.dropFirst().reduce(0, +)
    var (radius, outside, error) = (samples.count - 1, 0.0, 0.0)
    while radius > 0 {
      outside += 2 * samples[radius] / sum
      // `outside` is the sum of all weights outside the new radius. Moving these weights one pixel towards
      // the centre changes the mean by at most `move * outside`. All these moves together never change the
      // mean by more than `outside`.
      let more = min(outside, error + move * outside)
      if more > allowed { break }
      (radius, error) = (radius - 1, more)
    }
    return (radius, error)
  }

  /// Returns the actual standard deviation of a Gaussian that is sampled at whole pixels. It is less than
  /// `sigma` if `sigma` is small. For example, it is 0.464 pixels for a sigma of 0.5.
  static func deviation(_ sigma: Double) -> Double {
    // The variance of the weights is smaller than σ² by about 8π²σ⁴ e^(−2π²σ²). For a sigma of 2 or more,
    // this difference is negligible.
    guard sigma < 2 else { return sigma }
    var (sum, moment) = (1.0, 0.0)
    for i in 1...24 {
      let weight = 2 * Double.exp(-Double(i * i) / (2 * sigma * sigma))
      sum += weight
      moment += Double(i * i) * weight
    }
    return (moment / sum).squareRoot()
  }

  /// Creates the shortest window that is accurate enough for an exact Gaussian blur of images in `format`.
  init(sigma: Double, for format: PixelFormat) { self.init(sigma: sigma, tail: Self.tail(for: format)) }

  /// Returns the approximate radius, in pixels, of a window that leaves out the fraction `tail` of a
  /// Gaussian's weight.
  static func radius(_ sigma: Double, tail: Double) -> Double {
    (2 * Double.log(2 / tail)).squareRoot() * sigma
  }

  /// Returns the fraction of the Gaussian's weight that a window may leave out along each axis. In 8-bit
  /// images, leaving out this fraction along both axes changes a result by at most about a fifth of a level,
  /// where a level is 1/255 of full scale. In all other images, the change is at most about 1e-5 of full
  /// scale.
  static func tail(for format: PixelFormat) -> Double { format.component == .uint8 ? 4e-4 : 4e-6 }
}
