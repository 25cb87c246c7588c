/// A recursion of order three to five forwards and then backwards.
///
/// Source: L. J. van Vliet, I. T. Young, P. W. Verbeek, "Recursive Gaussian derivative filters", ICPR 1998.
/// Their poles, fitted at sigma 2, are scaled until the variance is sigma². Below a sigma of .7 no scaled
/// poles make a sensible filter: there the image is mixed with its blur of .7, so that the variance is still
/// right.
struct VanVlietYoungVerbeek: BlurKernel {
  /// The number of poles, from 3 to 5.
  let order: Int

  var name: String { "vyv-\(order)" }
  var summary: String {
    "van Vliet, Young and Verbeek's recursion, forwards and then backwards, order \(order)"
  }

  /// At most 19.7, 16.4 and 15.8 levels, near sigma .56; 13.1, 7.4 and 4.6 from 1 on; 4.8, 1.6 and .54 from
  /// 12 on. See ``AxisPlan`` for how that was found.
  var promise: Promise { .approximation(levels: order == 3 ? 25 : order == 4 ? 21 : 20) }

  func plan(_ problem: BlurProblem) -> any Plan {
    AxisPlan(problem) { VanVlietYoungVerbeekFilter(sigma: $0, order: order) }
  }

  func cost(_ problem: BlurProblem) -> Cost {
    .alongLines(problem, operations: Double((order + 1) / 2) * 6)
  }
}

/// The recursion of an order, double precision.
package struct VanVlietYoungVerbeekFilter: AxisFilter {
  private let cascade: RecursiveCascade
  /// How much of the recursion's result is taken; the rest is the line itself.
  private let share: Double

  package var radius: Int { cascade.radius }
  package var constantRadius: Int { 0 }

  /// A pole, with its conjugate unless it is real; outside the unit circle, as the paper has them.
  private typealias Pole = (real: Double, imaginary: Double)

  /// The paper's poles for smoothing.
  private static func published(_ order: Int) -> [Pole] {
    switch order {
    case 3: [(1.41650, 1.00829), (1.86543, 0)]
    case 4: [(1.13228, 1.28114), (1.78534, 0.46763)]
    default: [(0.86430, 1.45389), (1.61433, 0.83134), (1.87504, 0)]
    }
  }
  private static let smallestSigma = 0.7

  /// The recursion of `order` poles, from 3 to 5, for `sigma` pixels.
  package init(sigma: Double, order: Int) {
    let deviation = GaussianTaps.deviation(sigma)
    let designed = max(deviation, Self.smallestSigma)
    let poles = Self.poles(order, sigma: designed)
    cascade = RecursiveCascade(
      poles.map {
        $0.angle == 0
          ? RecursiveSection($0.modulus, 0) : RecursiveSection(modulus: $0.modulus, angle: $0.angle)
      })
    share = deviation * deviation / (designed * designed)
  }

  /// The poles d^(−1/q), inside the unit circle, for the q that makes the variance sigma².
  private static func poles(_ order: Int, sigma: Double) -> [(modulus: Double, angle: Double)] {
    func scaled(_ q: Double) -> [(modulus: Double, angle: Double)] {
      published(order).map {
        // By its square: `hypot` differs between the C libraries of x86-64 and 64-bit ARM, in its last bit.
        let squared = $0.real * $0.real + $0.imaginary * $0.imaginary
        return (Double.exp(-Double.log(squared) / (2 * q)), Double.atan2($0.imaginary, $0.real) / q)
      }
    }
    // The variance rises with q, and is about 4q².
    var (low, high) = (sigma / 4, 2 * sigma)
    for _ in 0..<100 {
      let middle = (low + high) / 2
      if variance(scaled(middle)) < sigma * sigma { low = middle } else { high = middle }
    }
    return scaled(high)
  }

  /// Σ 2p/(1 − p)² over all poles p.
  private static func variance(_ poles: [(modulus: Double, angle: Double)]) -> Double {
    poles.reduce(0) { sum, pole in
      let (squared, real) = (pole.modulus * pole.modulus, pole.modulus * Double.cos(pole.angle))
      let distance = 1 - 2 * real + squared
      let part = 2 * (real * (1 + squared) - 2 * squared) / (distance * distance)
      return sum + (pole.angle == 0 ? part : 2 * part)
    }
  }

  package func scratchCount(_ count: Int) -> Int { cascade.scratchCount + (share < 1 ? count : 0) }

  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    guard share < 1 else { return cascade.filter(line, count, scratch) }
    // SAFETY: scratch has room for `count` samples after the cascade's part.
    let samples = scratch + cascade.scratchCount
    samples.update(from: line, count: count)
    cascade.filter(line, count, scratch)
    let share = Lanes(repeating: share)
    for i in 0..<count { line[i] = samples[i] + share * (line[i] - samples[i]) }
  }
}
