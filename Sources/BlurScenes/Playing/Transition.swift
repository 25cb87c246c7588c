import Foundation

/// A change on the screen, such as a fade or a slide, that takes a number of frames and may be undone later.
struct Transition: Sendable {
  /// The frame in which the transition begins.
  var start = 0
  /// The number of frames that the transition takes.
  let frames: Int
  /// The frame in which the transition has been completely undone, or nil if the transition is permanent. The
  /// transition is undone by playing it backwards during the last ``frames`` frames before this frame.
  var end: Int?
  var easing: @Sendable (Double) -> Double = Transition.linear

  /// Returns the progress of the transition in a frame: 0 before it begins, and 1 when it is complete.
  func progress(_ frame: Int) -> Double {
    let elapsed = end.map { min(frame - start, $0 - frame) } ?? frame - start
    return easing(Double(elapsed) / Double(frames))
  }
}

/// Timing curves of animations. Each function returns the progress of an animation at a point in time.
///
/// The curves are the cubic Bézier curves of Core Animation and CSS. Times are fractions of the animation's
/// duration. The progress is 0 for times below 0, and 1 for times above 1.
extension Transition {
  /// Returns the progress of an animation with a constant speed.
  static func linear(_ time: Double) -> Double { max(0, min(1, time)) }

  /// Returns the progress of an animation that starts slowly. The Bézier curve has the control points (0.42,
  /// 0) and (1, 1).
  static func easeIn(_ time: Double) -> Double { curve(time, 0.42, 1) }

  /// Returns the progress of an animation that starts and ends slowly. The Bézier curve has the control
  /// points (0.42, 0) and (0.58, 1).
  static func easeInOut(_ time: Double) -> Double { curve(time, 0.42, 0.58) }

  /// Returns the value of the Bézier curve with the control points (a, 0) and (b, 1) at a point in time.
  private static func curve(_ time: Double, _ a: Double, _ b: Double) -> Double {
    guard time > 0, time < 1 else { return linear(time) }
    // The Bézier curve consists of the points (x(s), y(s)) for s from 0 to 1. The time x(s) = 3 s (1 − s)² a
    // + 3 s² (1 − s) b + s³ increases with s, so bisection finds the s for which x(s) is `time`.
    var (low, high) = (0.0, 1.0)
    for _ in 0..<52 {
      let s = (low + high) / 2
      let x = s * (3 * a * (1 - s) * (1 - s) + s * (3 * b * (1 - s) + s))
      if x < time { low = s } else { high = s }
    }
    // The second coordinate of the Bézier curve is y(s) = 3 s² (1 − s) + s³ = s² (3 − 2 s).
    return low * low * (3 - 2 * low)
  }
}

/// A damped spring that is released at position 0 and comes to rest at position 1. Its position is computed
/// with the closed-form solution of the equation of motion.
///
///     x″ + 2ζω x′ + ω² (x − 1) = 0 with x(0) = 0, x′(0) = v and ζ < 1
///     x(t) = 1 − e^(−ζωt) (cos ω_d t + (ζω − v)/ω_d · sin ω_d t), ω_d = ω √(1 − ζ²)
struct Spring {
  /// The damping ratio ζ. A value below 1 makes the spring overshoot a little.
  let damping: Double
  /// The initial velocity v, per second. The unit of length is the distance from position 0 to position 1.
  let velocity: Double
  /// The undamped angular frequency ω, in radians per second.
  let frequency: Double

  /// Creates a spring that settles in a given time: after `duration` seconds, it stays within 1/4000 of its
  /// final position. This is exact for a spring without an initial velocity. An initial velocity makes the
  /// oscillation a little larger or smaller.
  init(damping: Double, velocity: Double = 0, settledAfter duration: Double) {
    self.damping = damping
    self.velocity = velocity
    // The oscillation around the final position decays as e^(−ζωt)/√(1 − ζ²). This line chooses ω so that the
    // oscillation has decayed to 1/4000 after `duration` seconds.
    frequency = log(4000 / (1 - damping * damping).squareRoot()) / (damping * duration)
  }

  /// Returns the position of the spring after `time` seconds.
  func position(_ time: Double) -> Double {
    let decay = damping * frequency
    let swing = frequency * (1 - damping * damping).squareRoot()
    return 1 - exp(-decay * time) * (cos(swing * time) + (decay - velocity) / swing * sin(swing * time))
  }
}
