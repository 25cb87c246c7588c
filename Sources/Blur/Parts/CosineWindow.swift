/// A window that approximates a Gaussian by a short sum of cosines. The weight at the distance n from the
/// centre is h(n) = a₀ + Σ aₖ cos kφn for |n| ≤ radius, where φ = 2π / (2 · radius + 1). The angles kφ are
/// those of the discrete cosine transform of type 5.
///
/// Source: Sugimoto and Kamata, "Fast Gaussian filter with second-order shift property of DCT-5", 2013. The
/// cosines are orthogonal over the window. Therefore the coefficients of the transform are also the best
/// coefficients in the least-squares sense. None of the windows created here has a negative weight.
struct CosineWindow: Hashable, Sendable {
  /// The number of taps on each side of the centre.
  let radius: Int
  /// The coefficients a₁, a₂, … of the cosines. A window has only `radius` different cosines, so all further
  /// coefficients are 0. The coefficient a₀ is not stored, because it is always 1 / (2 · radius + 1).
  let weights: [Double]
  /// The largest difference between a weighted mean with this window and a weighted mean with the exact
  /// Gaussian, if all samples lie between 0 and 1.
  let error: Double

  /// The number of taps in the whole window, including the centre.
  var length: Int { 2 * radius + 1 }

  /// Returns the angle kφ by which cosine number `k` advances from one tap to the next, in radians. The
  /// cosines are numbered from 1.
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

  /// Creates the least-squares fit to the Gaussian with a given radius. Returns nil if a weight of the fit is
  /// negative.
  private init?(_ gaussian: [Double], radius: Int, cosines: Int) {
    let kept = gaussian.prefix(radius + 1)
    let total = kept[0] + 2 * kept.dropFirst().reduce(0, +)
    let length = Double(2 * radius + 1)
    // All values cos kφn are looked up in a table of one period, because they repeat every 2 · radius + 1
    // taps.
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
    // A weight that should be 0 may come out slightly negative because of rounding, so a small tolerance is
    // allowed.
    guard window.allSatisfy({ $0 > -1e-12 }) else { return nil }
    self.init(radius: radius, weights: weights, error: Self.error(of: window, gaussian))
  }

  /// Creates a window of equal weights, which computes a plain mean. It is used if every radius that was
  /// tried gives negative weights.
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

  /// Returns half the sum of the absolute differences between the weights of two symmetric windows. Each
  /// window is given by its right half. The result is the largest difference between two means with these
  /// windows, if all samples lie between 0 and 1.
  private static func error(of window: [Double], _ gaussian: [Double]) -> Double {
    let differences = (0..<max(window.count, gaussian.count)).map { (n: Int) -> Double in
      let found = n < window.count ? window[n] : 0
      let wanted = n < gaussian.count ? gaussian[n] : 0
      return abs(found - wanted)
    }
    return (differences[0] + 2 * differences.dropFirst().reduce(0, +)) / 2
  }
}
