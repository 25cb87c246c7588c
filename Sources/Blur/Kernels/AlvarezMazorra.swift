/// Four steps of the heat equation, each a recursion of first order forwards and backwards.
///
/// Source: L. Alvarez, L. Mazorra, "Signal and image restoration using shock filters and anisotropic
/// diffusion", SIAM Journal on Numerical Analysis 31 (1994), with the time step that P. Getreuer, "A survey
/// of Gaussian convolution algorithms", IPOL 2013, fits to the number of steps.
struct AlvarezMazorra: BlurKernel {
  let name = "alvarez-mazorra"
  let summary = "four implicit steps of the heat equation, recursive"
  /// At most 38 levels, near sigma .74; 30 from 1 on and 13 from 12 on. See ``AxisPlan`` for how that was
  /// found.
  let promise = Promise.approximation(levels: 50)

  func plan(_ problem: BlurProblem) -> any Plan { AxisPlan(problem) { AlvarezMazorraFilter(sigma: $0) } }

  func cost(_ problem: BlurProblem) -> Cost { .alongLines(problem, operations: 12) }
}

/// Four equal steps. All go forwards before all go backwards, two at a time: it is the same filter.
package struct AlvarezMazorraFilter: AxisFilter {
  private let cascade: RecursiveCascade

  package var radius: Int { cascade.radius }
  package var constantRadius: Int { 0 }

  /// The steps for `sigma` pixels.
  package init(sigma: Double) {
    let steps = 4.0
    let adjusted =
      GaussianTaps.deviation(sigma) * (1 + (0.3165 * steps + 0.5695) / ((steps + 0.7818) * (steps + 0.7818)))
    let lambda = adjusted * adjusted / (2 * steps)
    // (1 + 2λ − √(1 + 4λ))/2λ, without the difference.
    let nu = 2 * lambda / (1 + 2 * lambda + (1 + 4 * lambda).squareRoot())
    cascade = RecursiveCascade([RecursiveSection(nu, nu), RecursiveSection(nu, nu)])
  }

  package func scratchCount(_ count: Int) -> Int { cascade.scratchCount }

  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) { cascade.filter(line, count, scratch) }
}
