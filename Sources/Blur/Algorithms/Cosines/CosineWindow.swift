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
  /// The coefficients a₁, a₂, … of the cosines. If there are more than `radius` of them, the others are 0.
  /// The constant a₀ is not stored, because it is always 1 / (2 · radius + 1).
  let weights: [Double]
  /// The largest error of a weighted mean with this window, compared with the exact Gaussian, if all samples
  /// lie between 0 and 1.
  let error: Double

  /// The number of taps in the whole window, including the centre.
  var length: Int { 2 * radius + 1 }

  /// Returns the angle, in radians, by which cosine number `k` (1, 2, …) advances from one tap of the window
  /// to the next.
  func angle(_ k: Int) -> Double { 2 * Double.pi * Double(k) / Double(length) }

  /// Creates the most accurate window with the given number of cosines. Several radii are tried, and the one
  /// with the smallest error is used.
  init(sigma: Double, cosines: Int) {
    let gaussian = GaussianTaps(sigma: sigma, tail: 0).half
    // A wider window cuts off less of the Gaussian's tails, but it needs more cosines for the same accuracy.
    // Therefore the best radius grows with sigma and with the number of cosines.
    let nearest = (1.8 + 0.4 * Double(cosines)) * sigma
    let first = Int(nearest)
    let last = max(first, Int((nearest + 0.6 * sigma).rounded(.up)))
    let candidates = stride(from: first, through: last, by: max(1, Int(sigma / 32)))
    self =
      candidates.compactMap { CosineWindow(gaussian, radius: $0, cosines: cosines) }
      .min { $0.error < $1.error } ?? CosineWindow(box: first, gaussian, cosines: cosines)
  }

  /// Creates the window with the given radius that fits the Gaussian best in the least-squares sense. Returns
  /// nil if a weight of this window is negative.
  private init?(_ gaussian: [Double], radius: Int, cosines: Int) {
    let kept = gaussian.prefix(radius + 1)
    let total = kept[0] + 2 * kept.dropFirst().reduce(0, +)
    let length = Double(2 * radius + 1)
    // A table of cos(2π · i / length) for all i from 0 to `length` − 1. It contains every cosine that is
    // needed below, because larger values of i give the same cosines again.
    let period = 2 * radius + 1
    let cosine = (0..<period).map { Double.cos(2 * Double.pi * Double($0) / length) }
    let weights = (1...cosines).map { k -> Double in
      guard k <= radius else { return 0 }
      let sum = kept.indices.reduce(-kept[0]) { $0 + 2 * kept[$1] * cosine[k * $1 % period] }
      return 2 * sum / length / total
    }
    let window = (0...radius).map { n in
      (0..<cosines).reduce(1 / length) { $0 + weights[$1] * cosine[($1 + 1) * n % period] }
    }
    // Rounding can make a weight slightly negative that should be 0, so a small tolerance is allowed.
    guard window.allSatisfy({ $0 > -1e-12 }) else { return nil }
    self.init(radius: radius, weights: weights, error: Self.error(of: window, gaussian))
  }

  /// Creates a window of equal weights. It is used if, for every radius that was tried, the best fit to the
  /// Gaussian has negative weights.
  private init(box radius: Int, _ gaussian: [Double], cosines: Int) {
    let window = [Double](repeating: 1 / Double(2 * radius + 1), count: radius + 1)
    self.init(
      radius: radius, weights: [Double](repeating: 0, count: cosines), error: Self.error(of: window, gaussian)
    )
  }

  private init(radius: Int, weights: [Double], error: Double) {
    self.radius = radius
    self.weights = weights
    self.error = error
  }

  /// Returns the largest difference between the weighted means with two symmetric windows, if all samples lie
  /// between 0 and 1. Each window is given by its right half, starting at the centre. The result is half the
  /// sum of the absolute differences between the weights.
  private static func error(of window: [Double], _ gaussian: [Double]) -> Double {
    let differences = (0..<max(window.count, gaussian.count)).map { (n: Int) -> Double in
      let found = n < window.count ? window[n] : 0
      let wanted = n < gaussian.count ? gaussian[n] : 0
      return abs(found - wanted)
    }
    return (differences[0] + 2 * differences.dropFirst().reduce(0, +)) / 2
  }
}
