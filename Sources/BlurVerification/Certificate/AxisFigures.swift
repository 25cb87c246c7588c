import Blur

/// The measured characteristics of a kernel along one axis.
public struct AxisFigures: Sendable, Hashable, Codable {
  /// The number of pixels after which the weights repeat, for output pixels far from the edges. It is 1 if
  /// all these pixels have the same weights, and 4 for a kernel that downsamples by 4.
  public let period: Int
  /// The largest error, in levels of 1/255 of full scale, in any image that varies along this axis only.
  public let worstLevels: Double
  /// The position along this axis of the output pixel at which the largest error, ``worstLevels``, occurs.
  public let worstAt: Int
  /// The sum of the absolute differences between the measured weights and the weights of the exact Gaussian,
  /// at the output pixel where this sum is largest. Mathematically, this sum is the operator norm of the
  /// error with respect to the maximum norm.
  public let l1: Double
  /// The standard deviation of the kernel's weights in pixels, and its ratio to the requested sigma. If
  /// neighbouring output pixels have different weights, the square of the standard deviation is averaged over
  /// one period. The ratio is nil if the requested sigma is 0.
  public let achievedSigma: Double, sigmaRatio: Double?
  /// The value of ``sigmaRatio`` for the exact Gaussian. For sigmas below 1, even this ratio is clearly below
  /// 1, because the Gaussian is sampled only at whole pixels. The value is nil if the requested sigma is 0.
  public let truthRatio: Double?
  /// The smallest and the largest sum of weights over all output pixels. A sum of 1 means that the brightness
  /// does not change. In edge mode `constant`, output pixels near the edges are left out. Part of their
  /// window lies outside the image, so the weights of the image's pixels add up to less than 1.
  public let leastSum: Double, greatestSum: Double
  /// The smallest weight. If it is negative, the blur overshoots at edges in the image.
  public let leastWeight: Double
  /// The largest differences, in levels, between weights that should be equal. The difference between two
  /// sets of weights is half the sum of the absolute differences between their elements. `asymmetry` compares
  /// the weights on the two sides of an output pixel, and `shiftVariance` compares the weights of two output
  /// pixels. Both values are 0 for a perfect Gaussian.
  public let asymmetry: Double, shiftVariance: Double

  init(_ pair: AxisPair, period: Int, sigma: Double, edge: EdgeMode) {
    self.period = period
    let measured = pair.measured
    let phases = Array(pair.phases(period))
    worstAt = pair.worst
    worstLevels = pair.worst(worstAt)
    l1 = (0..<measured.count).map(pair.absolute).max() ?? 0
    let squares = phases.map { measured.moments($0) }.map { $0.variance + $0.mean * $0.mean }
    achievedSigma = max(0, squares.reduce(0, +) / Double(phases.count)).squareRoot()
    sigmaRatio = sigma > 0 ? achievedSigma / sigma : nil
    truthRatio = sigma > 0 ? Truth.deviation(sigma) / sigma : nil
    let loses = if case .constant = edge { true } else { false }
    let sums = (loses ? phases : Array(0..<measured.count)).map(measured.sum)
    (leastSum, greatestSum) = (sums.min() ?? 0, sums.max() ?? 0)
    leastWeight = measured.weights.min() ?? 0
    asymmetry = 255 * (phases.map(measured.asymmetry).max() ?? 0)
    shiftVariance =
      255 * (phases.flatMap { a in phases.map { b in measured.difference(a, b) } }.max() ?? 0)
  }

  /// Returns the number of pixels after which the weights repeat. Two weights count as equal if rounding
  /// errors can explain their difference. If no repetition is found, the function returns the number of
  /// compared pixels.
  static func period(of pair: AxisPair) -> Int {
    let (measured, interior) = (pair.measured, pair.interior)
    let allowed = interior.map { roundingLevels + pair.uncertainty($0) + 255 * pair.far($0) }
    let candidates = 1...max(1, interior.count / 2)
    return candidates.first { period in
      (0..<interior.count - period).allSatisfy { i in
        let first = interior.lowerBound + i
        return 255 * measured.difference(first, first + period) <= allowed[i] + allowed[i + period]
      }
    } ?? interior.count
  }

  /// The largest difference, in levels, that single-precision rounding can cause between two sets of weights.
  /// In exact arithmetic, the two sets would be equal.
  private static let roundingLevels = 0.001
}
