/// Stacked integral images: a sum of boxes of different sizes, each computed as the difference of two running
/// totals.
///
/// Source: A. Bhatia, W. E. Snyder, G. Bilbro, "Stacked integral image", ICRA 2010. The radii and weights
/// come from E. Elboher, M. Werman, "Efficient and accurate Gaussian image filtering using running sums",
/// ISDA 2012. They are used as described in P. Getreuer, "A survey of Gaussian convolution algorithms", IPOL
/// 2013.
struct StackedIntegrals: BlurKernel {
  let name = "sii"
  let summary = "stacked integral images: a weighted sum of three boxes of different sizes"
  /// The largest difference from the exact Gaussian blur is 124 levels, near sigma 0.43. It is at most 53
  /// levels for sigma ≥ 1. A level is 1/255 of full scale. ``AxisPlan`` describes how these numbers were
  /// found.
  let promise = Promise.approximation(levels: 160)

  func plan(_ problem: BlurProblem) -> any Plan {
    AxisPlan(problem, cost: cost(problem)) { StackedIntegralsFilter(sigma: $0, boxes: 3) }
  }

  func cost(_ problem: BlurProblem) -> Cost { .alongLines(problem, operations: 10, overrun: 4, ofAll: true) }
}

/// A weighted sum of three to five boxes.
package struct StackedIntegralsFilter: AxisFilter {
  /// The boxes, from the largest to the smallest. `radius` is the number of samples on each side of the
  /// centre, and `weight` is the weight of each sample.
  package let boxes: [(radius: Int, weight: Double)]

  package var radius: Int { boxes[0].radius + 1 }

  /// Returns the radii and weights that Elboher and Werman published for a sigma of 100/π pixels.
  private static func published(_ boxes: Int) -> [(radius: Double, weight: Double)] {
    switch boxes {
    case 3: [(76, 0.1618), (46, 0.5502), (23, 0.9495)]
    case 4: [(82, 0.0976), (56, 0.3376), (37, 0.6700), (19, 0.9649)]
    default: [(85, 0.0739), (61, 0.2534), (44, 0.5031), (30, 0.7596), (16, 0.9738)]
    }
  }

  /// Creates the boxes for a Gaussian of about `sigma` pixels. `count` is the number of boxes, which must be
  /// 3, 4 or 5.
  package init(sigma: Double, boxes count: Int) {
    let scale = GaussianTaps.deviation(sigma) * Double.pi / 100
    let scaled = Self.published(count).map { (Int($0.radius * scale + 0.5), $0.weight) }
    let sum = scaled.reduce(0) { $0 + $1.1 * Double(2 * $1.0 + 1) }
    boxes = scaled.map { (radius: $0.0, weight: $0.1 / sum) }
  }

  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    // SAFETY: the scratch memory has space for `count` running totals. The loop stays `radius` samples away
    // from both ends of the line. This is one more than the radius of the largest box, so all indices are
    // valid.
    var total = Lanes.zero
    for i in 0..<count {
      total += line[i]
      scratch[i] = total
    }
    for (k, box) in boxes.enumerated() {
      let weight = Lanes(repeating: box.weight)
      for i in radius..<count - radius {
        let sum = weight * (scratch[i + box.radius] - scratch[i - box.radius - 1])
        line[i] = k == 0 ? sum : line[i] + sum
      }
    }
  }
}
