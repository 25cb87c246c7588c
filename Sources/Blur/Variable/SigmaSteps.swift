/// The recipe for a blur whose sigma varies from pixel to pixel. The image is blurred with several fixed
/// sigmas, and each pixel of the result is a weighted mean of two of these blurs. This type holds the fixed
/// sigmas, and the weights for each value of the mask.
///
/// A mixture of a narrow and a wide Gaussian is nearly equal to a single Gaussian with the same variance.
/// ``error`` is an upper bound on the difference.
struct SigmaSteps: Sendable {
  /// The standard deviations of the blurs in ascending order. The first is 0, which stands for the image
  /// itself.
  let sigmas: [Double]
  /// The two blurs that are mixed for each value of the mask. `lower` is the index in ``sigmas`` of the
  /// narrower blur, and the wider blur has the next index. `share` is the weight of the wider blur.
  let lower: [Int], share: [Float]
  /// The largest error, in any image, that is caused by mixing two blurs instead of blurring with the sigma
  /// that the mask asks for. It is a fraction of full scale.
  let error: Double

  /// Chooses the sigmas of the blurs that are mixed. Also chooses, for each of the 256 mask values, which two
  /// of these blurs are mixed and with what weights.
  ///
  /// - Parameters:
  ///   - method: The method that decides how many blurs there are and which sigmas they have.
  ///   - sigma: The standard deviation, in pixels, that the blur has where the mask is 255. Where the mask is
  ///     lower, the blur has a proportionally smaller standard deviation.
  init(_ method: VariableMethod, sigma: Double) {
    sigmas = Self.sigmas(method, upTo: sigma)
    var (lower, share, error) = ([Int](), [Float](), 0.0)
    for mask in 0...255 {
      let wanted = sigma * Double(mask) / 255
      let step = max(0, (sigmas.firstIndex { $0 >= wanted } ?? sigmas.count - 1) - 1)
      let mixture =
        sigmas.count == 1
        ? Mixture(of: 0, 0, for: 0)
        : method == .crossFade
          ? Mixture(of: 0, sigma, share: Double(mask) / 255, for: wanted)
          : Mixture(of: sigmas[step], sigmas[step + 1], for: wanted)
      lower.append(step)
      share.append(Float(mixture.share))
      error = max(error, mixture.error)
    }
    (self.lower, self.share, self.error) = (lower, share, min(1, error))
  }

  private static func sigmas(_ method: VariableMethod, upTo sigma: Double) -> [Double] {
    guard sigma > 0 else { return [0] }
    switch method {
    case .crossFade, .twoPass: return [0, sigma]
    case .layers: return (0...8).map { sigma * Double($0) / 8 }
    case .levels:
      // The narrowest blur has a sigma of 0.4. Mixing it with the image itself causes an error below one
      // level, which would not be true of a much larger sigma. Each further sigma is a tenth larger than the
      // one before, so that mixing two neighbouring blurs causes an error below one level, too.
      var sigmas = [0.0]
      var next = 0.4
      while next < sigma {
        sigmas.append(next)
        next *= 1.1
      }
      return sigmas + [sigma]
    }
  }
}

/// A mixture of two Gaussians that approximates a third Gaussian, and the error of this approximation.
private struct Mixture {
  /// The weight of the wider of the two Gaussians. The narrower one has the weight 1 − `share`.
  let share: Double
  /// The largest error in any image with values from 0 to 1. It is half the sum of the absolute differences
  /// between the weights of the mixture and the weights of the approximated Gaussian.
  let error: Double

  /// Approximates the Gaussian of `sigma` by a mixture of two Gaussians with the sigmas `a` and `b`. `share`
  /// is the weight of the Gaussian with the sigma `b`. If `share` is nil, the weight is chosen so that the
  /// mixture has the variance of the Gaussian of `sigma`.
  init(of a: Double, _ b: Double, share: Double? = nil, for sigma: Double) {
    func variance(_ sigma: Double) -> Double {
      let deviation = sigma == 0 ? 0 : GaussianTaps.deviation(sigma)
      return deviation * deviation
    }
    func shareByVariance() -> Double {
      let (low, high) = (variance(a), variance(b))
      return high > low ? (variance(sigma) - low) / (high - low) : sigma > a ? 1 : 0
    }
    let share = max(0, min(1, share ?? shareByVariance()))
    self.share = share
    error =
      sigma == (share == 0 ? a : b) && (share == 0 || share == 1)
      ? 0 : b <= 6 ? Self.sampled(a, b, share, sigma) : Self.continuous(a, b, share, sigma)
  }

  /// Returns half the sum of |g_σ − (1 − t) g_a − t g_b| over all pixels of the plane, where g_σ is the
  /// sampled Gaussian of standard deviation σ, and t is the weight of the wider Gaussian.
  private static func sampled(_ a: Double, _ b: Double, _ t: Double, _ sigma: Double) -> Double {
    let radius = Int((6 * b).rounded(.up))
    func half(_ sigma: Double) -> [Double] {
      let taps = GaussianTaps(sigma: sigma, tail: 0).half
      return taps + Array(repeating: 0, count: max(0, radius + 1 - taps.count))
    }
    let (wanted, low, high) = (half(sigma), half(a), half(b))
    var sum = 0.0
    for y in 0...radius {
      for x in 0...radius {
        let difference = wanted[x] * wanted[y] - (1 - t) * low[x] * low[y] - t * high[x] * high[y]
        // The Gaussian is symmetric, so the sum covers only one quadrant of the plane, and each pixel counts
        // four times. However, a pixel on an axis counts only twice, and the pixel at the centre counts once.
        sum += abs(difference) * (x == 0 ? 1 : 2) * (y == 0 ? 1 : 2)
      }
    }
    return sum / 2
  }

  /// Returns nearly the same error as the function `sampled`, but takes less time. It is accurate for
  /// Gaussians that are much wider than a pixel, because the sum over pixels is replaced by an integral over
  /// the radius. If `a` is 0, the narrower Gaussian is a single pixel, which is counted separately.
  private static func continuous(_ a: Double, _ b: Double, _ t: Double, _ sigma: Double) -> Double {
    let steps = 2000
    let width = 6 * b / Double(steps)
    var sum = a == 0 ? 1 - t : 0
    for i in 0..<steps {
      let radius = (Double(i) + 0.5) * width
      /// Returns the value of the Gaussian of `sigma` at the distance `radius` from its centre, multiplied by
      /// the circumference of the circle with this radius.
      func ring(_ sigma: Double) -> Double {
        guard sigma > 0 else { return 0 }
        let distance = radius / sigma
        return radius / (sigma * sigma) * Double.exp(-distance * distance / 2)
      }
      sum += abs(ring(sigma) - (1 - t) * ring(a) - t * ring(b)) * width
    }
    return sum / 2
  }
}
