import Blur
import Foundation

extension Truth {
  /// The weights of one axis from left to right; an odd number of them that sum to 1.
  static func weights(_ definition: Definition, _ sigma: Double) -> [Double] {
    guard sigma > 0 else { return [1] }
    switch definition {
    case .gaussian: return gaussian(sigma)
    case .tripleBox: return tripleBox(sigma)
    }
  }

  private static func gaussian(_ sigma: Double) -> [Double] {
    let radius = Int((6 * sigma).rounded(.up))
    let samples = (-radius...radius).map { exp(-pow(Double($0) / sigma, 2) / 2) }
    let sum = samples.reduce(0, +)
    return samples.map { $0 / sum }
  }

  /// The three boxes that the W3C's Filter Effects name in place of a Gaussian (`feGaussianBlur`):
  /// d = ⌊σ·3√(2π)/4 + ½⌋; three boxes of d where d is odd; two of d, half a pixel to either side, and one
  /// of d + 1 where it is even. d = 0 leaves the axis as it is.
  private static func tripleBox(_ sigma: Double) -> [Double] {
    let d = Int((sigma * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5).rounded(.down))
    guard d > 0 else { return [1] }
    let box = [Double](repeating: 1 / Double(d), count: d)
    let last = d.isMultiple(of: 2) ? [Double](repeating: 1 / Double(d + 1), count: d + 1) : box
    return convolved(convolved(box, box), last)
  }

  private static func convolved(_ a: [Double], _ b: [Double]) -> [Double] {
    var sums = [Double](repeating: 0, count: a.count + b.count - 1)
    for i in a.indices { for j in b.indices { sums[i + j] += a[i] * b[j] } }
    return sums
  }
}

extension Truth.Definition {
  /// The definition that a kernel's ``Blur/Promise/specification(_:)`` names, if it is known here.
  init?(specification: String) {
    guard specification == "W3C triple box" else { return nil }
    self = .tripleBox
  }
}

extension EdgeMode {
  /// A row of the constant pixel, as the format stores it; zeros for the other modes.
  func constantRow(_ layout: ImageLayout) -> [Double] {
    guard case .constant(let pixel) = self else {
      return [Double](repeating: 0, count: layout.rowComponents)
    }
    return (0..<layout.rowComponents).map {
      layout.format.stored(Double(pixel[$0 % layout.format.channels]))
    }
  }
}
