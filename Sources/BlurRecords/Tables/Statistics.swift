import Foundation

/// Statistical functions for samples.
public enum Statistics {
  /// Returns the median, or nil if there are no values. The median of an even number of values is the mean of
  /// the two middle values.
  public static func median(_ values: [Double]) -> Double? { quantile(0.5, of: values) }

  /// Returns a quantile: the value below which the given fraction of the values lies. Returns nil if there
  /// are no values.
  ///
  /// The result is interpolated linearly between neighbouring values (Hyndman and Fan's type 7, as in R and
  /// NumPy).
  ///
  /// - Parameter share: The fraction, from 0 for the smallest value to 1 for the largest.
  public static func quantile(_ share: Double, of values: [Double]) -> Double? {
    guard !values.isEmpty, (0...1).contains(share) else { return nil }
    let sorted = values.sorted()
    let position = share * Double(sorted.count - 1)
    let below = Int(position)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (position - Double(below)) * (sorted[above] - sorted[below])
  }

  /// Returns the difference between the upper and lower quartiles, or nil if there are no values.
  public static func interquartileRange(_ values: [Double]) -> Double? {
    guard let upper = quantile(0.75, of: values), let lower = quantile(0.25, of: values) else { return nil }
    return upper - lower
  }

  /// Returns the nth root of the product of n values, or nil if there are no values or one of them is not
  /// positive.
  public static func geometricMean(_ values: [Double]) -> Double? {
    guard !values.isEmpty, values.allSatisfy({ $0 > 0 }) else { return nil }
    return exp(values.reduce(0) { $0 + log($1) } / Double(values.count))
  }
}
