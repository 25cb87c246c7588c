/// Approximates the Gaussian by four steps of the heat equation. Each step is a first-order recursion, run
/// forwards and then backwards.
///
/// Source: L. Alvarez, L. Mazorra, "Signal and image restoration using shock filters and anisotropic
/// diffusion", SIAM Journal on Numerical Analysis 31 (1994). The size of each step depends on the number of
/// steps, and is computed with the formula in P. Getreuer, "A survey of Gaussian convolution algorithms",
/// IPOL 2013.
struct AlvarezMazorra: BlurKernel {
  let name = "alvarez-mazorra"
  let summary = "recursive filters that take four implicit steps of the heat equation"
  /// The largest difference from the exact Gaussian blur is 38 levels, near sigma 0.74. It is at most 30
  /// levels for sigma ≥ 1, and at most 13 levels for sigma ≥ 12. A level is 1/255 of full scale. ``AxisPlan``
  /// describes how these numbers were found.
  let promise = Promise.approximation(levels: 50)

  func plan(_ problem: BlurProblem) -> any Plan {
    AxisPlan(problem, cost: cost(problem)) { RecursiveCascade(heatOf: $0) }
  }

  func cost(_ problem: BlurProblem) -> Cost { .alongLines(problem, operations: 12) }
}

extension RecursiveCascade {
  /// Creates a filter of four equal steps of the heat equation, which together approximate a Gaussian of
  /// `sigma` pixels. Each step is a forward and a backward recursion.
  ///
  /// Linear filters may run in any order. Therefore all four forward recursions run first, followed by the
  /// four backward recursions. Every two first-order recursions are combined into one second-order recursion.
  package init(heatOf sigma: Double) {
    let steps = 4.0
    let adjusted =
      GaussianTaps.deviation(sigma) * (1 + (0.3165 * steps + 0.5695) / ((steps + 0.7818) * (steps + 0.7818)))
    let lambda = adjusted * adjusted / (2 * steps)
    // The usual formula is ν = (1 + 2λ − √(1 + 4λ)) / 2λ. The formula below gives the same value, but it does
    // not subtract two nearly equal numbers, which would lose digits.
    let nu = 2 * lambda / (1 + 2 * lambda + (1 + 4 * lambda).squareRoot())
    self.init([RecursiveSection(nu, nu), RecursiveSection(nu, nu)])
  }
}
