import Blur

/// Measures the operator of a kernel along one axis, as a matrix, with much higher precision than its format
/// has.
///
/// The probe blurs images that vary along one axis only. Their lines are the N Walsh functions of N pixels,
/// with the signs of randomly chosen columns flipped. A fast Walsh–Hadamard transform of the blurred lines
/// gives all impulse responses at once. Each response is thus averaged over N images, whereas a single
/// impulse in 8 bits would be lost in rounding. Such a plan is a weighing design: F. Yates, "Complex
/// experiments", 1935, and H. Hotelling, 1944.
///
/// In integer formats, a small dither is added that varies along the other axis. The mean of the rounded
/// results over that axis is then close to the result before rounding. Each line is also blurred with black
/// and white exchanged and with the same dither. The difference between the two results no longer contains
/// the dither.
struct LineProbe {
  let test: KernelUnderTest
  let axis: Axis
  /// The number of pixels in a line, which is also the image's extent along the other axis. It is a power of
  /// two.
  let count: Int
  let scale: ProbeScale
  private let signs: [Bool]
  /// The range of positions over which the blurred values are averaged. The positions lie along the axis that
  /// is not measured, so far from the edges of the image that the edges do not influence them.
  let used: Range<Int>

  init(_ test: KernelUnderTest, _ axis: Axis, count: Int) {
    self.test = test
    self.axis = axis
    self.count = count
    scale = ProbeScale(test.format)
    var random = SplitMix64(seed: 17)
    signs = (0..<count).map { _ in random.next() & 1 == 0 }
    let radius = (axis == .across ? test.radius.y : test.radius.x) + 1
    // Each blurred value is averaged over several positions along the other axis. In integer formats, all
    // positions that no edge influences are used, because rounding errors cancel out in an average of many
    // values. Float formats have hardly any rounding errors, so a few positions in the middle are enough.
    let margin = min(scale.isDithered ? radius : max(radius, 7 * count / 16), count / 2 - 1)
    used = margin..<count - margin
  }

  /// Returns the side, in pixels, of the square images with which a kernel is measured at this sigma. The
  /// side is a power of two. It is large enough that the edges do not influence the middle of the image, and
  /// that the weights of a kernel that downsamples repeat at least twice in this middle part.
  static func side(for sigma: Sigma) -> Int {
    let needed = Int(14 * max(sigma.x, sigma.y)) + 24
    return 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)
  }

  /// Whether the dither that is added to the images is random noise. Otherwise, the dither is a brightness
  /// ramp, which is better, but works only if the blur is strong enough to smooth the ramp's rounding
  /// pattern. Noise is therefore used at small sigmas.
  var isNoisy: Bool { min(test.sigma.x, test.sigma.y) < 1.5 }

  /// The typical error of a measured weight that comes from rounding the blurred images to integers. Each
  /// weight is computed from means of N rounded values. Such a mean is wrong by about 0.3/√N code values if
  /// the dither is noise, and by about 0.5/N code values if the dither is a ramp.
  var expectedNoise: Double {
    guard scale.isDithered else { return 0 }
    let positions = Double(used.count)
    let code = isNoisy ? 0.3 / positions.squareRoot() : 0.5 / positions
    return code / (scale.swing * Double(2 * count).squareRoot())
  }

  /// The number of images to blur.
  var imageCount: Int { 2 * ((count - 1) / test.format.channels + 1) }

  /// Blurs all test images and computes the matrix of the kernel's weights from the results.
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
    // Each image holds one pattern per channel. With three channels, the last image holds more patterns than
    // are needed, because `count` is a power of two and not a multiple of 3. The results of these extra
    // patterns are dropped.
    return solved(Array(answers.prefix(count)))
  }

  /// Returns the value of pixel `k` in test pattern number `pattern`. The patterns are Walsh functions, so
  /// each contains only two values, a bright one and a dark one. At some randomly chosen pixels, bright and
  /// dark are exchanged in every pattern. A `sign` of −1 inverts the whole pattern.
  private func value(_ k: Int, pattern: Int, sign: Double) -> Double {
    let isLow = (k & pattern).nonzeroBitCount & 1 == 1
    return scale.middle + sign * (isLow == signs[k] ? scale.swing : -scale.swing)
  }

  /// Computes the kernel's weights from the blurred Walsh functions.
  ///
  /// - Parameter answers: For each Walsh function, half the difference between its blurred line and the
  ///   blurred line with black and white exchanged.
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
