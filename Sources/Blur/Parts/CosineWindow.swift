/// A short sum of cosines over a window, near to a Gaussian: h(n) = a₀ + Σ aₖ cos kφn for |n| ≤ radius, where
/// φ = 2π / (2 · radius + 1), the angles of the discrete cosine transform of type 5.
///
/// Source: Sugimoto and Kamata, "Fast Gaussian filter with second-order shift property of DCT-5", 2013. The
/// cosines are orthogonal over the window, so that the transform's coefficients are also the best in the
/// least-squares sense. All windows here are nowhere negative.
struct CosineWindow: Hashable, Sendable {
  /// Taps to each side.
  let radius: Int
  /// The weights a₁, a₂, …; 0 for cosines that the window is too short for. a₀ is 1 / (2 · radius + 1).
  let weights: [Double]
  /// How far a weighted mean of values from 0 to 1 can be from that of the whole Gaussian.
  let error: Double

  /// Taps on both sides and the centre.
  var length: Int { 2 * radius + 1 }

  /// The angle of cosine number k, from 1.
  func angle(_ k: Int) -> Double { 2 * Double.pi * Double(k) / Double(length) }

  /// The best window of that many cosines, over all radii that can be.
  init(sigma: Double, cosines: Int) {
    let gaussian = GaussianTaps(sigma: sigma, tail: 0).half
    // Wider windows lose less of the tails, and need more cosines: the best radius grows with both.
    let nearest = (1.8 + 0.4 * Double(cosines)) * sigma
    let first = Int(nearest)
    let last = max(first, Int((nearest + 0.6 * sigma).rounded(.up)))
    let candidates = stride(from: first, through: last, by: max(1, Int(sigma / 32)))
    self =
      candidates.compactMap { CosineWindow(gaussian, radius: $0, cosines: cosines) }
      .min { $0.error < $1.error } ?? CosineWindow(box: first, gaussian, cosines: cosines)
  }

  /// The least-squares fit of a radius; nil if it is negative somewhere.
  private init?(_ gaussian: [Double], radius: Int, cosines: Int) {
    let kept = gaussian.prefix(radius + 1)
    let total = kept[0] + 2 * kept.dropFirst().reduce(0, +)
    let length = Double(2 * radius + 1)
    // cos kφn from a table of one period.
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
    // Rounding may turn a zero negative.
    guard window.allSatisfy({ $0 > -1e-12 }) else { return nil }
    self.init(radius: radius, weights: weights, error: Self.error(of: window, gaussian))
  }

  /// The plain mean, for want of anything better.
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

  /// Half the sum of all differences between two halves of windows.
  private static func error(of window: [Double], _ gaussian: [Double]) -> Double {
    let differences = (0..<max(window.count, gaussian.count)).map { (n: Int) -> Double in
      let found = n < window.count ? window[n] : 0
      let wanted = n < gaussian.count ? gaussian[n] : 0
      return abs(found - wanted)
    }
    return (differences[0] + 2 * differences.dropFirst().reduce(0, +)) / 2
  }
}
