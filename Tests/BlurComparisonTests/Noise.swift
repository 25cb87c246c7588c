import BlurVerification
import Foundation

/// A source of random values with median 0. Equal seeds give equal values.
struct Noise {
  enum Shape: CaseIterable, Sendable { case normal, laplace, heavy, uniform }

  let shape: Shape
  var generator: SplitMix64

  init(_ shape: Shape = .normal, seed: Int) {
    self.shape = shape
    generator = SplitMix64(seed: UInt64(seed) &* 0x9E37_79B9 &+ 17)
  }

  /// Returns the next random value. With the shape `normal`, its standard deviation is 1.
  mutating func next() -> Double {
    let share = Double.random(in: 1e-9..<1, using: &generator)
    switch shape {
    case .uniform: return share - 0.5
    case .laplace: return share < 0.5 ? log(2 * share) : -log(2 * (1 - share) + 1e-12)
    // The tangent gives a Cauchy distribution, which does not even have a mean.
    case .heavy: return tan(.pi * (share - 0.5))
    case .normal:
      return (-2 * log(share)).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
    }
  }

  mutating func values(_ count: Int) -> [Double] { (0..<count).map { _ in next() } }
}
