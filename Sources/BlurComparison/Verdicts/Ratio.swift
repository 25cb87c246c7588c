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

  /// Whether there were enough data for an interval.
  var isBounded: Bool { low > 0 && high < .greatestFiniteMagnitude }

  /// The ratio whose logarithm has this estimate and interval; unbounded where there is none.
  public init(logarithm estimate: Double, _ interval: ClosedRange<Double>?) {
    self.init(
      estimate: exp(estimate), low: interval.map { exp($0.lowerBound) } ?? 0,
      high: interval.map { exp($0.upperBound) } ?? .greatestFiniteMagnitude)
  }
}
