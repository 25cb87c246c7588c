/// The right half of a sampled Gaussian, cut where almost nothing is left and normalised to sum 1.
///
/// g(i) ∝ exp(−i²/2σ²) at the integers: the definition of truth, with a shorter window.
struct GaussianTaps: Hashable, Sendable {
  /// The weight of the centre, of each neighbour at distance 1, and so on.
  let half: [Double]
  /// The weight of all that was left out: how far a weighted mean of values from 0 to 1 can be off.
  let leftOut: Double

  /// Taps to each side.
  var radius: Int { half.count - 1 }

  /// All 2·radius + 1 weights from left to right.
  var window: [Double] { half.dropFirst().reversed() + half }

  init(half: [Double], leftOut: Double) { (self.half, self.leftOut) = (half, leftOut) }

  /// Samples a Gaussian of `sigma` pixels, leaving out outer taps that weigh at most `tail` together.
  init(sigma: Double, tail: Double) {
    let longest = Int((6 * sigma).rounded(.up))
    // exp is taken of (i/σ)², which stays finite where σ² underflows.
    let samples = (0...longest).map { i -> Double in
      let distance = i == 0 ? 0 : Double(i) / sigma
      return Double.exp(-distance * distance / 2)
    }
    (half, leftOut) = Self.cut(samples, tail: tail)
  }

  /// The samples of half a symmetric window without the outer ones that weigh at most `tail` of all, with sum
  /// 1.
  static func cut(_ samples: [Double], tail: Double) -> (half: [Double], leftOut: Double) {
    let (radius, leftOut) = shortest(samples, error: tail)
    let kept = samples[...radius]
    let total = kept[0] + 2 * kept.dropFirst().reduce(0, +)
    return (kept.map { $0 / total }, leftOut)
  }

  /// The least radius that half a symmetric window may have, and the error without its outer taps: how far a
  /// weighted mean of values from 0 to 1 can be off.
  ///
  /// - Parameters:
  ///   - allowed: what the error may be.
  ///   - move: what moving a tap by a pixel changes, as a share of its weight, where outer taps are added to
  ///     the last one that stays; 1 where they are left out.
  static func shortest(
    _ samples: [Double], error allowed: Double, move: Double = 1
  ) -> (radius: Int, error: Double) {
    let sum = samples[0] + 2 * samples.dropFirst().reduce(0, +)
    var (radius, outside, error) = (samples.count - 1, 0.0, 0.0)
    while radius > 0 {
      outside += 2 * samples[radius] / sum
      // All that is outside moves by one more pixel, and no tap can do more than be elsewhere.
      let more = min(outside, error + move * outside)
      if more > allowed { break }
      (radius, error) = (radius - 1, more)
    }
    return (radius, error)
  }

  /// The standard deviation, in pixels, of the Gaussian of `sigma` sampled at the integers, which is smaller
  /// where sigma is small: .464 for .5. Filters that are designed for a variance are designed for this one.
  static func deviation(_ sigma: Double) -> Double {
    // Sampling takes 8π²σ⁴ e^(−2π²σ²) from the variance: nothing from here on.
    guard sigma < 2 else { return sigma }
    var (sum, moment) = (1.0, 0.0)
    for i in 1...24 {
      let weight = 2 * Double.exp(-Double(i * i) / (2 * sigma * sigma))
      sum += weight
      moment += Double(i * i) * weight
    }
    return (moment / sum).squareRoot()
  }

  /// A window narrow enough to be fast and wide enough for the exact promise in `format`.
  init(sigma: Double, for format: PixelFormat) { self.init(sigma: sigma, tail: Self.tail(for: format)) }

  /// About the radius of the window that leaves out `tail`.
  static func radius(_ sigma: Double, tail: Double) -> Double {
    (2 * Double.log(2 / tail)).squareRoot() * sigma
  }

  /// What a window may leave out: a fifth of a level over both axes in 8-bit formats, and 1e-5 of full scale
  /// in the others.
  static func tail(for format: PixelFormat) -> Double { format.component == .uint8 ? 4e-4 : 4e-6 }
}
