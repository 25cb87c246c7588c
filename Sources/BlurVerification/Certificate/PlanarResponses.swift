import Blur

/// Finds the largest error of a linear kernel that is not separable, over all possible images.
///
/// The weights of such a kernel may differ between neighbouring pixels and repeat only after several pixels.
/// Each position within this period is called a phase. For each phase, the kernel blurs an image with a
/// single white pixel far from the edges. The format must be a float format, because rounding would hide a
/// single white pixel in an integer format.
struct PlanarResponses {
  let test: KernelUnderTest
  let side: Int
  /// The number of pixels after which the kernel's weights repeat, both along rows and along columns.
  let period: Int

  init(test: KernelUnderTest, side: Int, period: (x: Int, y: Int)) {
    self.test = test
    self.side = side
    self.period = period.x / Self.commonDivisor(period.x, period.y) * period.y
  }

  private static func commonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : commonDivisor(b, a % b) }

  /// The maximum number of test images. A kernel that needs more is not certified.
  static let mostImpulses = 4096

  /// The number of test images. Each test image has one white pixel (an impulse). The weights repeat after
  /// one period in both directions, so it is enough to place the impulse at each pixel of a square whose
  /// sides are one period long.
  var impulses: Int { period * period }

  /// The column and row of the first impulse. Both are the largest multiple of the period that is not greater
  /// than half the side of the image.
  private var centre: Int { side / 2 / period * period }

  /// Returns the largest error that any image can cause at an output pixel far from the edges. Only the
  /// pixels within one period are examined, because the other pixels have the same weights.
  func worst() throws -> WorstCase {
    var sums = [(absolute: Double, signed: Double)](repeating: (0, 0), count: impulses)
    try forEachWeight { x, y, _, _, error in
      let phase = modulo(y) * period + modulo(x)
      sums[phase].absolute += abs(error)
      sums[phase].signed += error
    }
    let levels = sums.map { 255 / 2 * ($0.absolute + abs($0.signed)) }
    let phase = levels.indices.max { levels[$0] < levels[$1] }!
    return WorstCase(
      levels: levels[phase], isBright: sums[phase].signed >= 0, x: centre + phase % period,
      y: centre + phase / period, uncertainty: 0)
  }

  /// Returns, for each input pixel in row order, whether its weight in the output pixel `worst` is larger in
  /// the kernel than in the Gaussian.
  func excess(at worst: WorstCase) throws -> [Bool] {
    var isExcess = [Bool](repeating: false, count: side * side)
    try forEachWeight { x, y, dx, dy, error in
      guard modulo(x) == modulo(worst.x), modulo(y) == modulo(worst.y) else { return }
      let (k, l) = (worst.x + dx, worst.y + dy)
      if (0..<side).contains(k) && (0..<side).contains(l) { isExcess[l * side + k] = error > 0 }
    }
    return isExcess
  }

  private func modulo(_ x: Int) -> Int { (x - centre + side * period) % period }

  /// Measures the weights of the kernel. The function blurs one image for each position of a white pixel (an
  /// impulse), and calls `body` for each pixel of each blurred image. The arguments of `body` are the pixel's
  /// position (x, y), the offset (dx, dy) from the pixel to the impulse, and the error of the weight: the
  /// measured weight minus the Gaussian weight.
  private func forEachWeight(_ body: (Int, Int, Int, Int, Double) -> Void) throws {
    let channels = test.format.channels
    let layout = try test.layout(side, side)
    let plan = try test.plan(layout)
    let gaussian = (x: Self.weights(test.sigma.x, side), y: Self.weights(test.sigma.y, side))
    var result = try Image(layout)
    for q in 0..<period {
      for p in 0..<period {
        let (k, l) = (centre + p, centre + q)
        let image = try Image.painted(layout) { x, y, _ in x == k && y == l ? 1 : 0 }
        try plan.blur(image, into: &result)
        result.withView { view in
          for y in 0..<side {
            for x in 0..<side {
              let reference = gaussian.x[abs(k - x)] * gaussian.y[abs(l - y)]
              body(x, y, k - x, l - y, view.value(x * channels, y) - reference)
            }
          }
        }
      }
    }
  }

  /// Returns the Gaussian weights for the distances from 0 to `count`.
  private static func weights(_ sigma: Double, _ count: Int) -> [Double] {
    let window = Truth.gaussian(sigma)
    let centre = window.count / 2
    return (0...count).map { $0 <= centre ? window[centre + $0] : 0 }
  }
}
