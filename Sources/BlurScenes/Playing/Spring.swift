import Foundation

/// A damped spring that is released at position 0 and comes to rest at position 1, computed from the
/// closed-form solution of its equation of motion.
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

  /// Creates a spring that settles in a given time: after `duration` seconds, its oscillation around the
  /// final position is smaller than 1/4000. This bound is for a spring without an initial velocity, which
  /// would add a further deviation.
  init(damping: Double, velocity: Double = 0, settledAfter duration: Double) {
    self.damping = damping
    self.velocity = velocity
    // The oscillation around the final position decays as e^(−ζωt)/√(1 − ζ²). This line solves for the ω with
    // which it has decayed to 1/4000 after `duration` seconds.
    frequency = log(4000 / (1 - damping * damping).squareRoot()) / (damping * duration)
  }

  /// Returns the position of the spring after `time` seconds.
  func position(_ time: Double) -> Double {
    let decay = damping * frequency
    let swing = frequency * (1 - damping * damping).squareRoot()
    return 1 - exp(-decay * time) * (cos(swing * time) + (decay - velocity) / swing * sin(swing * time))
  }
}
