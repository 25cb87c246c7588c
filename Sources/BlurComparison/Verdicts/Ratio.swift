import Foundation

/// The ratio of a new time to an old time, with its confidence interval. A ratio of 1.05 means that the new
/// time is 5 % longer.
public struct Ratio: Codable, Equatable, Sendable {
  /// The estimate, and the ends of the confidence interval.
  public var estimate: Double, low: Double, high: Double

  /// Creates a ratio from its estimate and the ends of its confidence interval.
  public init(estimate: Double, low: Double, high: Double) {
    self.estimate = estimate
    self.low = low
    self.high = high
  }

  /// Whether there were enough values for a confidence interval.
  var isBounded: Bool { low > 0 && high < .greatestFiniteMagnitude }

  /// Creates a ratio from the logarithm of its estimate and the logarithms of the ends of its confidence
  /// interval. If `interval` is nil, the ratio has no bounds.
  public init(logarithm estimate: Double, _ interval: ClosedRange<Double>?) {
    self.init(
      estimate: exp(estimate), low: interval.map { exp($0.lowerBound) } ?? 0,
      high: interval.map { exp($0.upperBound) } ?? .greatestFiniteMagnitude)
  }
}
