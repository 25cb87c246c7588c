/// How far an animation is, by the time that has gone by.
enum Easing {
  /// Slow at first: the cubic Bézier curve (0.42, 0) (1, 1) of Core Animation and CSS.
  ///
  /// - Parameter time: a share of the duration, from 0 to 1.
  static func easeIn(_ time: Double) -> Double {
    guard time > 0, time < 1 else { return max(0, min(1, time)) }
    // x(s) = 3 s (1 − s)² · 0.42 + 3 s² (1 − s) + s³ rises with s: halve the interval until it is found.
    var (low, high) = (0.0, 1.0)
    for _ in 0..<52 {
      let s = (low + high) / 2
      let x = s * (1.26 * (1 - s) * (1 - s) + s * (3 - 2 * s))
      if x < time { low = s } else { high = s }
    }
    // y(s) = 3 s² (1 − s) + s³
    return low * low * (3 - 2 * low)
  }
}
