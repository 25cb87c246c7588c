import Blur

/// What a kernel does to lines along one axis, in figures.
public struct AxisFigures: Sendable, Hashable, Codable {
  /// After how many pixels the weights repeat in the interior: 1 if the kernel is the same everywhere.
  public let period: Int
  /// The worst case of images that vary along this axis only, in levels.
  public let worstLevels: Double
  /// The pixel whose worst case that is.
  public let worstAt: Int
  /// The largest sum of absolute errors of a pixel's weights: the error's norm from maximum to maximum.
  public let l1: Double
  /// Standard deviation of the weights in pixels, over all phases, and its ratio to what was asked for.
  public let achievedSigma: Double, sigmaRatio: Double?
  /// The least and the greatest sum of a pixel's weights; with constant edges, of the interior.
  public let leastSum: Double, greatestSum: Double
  /// The least weight: below 0, edges overshoot.
  public let leastWeight: Double
  /// How far weights are from their mirror image, and those of two phases from each other: half the sum of
  /// differences in levels.
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

  /// After how many pixels the interior of an operator repeats, as far as can be told from rounding; the
  /// whole interior if it does not.
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

  /// How far single-precision weights may be apart that are the same in exact arithmetic.
  private static let roundingLevels = 0.001
}
