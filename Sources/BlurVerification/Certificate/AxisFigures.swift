import Blur

/// The measured characteristics of a kernel along one axis.
public struct AxisFigures: Sendable, Hashable, Codable {
  /// The number of pixels after which the weights repeat in the interior. It is 1 if the kernel is the same
  /// for every pixel.
  public let period: Int
  /// The worst-case error in levels of images that vary along this axis only.
  public let worstLevels: Double
  /// The position of the pixel that has this worst case.
  public let worstAt: Int
  /// The largest sum of the absolute errors of one pixel's weights, which is the operator norm of the error
  /// in the maximum norm.
  public let l1: Double
  /// The standard deviation of the weights in pixels, averaged over the pixels of one period, and its ratio
  /// to the requested sigma.
  public let achievedSigma: Double, sigmaRatio: Double?
  /// The smallest and the largest sum of one pixel's weights. With constant edges, only the interior counts.
  public let leastSum: Double, greatestSum: Double
  /// The smallest weight. If it is negative, the blur overshoots at edges in the image.
  public let leastWeight: Double
  /// The largest difference between one pixel's weights and their mirror image, and the largest difference
  /// between the weights of two pixels of one period. Both are half the sum of the absolute differences, in
  /// levels.
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
    let loses = if case .constant = edge { true } else { false }
    let sums = (loses ? phases : Array(0..<measured.count)).map(measured.sum)
    (leastSum, greatestSum) = (sums.min() ?? 0, sums.max() ?? 0)
    leastWeight = measured.weights.min() ?? 0
    asymmetry = 255 * (phases.map(measured.asymmetry).max() ?? 0)
    shiftVariance =
      255 * (phases.flatMap { a in phases.map { b in measured.difference(a, b) } }.max() ?? 0)
  }

  /// Returns the number of pixels after which the interior of an operator repeats, as far as rounding errors
  /// let it be recognised. If the interior does not repeat, the result is its length.
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

  /// The largest difference, in levels, between two sets of single-precision weights that are equal in exact
  /// arithmetic.
  private static let roundingLevels = 0.001
}
