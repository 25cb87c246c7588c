import Blur

/// Measures the weights of a kernel along one axis. The result is a matrix of weights, which are much more
/// precise than the values that the pixel format can hold.
///
/// The weights could be measured by blurring images with a single white pixel, but in 8 bits, most weights
/// would be lost in rounding. Therefore, the kernel blurs N images whose lines have N pixels and consist of
/// bright and dark pixels. The patterns are the N Walsh functions. At some randomly chosen pixels, bright and
/// dark are exchanged in every pattern. A fast Walsh–Hadamard transform of the blurred lines gives all
/// weights at once. Each weight is thus a mean over N images, so rounding errors nearly cancel out. Such a
/// set of patterns is called a weighing design (F. Yates, "Complex experiments", 1935, and H. Hotelling,
/// "Some improvements in weighing and other experimental techniques", 1944).
///
/// In integer formats, small values (a dither) that vary along the other axis are added to each image.
/// Because of the dither, the mean of the rounded results over that axis is close to the result before
/// rounding. Each pattern is blurred twice with the same dither: as it is, and with bright and dark
/// exchanged. Subtracting one result from the other removes the dither.
struct LineProbe {
  let test: KernelUnderTest
  let axis: Axis
  /// The width and height of the test images in pixels, which is a power of two.
  let count: Int
  /// The two pixel values of the test images are `middle` plus `swing` and `middle` minus `swing`, in the
  /// format's own units. In integer formats, both are so far from black and white that overshoots of the
  /// kernel are not cut off.
  private let middle: Double, swing: Double
  /// Whether blurs in this format are rounded to integers. If they are, small values (a dither) are added to
  /// the test images, so that the rounding errors cancel out in averages.
  let isDithered: Bool
  /// A measured weight below this limit may be only a rounding error that averaging has not removed. In 8-bit
  /// formats, the limit is the weight that changes a result by 1/50 of a code value. In other formats, it is
  /// 0.
  let leastWeight: Double
  private let signs: [Bool]
  /// The range of positions, along the axis that is not measured, over which blurred values are averaged.
  /// These positions are so far from the edges that the edge mode does not influence the values there.
  let used: Range<Int>

  init(_ test: KernelUnderTest, _ axis: Axis, count: Int) {
    self.test = test
    self.axis = axis
    self.count = count
    let full = test.format.fullScale
    isDithered = test.format.component != .float32
    leastWeight = test.format.component == .uint8 ? 0.02 / (full * 5 / 16) : 0
    (middle, swing) = isDithered ? ((full / 2).rounded(.down), (full * 5 / 16).rounded(.down)) : (0.5, 0.5)
    var random = SplitMix64(seed: 17)
    signs = (0..<count).map { _ in random.next() & 1 == 0 }
    let radius = (axis == .across ? test.radius.y : test.radius.x) + 1
    // In integer formats, blurred values are averaged over all positions that no edge influences, so that
    // rounding errors cancel out. Float formats have hardly any rounding errors, so a few positions suffice.
    let margin = min(isDithered ? radius : max(radius, 7 * count / 16), count / 2 - 1)
    used = margin..<count - margin
  }

  /// Returns the side, in pixels, of the square test images for this sigma. It is a power of two.
  ///
  /// The weights of a pyramid kernel repeat after a few pixels. For example, if the kernel halves the image
  /// three times, every eighth output pixel has the same weights. The test images must be so large that the
  /// edges do not influence at least two such periods. Each edge influences 6 sigmas, so an image of 14
  /// sigmas leaves 2 sigmas for the two periods.
  static func side(for sigma: Sigma) -> Int {
    let needed = Int(14 * max(sigma.x, sigma.y)) + 24
    return 1 << (Int.bitWidth - (needed - 1).leadingZeroBitCount)
  }

  /// Whether the dither is random noise instead of a brightness ramp. A ramp gives more precise results, but
  /// it is itself rounded to whole code values, and only a strong blur smooths the pattern that this rounding
  /// leaves.
  var isNoisy: Bool { min(test.sigma.x, test.sigma.y) < 1.5 }

  /// The typical error of a measured weight, caused by rounding the blurred images to integers. A mean of N
  /// rounded values has an error of about 0.3/√N code values if noise was added to the images, and of about
  /// 0.5/N code values if a ramp was added.
  var expectedNoise: Double {
    guard isDithered else { return 0 }
    let positions = Double(used.count)
    let code = isNoisy ? 0.3 / positions.squareRoot() : 0.5 / positions
    return code / (swing * Double(2 * count).squareRoot())
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
    // Each channel holds a pattern of its own. With three channels, the last image has more channels than
    // there are patterns left, so its extra results are dropped.
    return solved(Array(answers.prefix(count)))
  }

  /// Returns the value of pixel `k` in test pattern number `pattern`. A `sign` of −1 exchanges bright and
  /// dark in the whole pattern.
  private func value(_ k: Int, pattern: Int, sign: Double) -> Double {
    let isLow = (k & pattern).nonzeroBitCount & 1 == 1
    return middle + sign * (isLow == signs[k] ? swing : -swing)
  }

  /// Computes the kernel's weights from the blurred test patterns.
  ///
  /// - Parameter answers: One line for each pattern: half the difference between the blurred pattern and the
  ///   blur of the same pattern with bright and dark exchanged.
  private func solved(_ answers: [[Double]]) -> LineOperator {
    var weights = [Double](repeating: 0, count: count * count)
    let unit = 1 / (swing * Double(count))
    for i in 0..<count {
      let sums = walshTransform(answers.map { $0[i] })
      for k in 0..<count { weights[i * count + k] = (signs[k] ? -sums[k] : sums[k]) * unit }
    }
    return LineOperator(count: count, weights: weights)
  }
}
