import Blur

/// Measures what a kernel does along one axis, as a matrix, with far more precision than its format has.
///
/// Images that vary along one axis only are blurred. Their lines are Walsh functions, N of them for N pixels,
/// with the signs of a few columns exchanged at random; a fast Walsh–Hadamard transform of the answers gives
/// all impulse responses at once. (A weighing design: F. Yates, "Complex experiments", 1935, and H.
/// Hotelling, 1944. Each response is averaged over N images, where single impulses in 8 bits would drown in
/// rounding.)
///
/// In integer formats a dither rises by one code over the other axis, so that the mean over it is the answer
/// before rounding. Each line is blurred once more with black and white exchanged and the same dither, which
/// cancels in the difference.
struct LineProbe {
  let test: KernelUnderTest
  let axis: Axis
  /// Pixels of a line and of its image's other side, a power of two.
  let count: Int
  let scale: ProbeScale
  private let signs: [Bool]
  /// Positions along the other axis that no edge reaches.
  let used: Range<Int>

  init(_ test: KernelUnderTest, _ axis: Axis, count: Int) {
    self.test = test
    self.axis = axis
    self.count = count
    scale = ProbeScale(test.format)
    var random = SplitMix64(seed: 17)
    signs = (0..<count).map { _ in random.next() & 1 == 0 }
    let radius = (axis == .across ? test.radius.y : test.radius.x) + 1
    // Where there is nothing to be averaged, a few in the middle are farthest from what edges do.
    let margin = min(scale.isDithered ? radius : max(radius, 7 * count / 16), count / 2 - 1)
    used = margin..<count - margin
  }

  /// The side of images on which sigma has an interior: beside both edges' windows, two periods of a
  /// resampling kernel.
  static func side(for sigma: Sigma) -> Int {
    let needed = Int(14 * max(sigma.x, sigma.y)) + 24
    return 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)
  }

  /// Whether the dither is noise, because small blurs do not smooth a ramp.
  var isNoisy: Bool { min(test.sigma.x, test.sigma.y) < 1.5 }

  /// What the rounding of answers leaves in a weight: the mean of N dithered values is off by about 0.3/√N
  /// codes with noise, and 0.5/N with a ramp.
  var expectedNoise: Double {
    guard scale.isDithered else { return 0 }
    let positions = Double(used.count)
    let code = isNoisy ? 0.3 / positions.squareRoot() : 0.5 / positions
    return code / (scale.swing * Double(2 * count).squareRoot())
  }

  /// How many images are blurred.
  var imageCount: Int { 2 * ((count - 1) / test.format.channels + 1) }

  /// Blurs all images and solves for the operator.
  func measured() throws -> LineOperator {
    let channels = test.format.channels
    let jobs = Array(stride(from: 0, to: count, by: channels * 4))
    let answers = try concurrentMap(jobs, isSerial: !test.isOurs) { first in
      Result<[[Double]], any Error> {
        var sheet = try ProbeSheet(self)
        sheet.dither(seed: UInt64(first))
        var answers: [[Double]] = []
        for start in stride(from: first, to: min(first + channels * 4, count), by: channels) {
          let lines = try sheet.answers { k, c in self.value(k, pattern: start + c, sign: 1) }
          let opposite = try sheet.answers { k, c in self.value(k, pattern: start + c, sign: -1) }
          answers += zip(lines, opposite).map { a, b in zip(a, b).map { ($0 - $1) / 2 } }
        }
        return answers
      }
    }.flatMap { try $0.get() }
    // Of three channels, the last image's has more patterns than there are.
    return solved(Array(answers.prefix(count)))
  }

  /// Walsh function number `pattern` at `k`, with that pixel's sign.
  private func value(_ k: Int, pattern: Int, sign: Double) -> Double {
    let isLow = (k & pattern).nonzeroBitCount & 1 == 1
    return scale.middle + sign * (isLow == signs[k] ? scale.swing : -scale.swing)
  }

  /// - Parameter answers: for each pattern, the answer along the line to its deviation from the middle.
  private func solved(_ answers: [[Double]]) -> LineOperator {
    var weights = [Double](repeating: 0, count: count * count)
    let unit = 1 / (scale.swing * Double(count))
    for i in 0..<count {
      let sums = WalshTransform.of(answers.map { $0[i] })
      for k in 0..<count { weights[i * count + k] = (signs[k] ? -sums[k] : sums[k]) * unit }
    }
    return LineOperator(count: count, weights: weights)
  }
}
