/// How far an animation is, by the time that has gone by.
///
/// Both are the cubic Bézier curves of Core Animation and CSS; times are shares of the duration, from 0 to 1.
enum Easing {
  /// Slow at first: (0.42, 0) (1, 1).
  static func easeIn(_ time: Double) -> Double { curve(time, 0.42, 1) }

  /// Slow at both ends: (0.42, 0) (0.58, 1).
  static func easeInOut(_ time: Double) -> Double { curve(time, 0.42, 0.58) }

  /// The curve with the control points (a, 0) and (b, 1).
  private static func curve(_ time: Double, _ a: Double, _ b: Double) -> Double {
    guard time > 0, time < 1 else { return max(0, min(1, time)) }
    // x(s) = 3 s (1 − s)² a + 3 s² (1 − s) b + s³ rises with s: halve the interval until it is found.
    var (low, high) = (0.0, 1.0)
    for _ in 0..<52 {
      let s = (low + high) / 2
      let x = s * (3 * a * (1 - s) * (1 - s) + s * (3 * b * (1 - s) + s))
      if x < time { low = s } else { high = s }
    }
    // y(s) = 3 s² (1 − s) + s³
    return low * low * (3 - 2 * low)
  }
}
