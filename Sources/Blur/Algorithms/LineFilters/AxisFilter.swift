/// A vector of eight numbers, which lets a filter process eight lines at a time. A line is one channel of an
/// image row or column. The vector at position i contains sample i of each of the eight lines.
package typealias Lanes = SIMD8<Double>

/// A linear filter along a line of samples, in double precision. A line is one channel of an image row or
/// column.
///
/// A filter may assume that the first sample is repeated forever before the line, and that the last sample is
/// repeated forever after it. This assumption is enough for every edge mode, because ``AxisPlan`` first
/// extends each line, according to the edge mode, by as many samples as the filter asks for.
package protocol AxisFilter: Sendable {
  /// The distance, in pixels, beyond which samples have almost no influence. The weights of all samples
  /// farther away sum to at most 1e-12. In the edge modes `mirror`, `reflect` and `wrap`, each line is
  /// extended by `radius` samples at each end.
  var radius: Int { get }
  /// The number of samples by which a line must be extended at each end in the edge modes `clamp` and
  /// `constant`. It is 0 if the filter itself already treats the line as if its first and its last sample
  /// were repeated forever. For all other filters, it is ``radius``.
  var constantRadius: Int { get }
  /// A Boolean value that indicates whether the rounding errors in a line depend on the other lines that are
  /// filtered at the same time. This is true, for example, if the filter packs two lines into one line of
  /// complex numbers.
  var mixesLines: Bool { get }
  /// Returns the number of vectors (``Lanes``) of scratch memory that the filter needs for eight lines of
  /// `count` samples each.
  func scratchCount(_ count: Int) -> Int
  /// Filters eight lines of `count` samples each, in place. The first and the last ``constantRadius`` results
  /// of each line may be wrong. The caller ignores them, because it has extended the line at both ends.
  func filter(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>)
}

extension AxisFilter {
  package var mixesLines: Bool { false }
  package var constantRadius: Int { radius }
  package func scratchCount(_ count: Int) -> Int { count }

  /// Returns the number of samples by which each line is extended at both ends, in the given edge mode. In
  /// the edge mode `constant`, the number is at least 1. A filter may repeat the outermost sample forever, so
  /// this sample must have the constant colour.
  func margin(_ edge: EdgeMode) -> Int {
    switch edge {
    case .clamp: constantRadius
    case .constant: max(1, constantRadius)
    case .mirror, .reflect, .wrap: radius
    }
  }
}
