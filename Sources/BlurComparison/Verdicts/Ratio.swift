import Foundation

/// The ratio of a new time to an old time, with its confidence interval. A ratio of 1.05 means that the new
/// time is 5 % longer.
public struct Ratio: Codable, Equatable, Sendable {
  /// The estimate, and the ends of the confidence interval.
  public var estimate: Double, low: Double, high: Double

  /// Whether there were enough times for a confidence interval.
  var isBounded: Bool { low > 0 && high < .greatestFiniteMagnitude }
}

extension Ratio {
  /// Creates a ratio from the logarithm of its estimate and the logarithms of the ends of its confidence
  /// interval. If `interval` is nil, the ratio has no bounds.
  init(logarithm estimate: Double, _ interval: ClosedRange<Double>?) {
    self.init(
      estimate: exp(estimate), low: interval.map { exp($0.lowerBound) } ?? 0,
      high: interval.map { exp($0.upperBound) } ?? .greatestFiniteMagnitude)
  }
}
