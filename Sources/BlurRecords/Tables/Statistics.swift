import Foundation

/// Statistics of samples.
public enum Statistics {
  /// The middle value, or the mean of the two in the middle; nil of nothing.
  public static func median(_ values: [Double]) -> Double? { quantile(0.5, of: values) }

  /// The value below which a share of the values lies, interpolated linearly between neighbours
  /// (Hyndman and Fan's type 7, as in R and NumPy); nil of nothing.
  ///
  /// - Parameter share: from 0, the smallest value, to 1, the largest.
  public static func quantile(_ share: Double, of values: [Double]) -> Double? {
    guard !values.isEmpty, (0...1).contains(share) else { return nil }
    let sorted = values.sorted()
    let position = share * Double(sorted.count - 1)
    let below = Int(position)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (position - Double(below)) * (sorted[above] - sorted[below])
  }

  /// The distance between the quartiles; nil of nothing.
  public static func interquartileRange(_ values: [Double]) -> Double? {
    guard let upper = quantile(0.75, of: values), let lower = quantile(0.25, of: values) else { return nil }
    return upper - lower
  }

  /// The nth root of the product; nil of nothing, or where a value is not positive.
  public static func geometricMean(_ values: [Double]) -> Double? {
    guard !values.isEmpty, values.allSatisfy({ $0 > 0 }) else { return nil }
    return exp(values.reduce(0) { $0 + log($1) } / Double(values.count))
  }
}
