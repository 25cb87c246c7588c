import Foundation

/// A damped spring that is pulled from 0 to 1, by the closed-form solution of its equation of motion.
///
/// x″ + 2ζω x′ + ω² (x − 1) = 0 with x(0) = 0, x′(0) = v and ζ < 1:
/// x(t) = 1 − e^(−ζωt) (cos ω_d t + (ζω − v)/ω_d · sin ω_d t), ω_d = ω √(1 − ζ²).
struct Spring {
  /// ζ, below 1: it overshoots a little.
  let damping: Double
  /// v, in the whole way a second.
  let velocity: Double
  /// ω in radians a second.
  let frequency: Double

  /// A spring that is within 1/4000 of its rest after `duration` seconds, but for what a velocity at the
  /// start adds.
  init(damping: Double, velocity: Double = 0, settledAfter duration: Double) {
    self.damping = damping
    self.velocity = velocity
    // The envelope is e^(−ζωt)/√(1 − ζ²).
    frequency = log(4000 / (1 - damping * damping).squareRoot()) / (damping * duration)
  }

  /// Where it is after `time` seconds.
  func position(_ time: Double) -> Double {
    let decay = damping * frequency
    let swing = frequency * (1 - damping * damping).squareRoot()
    return 1 - exp(-decay * time) * (cos(swing * time) + (decay - velocity) / swing * sin(swing * time))
  }
}
