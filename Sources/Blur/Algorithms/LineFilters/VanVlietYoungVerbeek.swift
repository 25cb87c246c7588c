/// A recursion of order three to five, run forwards and then backwards.
///
/// Source: L. J. van Vliet, I. T. Young, P. W. Verbeek, "Recursive Gaussian derivative filters", ICPR 1998.
/// The poles of the paper were fitted at sigma 2. Here they are scaled until the variance is sigma². Below a
/// sigma of 0.7, scaling the poles does not give a usable filter. For these sigmas, the image is mixed with a
/// copy that is blurred with sigma 0.7, in such a proportion that the variance is still sigma².
struct VanVlietYoungVerbeek: BlurKernel {
  /// The number of poles of the recursive filter, from 3 to 5.
  let order: Int

  var name: String { "vyv-\(order)" }
  var summary: String {
    "the recursive filter of order \(order) of van Vliet, Young and Verbeek, forwards and then backwards"
  }

  /// The largest difference from the exact Gaussian blur, for the orders 3, 4 and 5:
  /// - for all sigmas: 19.7, 16.4 and 15.8 levels, near sigma 0.56
  /// - for sigma ≥ 1: at most 13.1, 7.4 and 4.6 levels
  /// - for sigma ≥ 12: at most 4.8, 1.6 and 0.54 levels
  ///
  /// A level is 1/255 of full scale. ``AxisPlan`` describes how these numbers were found.
  var promise: Promise { .approximation(levels: order == 3 ? 25 : order == 4 ? 21 : 20) }

  func plan(_ problem: BlurProblem) -> any Plan {
    AxisPlan(problem, cost: cost(problem)) { VanVlietYoungVerbeekFilter(sigma: $0, order: order) }
  }

  func cost(_ problem: BlurProblem) -> Cost {
    .alongLines(problem, operations: Double((order + 1) / 2) * 6)
  }
}

/// The recursive filter of van Vliet, Young and Verbeek of a given order, in double precision.
package struct VanVlietYoungVerbeekFilter: AxisFilter {
  private let cascade: RecursiveCascade
  /// The weight of the recursion's result in the output. The unfiltered line has the weight 1 − `share`.
  private let share: Double

  package var radius: Int { cascade.radius }
  package var constantRadius: Int { 0 }

  /// A pole of the recursive filter. A complex pole also stands for its conjugate, which is not stored
  /// separately. The poles lie outside the unit circle, as in the paper by van Vliet, Young and Verbeek.
  private typealias Pole = (real: Double, imaginary: Double)

  /// Returns the poles of the smoothing filter of a given order, as published by van Vliet, Young and
  /// Verbeek.
  private static func published(_ order: Int) -> [Pole] {
    switch order {
    case 3: [(1.41650, 1.00829), (1.86543, 0)]
    case 4: [(1.13228, 1.28114), (1.78534, 0.46763)]
    default: [(0.86430, 1.45389), (1.61433, 0.83134), (1.87504, 0)]
    }
  }
  private static let smallestSigma = 0.7

  /// Creates the recursion for a Gaussian of `sigma` pixels. `order` is the number of poles, which must be 3,
  /// 4 or 5.
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

  /// Returns the poles of the filter for a Gaussian of `sigma` pixels. Each of these poles is d^(−1/q), where
  /// d is a published pole, and q is chosen so that the variance of the filter is sigma². These poles lie
  /// inside the unit circle.
  private static func poles(_ order: Int, sigma: Double) -> [(modulus: Double, angle: Double)] {
    func scaled(_ q: Double) -> [(modulus: Double, angle: Double)] {
      published(order).map {
        // The modulus is computed from its square and not with `hypot`, because the last bit of `hypot`
        // differs between the C libraries of x86-64 and 64-bit ARM.
        let squared = $0.real * $0.real + $0.imaginary * $0.imaginary
        return (Double.exp(-Double.log(squared) / (2 * q)), Double.atan2($0.imaginary, $0.real) / q)
      }
    }
    // The search looks for the scale q at which the variance is sigma². The variance rises with q, and is
    // about 4q², so the wanted q is near sigma/2.
    var (low, high) = (sigma / 4, 2 * sigma)
    for _ in 0..<100 {
      let middle = (low + high) / 2
      if variance(scaled(middle)) < sigma * sigma { low = middle } else { high = middle }
    }
    return scaled(high)
  }

  /// Returns the variance of the recursion, Σ 2p/(1 − p)² over all poles p.
  private static func variance(_ poles: [(modulus: Double, angle: Double)]) -> Double {
    poles.reduce(0) { sum, pole in
      let (squared, real) = (pole.modulus * pole.modulus, pole.modulus * Double.cos(pole.angle))
      let distance = 1 - 2 * real + squared
      let part = 2 * (real * (1 + squared) - 2 * squared) / (distance * distance)
      return sum + (pole.angle == 0 ? part : 2 * part)
    }
  }

  package func scratchCount(_ count: Int) -> Int { cascade.scratchCount(count) + (share < 1 ? count : 0) }

  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    guard share < 1 else { return cascade.filter(line, count, scratch) }
    // SAFETY: the scratch memory begins with the memory of the cascade of recursions, and has space for
    // `count` samples after it.
    let samples = scratch + cascade.scratchCount(count)
    samples.update(from: line, count: count)
    cascade.filter(line, count, scratch)
    let share = Lanes(repeating: share)
    for i in 0..<count { line[i] = samples[i] + share * (line[i] - samples[i]) }
  }
}
