/// One step of eight lines that are filtered at once: their samples at one position.
package typealias Lanes = SIMD8<Double>

/// A linear filter along a line, in double precision.
///
/// What lies beyond a line's ends is its first and its last sample, for ever: that suffices for every edge
/// mode, for ``AxisPlan`` continues lines by as many samples as the filter asks for before it hands them
/// over.
package protocol AxisFilter: Sendable {
  /// How far away a sample still counts, in pixels: beyond it weigh at most 1e-12 together. Lines that
  /// continue in some pattern are continued this far.
  var radius: Int { get }
  /// How far lines are continued that go on with equal samples: 0 for filters that begin and end as if they
  /// had seen such a sample for ever, ``radius`` for others.
  var constantRadius: Int { get }
  /// Whether the last bits of a line depend on the lines that are filtered beside it.
  var mixesLines: Bool { get }
  /// Room the filter needs for itself, in lanes, for a line of `count`.
  func scratchCount(_ count: Int) -> Int
  /// Replaces a line of `count` lanes by its filtered samples. Those within ``constantRadius`` of an end need
  /// not be right.
  func filter(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>)
}

extension AxisFilter {
  package var mixesLines: Bool { false }
  package func scratchCount(_ count: Int) -> Int { 0 }

  /// How far lines are continued for an edge mode. The constant is one sample at least, which the filter then
  /// takes to go on.
  func margin(_ edge: EdgeMode) -> Int {
    switch edge {
    case .clamp: constantRadius
    case .constant: max(1, constantRadius)
    case .mirror, .reflect, .wrap: radius
    }
  }
}
