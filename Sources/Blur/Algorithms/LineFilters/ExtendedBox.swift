/// Three extended boxes, applied one after another. The size of an extended box need not be a whole number,
/// so the blur can have exactly the sigma that was requested.
///
/// Source: P. Gwosdek, S. Grewenig, A. Bruhn, J. Weickert, "Theoretical foundations of Gaussian convolution
/// by extended box filtering", SSVM 2011.
struct ExtendedBox: BlurKernel {
  let name = "extended-box"
  let summary = "three box filters of fractional width, computed with running sums"
  /// The largest difference from the exact Gaussian blur is 24 levels, near sigma 0.66. It is at most 13
  /// levels for sigma ≥ 1, and at most 11 levels for sigma ≥ 12. A level is 1/255 of full scale. ``AxisPlan``
  /// describes how these numbers were found.
  let promise = Promise.approximation(levels: 30)

  func plan(_ problem: BlurProblem) -> any Plan {
    AxisPlan(problem, cost: cost(problem)) { ExtendedBoxFilter(sigma: $0, passes: 3) }
  }

  func cost(_ problem: BlurProblem) -> Cost { .alongLines(problem, operations: 18, overrun: 4, ofAll: true) }
}

/// Several passes of an extended box. The inner samples of the box have the weight 1. One more sample on each
/// side has a smaller weight.
package struct ExtendedBoxFilter: AxisFilter {
  /// The number of samples on each side of the centre that have the weight 1.
  package let boxRadius: Int
  /// The weight of the outermost sample on each side, from 0 to 1.
  package let share: Double
  private let passes: Int

  package var radius: Int { passes * (boxRadius + 1) }

  /// Creates boxes whose variances add up to the variance of a Gaussian of `sigma` pixels. The equations are
  /// from the paper by Gwosdek and others.
  package init(sigma: Double, passes: Int) {
    let deviation = GaussianTaps.deviation(sigma)
    let variance = deviation * deviation / Double(passes)
    boxRadius = Int((0.5 * (12 * variance + 1).squareRoot() - 0.5).rounded(.down))
    let (inner, outer) = (Double(boxRadius), Double(boxRadius + 1))
    share = (2 * inner + 1) * (inner * outer - 3 * variance) / (6 * (variance - outer * outer))
    self.passes = passes
  }

  /// Creates plain boxes of equal size, as in W. M. Wells, "Efficient synthesis of Gaussian filters by
  /// cascaded uniform filters" (1986). At the ideal size, the variances of all boxes add up to sigma². The
  /// boxes get the odd whole size that is nearest to this ideal size.
  package init(plainSigma sigma: Double, passes: Int) {
    boxRadius = Int((0.5 * (12 * sigma * sigma / Double(passes) + 1).squareRoot()).rounded(.down))
    share = 0
    self.passes = passes
  }

  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    guard boxRadius > 0 || share > 0 else { return }
    // SAFETY: the scratch memory has space for `count` vectors. Each pass reads up to boxRadius + 1 vectors
    // before and after the vectors that it writes. The range `positions` therefore shrinks by boxRadius + 1
    // at both ends in each pass.
    var (source, target) = (line, scratch)
    var positions = 0..<count
    for _ in 0..<passes {
      positions = positions.lowerBound + boxRadius + 1..<positions.upperBound - boxRadius - 1
      mean(of: source, positions, into: target)
      swap(&source, &target)
    }
    if source != line { (line + radius).update(from: source + radius, count: positions.count) }
  }

  /// Applies the extended box once to `source`, and writes the weighted means for all `positions` to
  /// `target`.
  private func mean(
    of source: UnsafePointer<Lanes>, _ positions: Range<Int>, into target: UnsafeMutablePointer<Lanes>
  ) {
    let weight = 1 / (2 * share + Double(2 * boxRadius + 1))
    let (inner, outer) = (Lanes(repeating: weight), Lanes(repeating: weight * share))
    var sum = Lanes.zero
    // SAFETY: there are at least boxRadius + 1 samples before the first and after the last of `positions`.
    let first = positions.lowerBound
    for i in first - boxRadius...first + boxRadius { sum += source[i] }
    for i in positions {
      let (left, right) = (source[i - boxRadius - 1], source[i + boxRadius + 1])
      target[i] = sum * inner + (left + right) * outer
      sum += right - source[i - boxRadius]
    }
  }
}
