import Foundation

/// The normal distribution with mean 0 and standard deviation 1.
enum Normal {
  /// The probability of a value below `z`.
  static func below(_ z: Double) -> Double { erfc(-z / 2.0.squareRoot()) / 2 }

  /// The value that `share` of the distribution is below, by bisection.
  ///
  /// - Parameter share: more than 0 and less than 1.
  static func quantile(_ share: Double) -> Double {
    var low = -40.0
    var high = 40.0
    for _ in 0..<100 {
      let middle = (low + high) / 2
      if below(middle) < share { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }

  /// A value by chance (Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958).
  static func draw(using generator: inout some RandomNumberGenerator) -> Double {
    // One minus it: the logarithm of 0 is infinite.
    let radius = (-2 * log(1 - Double.random(in: 0..<1, using: &generator))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
  }
}
