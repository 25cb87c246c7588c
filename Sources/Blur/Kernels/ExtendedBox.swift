/// Three extended boxes in a row: boxes whose size is not a whole number, so that sigma is met exactly.
///
/// Source: P. Gwosdek, S. Grewenig, A. Bruhn, J. Weickert, "Theoretical foundations of Gaussian convolution
/// by extended box filtering", SSVM 2011.
struct ExtendedBox: BlurKernel {
  let name = "extended-box"
  let summary = "three boxes of fractional size, by running sums"
  /// At most 24 levels, near sigma .66; 13 from 1 on and 11 from 12 on. See ``AxisPlan`` for how that was
  /// found.
  let promise = Promise.approximation(levels: 30)

  func plan(_ problem: BlurProblem) -> any Plan {
    AxisPlan(problem) { ExtendedBoxFilter(sigma: $0, passes: 3) }
  }

  func cost(_ problem: BlurProblem) -> Cost { .alongLines(problem, operations: 18, overrun: 4, ofAll: true) }
}

/// Some passes of a box that weighs its samples with 1, and one more to each side with a share of that.
package struct ExtendedBoxFilter: AxisFilter {
  /// Samples to each side of a box that weigh 1.
  package let boxRadius: Int
  /// The weight of the samples beyond them, from 0 to 1.
  package let share: Double
  private let passes: Int

  package var radius: Int { passes * (boxRadius + 1) }
  package var constantRadius: Int { radius }

  /// Boxes that have together the variance of the Gaussian of `sigma` pixels, by Gwosdek's equations.
  package init(sigma: Double, passes: Int) {
    let deviation = GaussianTaps.deviation(sigma)
    let variance = deviation * deviation / Double(passes)
    boxRadius = Int((0.5 * (12 * variance + 1).squareRoot() - 0.5).rounded(.down))
    let (inner, outer) = (Double(boxRadius), Double(boxRadius + 1))
    share = (2 * inner + 1) * (inner * outer - 3 * variance) / (6 * (variance - outer * outer))
    self.passes = passes
  }

  /// Equal boxes of whole and odd size, whose variance together is nearest to sigma²: plain box filtering, as
  /// in W. M. Wells, "Efficient synthesis of Gaussian filters by cascaded uniform filters" (1986).
  package init(plainSigma sigma: Double, passes: Int) {
    boxRadius = Int((0.5 * (12 * sigma * sigma / Double(passes) + 1).squareRoot()).rounded(.down))
    share = 0
    self.passes = passes
  }

  package func scratchCount(_ count: Int) -> Int { count }

  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    guard boxRadius > 0 || share > 0 else { return }
    // SAFETY: scratch has room for `count` lanes; each pass reads boxRadius + 1 beyond what it writes.
    var (source, target) = (line, scratch)
    var positions = 0..<count
    for _ in 0..<passes {
      positions = positions.lowerBound + boxRadius + 1..<positions.upperBound - boxRadius - 1
      mean(of: source, positions, into: target)
      swap(&source, &target)
    }
    if source != line { (line + radius).update(from: source + radius, count: positions.count) }
  }

  /// One pass over `positions`.
  private func mean(
    of source: UnsafePointer<Lanes>, _ positions: Range<Int>, into target: UnsafeMutablePointer<Lanes>
  ) {
    let weight = 1 / (2 * share + Double(2 * boxRadius + 1))
    let (inner, outer) = (Lanes(repeating: weight), Lanes(repeating: weight * share))
    var sum = Lanes.zero
    // SAFETY: `positions` leave boxRadius + 1 samples at both ends.
    let first = positions.lowerBound
    for i in first - boxRadius...first + boxRadius { sum += source[i] }
    for i in positions {
      let (left, right) = (source[i - boxRadius - 1], source[i + boxRadius + 1])
      target[i] = sum * inner + (left + right) * outer
      sum += right - source[i - boxRadius]
    }
  }
}
