/// Stack blur: the weighted mean under a triangular window.
///
/// Source: M. Klingemann, "Stack Blur: a fast but goodlooking blur" (2004). The weights of his stack are 1 2
/// … r+1 … 2 1, and their variance is r(r + 2)/6. The radius r is chosen so that this variance equals the
/// variance of the Gaussian, and is then rounded to a whole number.
struct Stack: BlurKernel {
  let name = "stack"
  let summary = "stack blur: a mean with tent-shaped weights, computed with running sums"
  /// The largest difference from the exact Gaussian blur is 97 levels, near sigma 0.5. It is at most 49
  /// levels for sigma ≥ 1, and at most 22 levels for sigma ≥ 12, where rounding the radius to a whole number
  /// matters less. A level is 1/255 of full scale. ``AxisPlan`` describes how these numbers were found.
  let promise = Promise.approximation(levels: 125)

  func plan(_ problem: BlurProblem) -> any Plan {
    AxisPlan(problem, cost: cost(problem)) { StackFilter(sigma: $0) }
  }

  func cost(_ problem: BlurProblem) -> Cost { .alongLines(problem, operations: 8, overrun: 4, ofAll: true) }
}

/// A blur with a triangular window along one axis. It is computed with three running sums: one over the whole
/// window, one over its rising half, and one over its falling half.
package struct StackFilter: AxisFilter {
  /// The number of samples on each side of the centre that the window covers.
  package let radius: Int

  /// Creates the filter that approximates a Gaussian of `sigma` pixels. The radius is chosen so that the
  /// triangular window has the variance of the Gaussian, and is then rounded to a whole number.
  package init(sigma: Double) {
    let deviation = GaussianTaps.deviation(sigma)
    radius = Int(((1 + 6 * deviation * deviation).squareRoot() - 1).rounded())
  }

  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    guard radius > 0 else { return }
    // SAFETY: the scratch memory has space for `count` vectors. The caller has extended the line by `radius`
    // samples at both ends, so `count` is larger than 2 · `radius`. All indices are therefore between 0 and
    // `last`, the index of the last sample.
    scratch.update(from: line, count: count)
    let (samples, last) = (UnsafePointer(scratch), count - 1)
    let scale = Lanes(repeating: 1 / Double((radius + 1) * (radius + 1)))
    var (sum, entering, leaving) = (Lanes.zero, Lanes.zero, Lanes.zero)
    for j in 0...radius {
      sum += Lanes(repeating: Double(j + 1)) * samples[j]
      if j > 0 { sum += Lanes(repeating: Double(radius + 1 - j)) * samples[radius + j] }
      leaving += samples[j]
      entering += samples[min(radius + 1 + j, last)]
    }
    for i in radius..<count - radius {
      line[i] = sum * scale
      sum += entering - leaving
      entering += samples[min(i + radius + 2, last)] - samples[i + 1]
      leaving += samples[i + 1] - samples[i - radius]
    }
  }
}
