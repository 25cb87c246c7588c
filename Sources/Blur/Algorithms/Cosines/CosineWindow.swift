/// A symmetric window of weights that approximates a Gaussian by the sum of a constant and a few cosines. The
/// weight at the distance n from the centre is a₀ + a₁ cos φn + a₂ cos 2φn + …, where φ is 2π / (2 · radius +
/// 1). Beyond `radius`, all weights are 0. No weight is negative.
///
/// These are the cosines of the discrete cosine transform of type 5 (DCT-5). The coefficients a₁, a₂, … are
/// chosen so that the window fits the Gaussian best in the least-squares sense.
///
/// Source: Sugimoto and Kamata, "Fast Gaussian filter with second-order shift property of DCT-5", 2013.
struct CosineWindow: Hashable, Sendable {
  /// The number of taps on each side of the centre.
  let radius: Int
  /// The coefficients a₁, a₂, … of the cosines. At most the first `radius` coefficients differ from 0. The
  /// constant a₀ is not stored, because it is always 1 / (2 · radius + 1).
  let weights: [Double]
  /// The largest possible difference between a weighted mean with this window and the mean with the exact
  /// Gaussian, if all samples lie between 0 and 1.
  let error: Double

  /// The number of taps in the whole window, including the centre.
  var length: Int { 2 * radius + 1 }

  /// Returns the angle, in radians, that cosine number `k` (1, 2, …) advances from one tap of the window to
  /// the next.
  func angle(_ k: Int) -> Double { 2 * Double.pi * Double(k) / Double(length) }

  /// Creates the most accurate window with the given number of cosines, which may be at most 8. The
  /// initializer tries several radii, and uses the one with the smallest error.
  init(sigma: Double, cosines: Int) {
    let gaussian = GaussianTaps(sigma: sigma, tail: 0).half
    // A wider window cuts off less of the Gaussian's tails, but it needs more cosines for the same accuracy.
    // Therefore the best radius grows with sigma and with the number of cosines.
    let nearest = (1.8 + 0.4 * Double(cosines)) * sigma
    let first = Int(nearest)
    let last = max(first, Int((nearest + 0.6 * sigma).rounded(.up)))
    let step = max(1, Int(sigma / 32))
    // The error has a single minimum, which usually lies near the radius `usual`. The search begins at this
    // radius, and continues in each direction until the error grows.
    let usual = first + (Int(nearest + 0.4 * sigma) - first) / step * step
    var (radius, best) = (usual, Fit(gaussian, radius: usual, cosines: cosines))
    for step in [step, -step] {
      for next in stride(from: usual + step, through: step > 0 ? last : first, by: step) {
        let fit = Fit(gaussian, radius: next, cosines: cosines)
        guard fit.error <= best.error else { break }
        (radius, best) = (next, fit)
      }
    }
    if best.error == .infinity {
      // At every radius that was tried, the window that fits the Gaussian best has negative weights. A window
      // of equal weights is used instead.
      (radius, best) = (first, Fit(gaussian, radius: first, cosines: 0))
    }
    self.init(radius: radius, weights: (0..<cosines).map { best.weights[$0] }, error: best.error)
  }

  private init(radius: Int, weights: [Double], error: Double) {
    self.radius = radius
    self.weights = weights
    self.error = error
  }

  /// Calls `body` for each tap, from the centre of the window to its end. The closure receives the distance
  /// of the tap from the centre, and the cosines and the sines of 1, 2, …, 8 times the angle of the tap. The
  /// angle of the centre is 0.
  ///
  /// - Parameter radius: The number of taps on each side of the centre.
  @inline(__always)
  static func forEachTap(
    radius: Int, _ body: (_ distance: Int, _ cosines: SIMD8<Double>, _ sines: SIMD8<Double>) -> Void
  ) {
    let angle = 2 * Double.pi / Double(2 * radius + 1)
    let step = multiples(of: angle)
    // The cosines and sines of a tap are found by rotating the cosines and sines of the previous tap, which
    // is faster than computing each of them directly. At every 64th tap, they are computed directly, so that
    // rounding errors stay small.
    for start in stride(from: 0, through: radius, by: 64) {
      var (cosine, sine) = multiples(of: angle * Double(start))
      for distance in start...min(start + 63, radius) {
        body(distance, cosine, sine)
        (cosine, sine) = (cosine * step.cosine - sine * step.sine, sine * step.cosine + cosine * step.sine)
      }
    }
  }

  /// Returns the cosines and the sines of `angle` times 1, 2, …, 8.
  private static func multiples(of angle: Double) -> (cosine: SIMD8<Double>, sine: SIMD8<Double>) {
    let (cosine, sine) = (Double.cos(angle), Double.sin(angle))
    var (cosines, sines) = (SIMD8(repeating: cosine), SIMD8(repeating: sine))
    for k in 1..<8 {
      cosines[k] = cosines[k - 1] * cosine - sines[k - 1] * sine
      sines[k] = sines[k - 1] * cosine + cosines[k - 1] * sine
    }
    return (cosines, sines)
  }

  /// The window with a given radius that fits the Gaussian best in the least-squares sense.
  private struct Fit {
    /// The coefficients a₁, a₂, … of the cosines.
    var weights = SIMD8<Double>.zero
    /// The largest possible difference between a weighted mean with this window and the mean with the exact
    /// Gaussian, if all samples lie between 0 and 1. This error is half the sum of the absolute differences
    /// between the weights of the window and the weights of the Gaussian. If a weight of the window is
    /// negative, the error is infinite.
    let error: Double

    /// Fits a window to a Gaussian. `gaussian` holds the right half of its weights, starting at the centre.
    init(_ gaussian: [Double], radius: Int, cosines: Int) {
      let length = Double(2 * radius + 1)
      let end = min(radius + 1, gaussian.count)
      var (total, sums) = (gaussian[0], SIMD8<Double>(repeating: gaussian[0]))
      var (difference, isNegative) = (0.0, false)
      gaussian.withUnsafeBufferPointer { gaussian in
        CosineWindow.forEachTap(radius: radius) { distance, cosine, _ in
          guard (1..<end).contains(distance) else { return }
          total += 2 * gaussian[distance]
          sums += 2 * gaussian[distance] * cosine
        }
      }
      for k in 0..<min(cosines, radius) { weights[k] = 2 * sums[k] / length / total }
      let weights = weights
      gaussian.withUnsafeBufferPointer { gaussian in
        CosineWindow.forEachTap(radius: radius) { distance, cosine, _ in
          let weight = 1 / length + (weights * cosine).sum()
          // Rounding can make a weight of 0 slightly negative, so a small tolerance is allowed.
          if weight < -1e-12 { isNegative = true }
          let wanted = distance < gaussian.count ? gaussian[distance] : 0
          difference += (distance == 0 ? 1 : 2) * abs(weight - wanted)
        }
        for distance in end..<max(end, gaussian.count) { difference += 2 * gaussian[distance] }
      }
      error = isNegative ? .infinity : difference / 2
    }
  }
}
