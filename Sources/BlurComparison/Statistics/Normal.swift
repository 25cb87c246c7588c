import Foundation

/// The normal distribution with a mean of 0 and a standard deviation of 1.
enum Normal {
  /// Returns the probability that a number with the standard normal distribution is below `z`.
  static func below(_ z: Double) -> Double { erfc(-z / 2.0.squareRoot()) / 2 }

  /// Returns the value below which the fraction `share` of the distribution lies, found by bisection.
  ///
  /// - Parameter share: A fraction greater than 0 and less than 1.
  static func quantile(_ share: Double) -> Double {
    var low = -40.0
    var high = 40.0
    for _ in 0..<100 {
      let middle = (low + high) / 2
      if below(middle) < share { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// Returns a normally distributed random number with mean 0 and standard deviation 1 (Box and Muller, "A
  /// Note on the Generation of Random Normal Deviates", 1958).
  static func draw(using generator: inout some RandomNumberGenerator) -> Double {
    // The random number can be 0, whose logarithm is infinite. One minus the random number is always
    // positive.
    let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
  }
}
