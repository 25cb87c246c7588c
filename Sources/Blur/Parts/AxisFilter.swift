/// A vector of eight samples at the same position in eight lines. A line is one channel of a row or of a
/// column. A filter processes eight lines at a time, one in each SIMD lane.
package typealias Lanes = SIMD8<Double>

/// A linear filter along a line of samples, in double precision. A line is one channel of a row or of a
/// column.
///
/// A filter may assume that the first sample is repeated forever before the line, and that the last sample is
/// repeated forever after it. This assumption is enough for every edge mode, because ``AxisPlan`` first
/// extends each line, according to the edge mode, by as many samples as the filter asks for.
package protocol AxisFilter: Sendable {
  /// The distance, in pixels, beyond which the weights of the filter sum to at most 1e-12. In the edge modes
  /// `mirror`, `reflect` and `wrap`, lines are extended by this many samples at each end.
  var radius: Int { get }
  /// The number of samples by which a line is extended at each end if all samples beyond the end have the
  /// same value, as with `clamp` and `constant`. Some filters start and end as if the outermost sample were
  /// repeated forever. They need no extension, so the number is 0. For all other filters, it is ``radius``.
  var constantRadius: Int { get }
  /// A Boolean value that indicates whether the rounding errors of a line depend on the lines in the other
  /// SIMD lanes. They do, for example, if the filter treats two lines as the real and the imaginary parts of
  /// one complex line.
  var mixesLines: Bool { get }
  /// Returns the number of vectors (``Lanes``) of scratch memory that the filter needs for lines of `count`
  /// samples.
  func scratchCount(_ count: Int) -> Int
  /// Filters eight lines of `count` samples each in place. Results that are closer to an end of the line than
  /// ``constantRadius`` may be wrong. They are not used, because they lie in the part by which the line was
  /// extended.
  func filter(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>)
}

extension AxisFilter {
  package var mixesLines: Bool { false }
  package func scratchCount(_ count: Int) -> Int { 0 }

  /// Returns the number of samples by which each line must be extended at both ends, in the given edge mode.
  ///
  /// In the edge mode `constant`, the number is at least 1. The filter assumes that the outermost sample of a
  /// line is repeated forever, so this sample must have the constant colour.
  func margin(_ edge: EdgeMode) -> Int {
    switch edge {
    case .clamp: constantRadius
    case .constant: max(1, constantRadius)
    case .mirror, .reflect, .wrap: radius
    }
  }
}
