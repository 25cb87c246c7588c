import Blur

extension Truth {
  /// Which blur is meant.
  public enum Definition: String, CaseIterable, Sendable {
    case gaussian
    case tripleBox = "triple-box"

    /// The weights of one axis from left to right; an odd number of them that sum to 1.
    func weights(_ sigma: Double) -> [Double] {
      switch self {
      case .gaussian: Truth.gaussian(sigma)
      case .tripleBox: Truth.tripleBox(sigma)
      }
    }

    /// The definition that a kernel's ``Blur/Promise/specification(_:)`` names, if it is known here.
    init?(specification: String) {
      guard specification == "W3C triple box" else { return nil }
      self = .tripleBox
    }
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
