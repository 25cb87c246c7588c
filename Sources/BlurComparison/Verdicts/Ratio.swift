import Foundation

/// A ratio of times, new over old, with its interval of confidence: 1.05 is 5 % slower.
public struct Ratio: Codable, Equatable, Sendable {
  /// The estimate, and the ends of the interval.
  public var estimate: Double, low: Double, high: Double

  /// Makes a ratio.
  public init(estimate: Double, low: Double, high: Double) {
    self.estimate = estimate
    self.low = low
    self.high = high
  }

  /// The ratio whose logarithm has this estimate and interval.
  public init(logarithm estimate: Double, _ interval: ClosedRange<Double>) {
    self.init(estimate: exp(estimate), low: exp(interval.lowerBound), high: exp(interval.upperBound))
  }
}
