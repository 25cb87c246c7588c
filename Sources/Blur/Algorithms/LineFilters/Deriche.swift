/// Replaces the Gaussian by a sum of damped cosines. Each cosine is computed by one recursion that runs
/// forwards and one that runs backwards, and their results are added.
///
/// Source: R. Deriche, "Recursively implementing the Gaussian and its derivatives", INRIA report 1893 (1993).
/// With the coefficients of the paper, the sum of all weights differs from 1 by up to 3 %. Here the weights
/// are divided by their sum, so that the brightness of an image does not change.
struct Deriche: BlurKernel {
  /// The number of exponentials whose sum approximates the Gaussian, from 2 to 4. A pair of complex conjugate
  /// exponentials counts as two.
  let order: Int

  var name: String { "deriche-\(order)" }
  var summary: String {
    "Deriche's recursive filter of order \(order): damped cosines, forwards and backwards"
  }

  /// The largest difference from the exact Gaussian blur at any sigma is 11.4 levels for order 2, 1.4 levels
  /// for order 3, and 0.22 levels for order 4. A level is 1/255 of full scale. ``AxisPlan`` describes how
  /// these numbers were found.
  var promise: Promise { .approximation(levels: order == 2 ? 15 : order == 3 ? 2 : 1) }

  func plan(_ problem: BlurProblem) -> any Plan {
    AxisPlan(problem, cost: cost(problem)) { DericheFilter(sigma: $0, order: order, isNormalized: true) }
  }

  func cost(_ problem: BlurProblem) -> Cost { .alongLines(problem, operations: order == 2 ? 8 : 16) }
}

/// The recursions of Deriche's filter of a given order, in double precision.
package struct DericheFilter: AxisFilter {
  private let sections: [Section]
  package let radius: Int
  package var constantRadius: Int { 0 }

  /// The coefficients α and λ of a term Re α e^(−λ|x|/σ), each with its real and imaginary part.
  private typealias Term = (alpha: (Double, Double), lambda: (Double, Double))

  /// Returns the terms of Deriche's approximation of the Gaussian, for a given order, as published in his
  /// paper. The paper lists a term and its complex conjugate separately. Here, both are combined into one
  /// term with twice the weight.
  private static func published(_ order: Int) -> [Term] {
    switch order {
    case 2: [((0.9629, 1.942), (1.26, 0.8448))]
    case 3: [((-0.8929, 1.021), (1.512, 1.475)), ((1.898, 0), (1.556, 0))]
    default: [((1.68, 3.735), (1.783, 0.6318)), ((-0.6803, -0.2598), (1.723, 1.997))]
    }
  }

  /// Creates the recursions for a Gaussian of `sigma` pixels. `order` must be 2, 3 or 4. If `isNormalized` is
  /// true, the weights of Deriche's paper are divided by their sum, so that the filter does not change the
  /// brightness of an image.
  package init(sigma: Double, order: Int, isNormalized: Bool) {
    let terms = Self.published(order)
    // At a sigma of 0.01, only the centre still has any weight, so a smaller sigma would give the same
    // result. Smaller sigmas are replaced with 0.01, because 1/σ would be infinite for a tiny sigma.
    let sigma = max(sigma, 0.01)
    let fitted = terms.map { term in
      let scale = 1 / (sigma * (2 * Double.pi).squareRoot())
      return Section(
        alpha: (term.alpha.0 * scale, term.alpha.1 * scale),
        lambda: (term.lambda.0 / sigma, term.lambda.1 / sigma))
    }
    let sum = fitted.reduce(0) { $0 + $1.sum }
    sections = isNormalized ? fitted.map { $0.scaled(by: 1 / sum) } : fitted
    // The weights beyond the radius are neglected, so every term must have decayed by a factor of at least
    // 10¹³ at the radius. The term with the smallest λ decays most slowly, so the radius depends on this
    // term.
    //
    // The sum of all neglected weights is negligible, too. Beyond the radius, the weights of a term keep
    // shrinking by the factor e^(−λ) per pixel, so their sum is only about 1/λ times the weight at the
    // radius. The largest weights of a term are about 2.
    let slowest = terms.reduce(.infinity) { min($0, $1.lambda.0) }
    radius = 4 + Int(sigma * Double.log(1e13) / slowest)
  }

  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    // SAFETY: the line and the scratch memory both have room for `count` samples.
    scratch.update(from: line, count: count)
    line.update(repeating: .zero, count: count)
    for section in sections {
      section.addForward(scratch, count, to: line)
      section.addBackward(scratch, count, to: line)
    }
  }

  /// One of the damped cosines whose sum approximates the Gaussian. It is computed by a recursion of second
  /// order, or of first order if its frequency is 0.
  private struct Section: Sendable {
    /// The weights of the current sample (`here`), of the sample before it (`before`), of the last result
    /// (`first`), and of the result before that (`second`).
    private var here: Double, before: Double
    private let first: Double, second: Double

    /// Creates the recursion whose response to a single sample is Re α e^(−λn) for n ≥ 0.
    init(alpha: (Double, Double), lambda: (Double, Double)) {
      let modulus = Double.exp(-lambda.0)
      let (real, imaginary) = (modulus * Double.cos(lambda.1), -modulus * Double.sin(lambda.1))
      here = alpha.0
      if lambda.1 == 0 {
        (before, first, second) = (0, modulus, 0)
      } else {
        before = -(alpha.0 * real + alpha.1 * imaginary)
        (first, second) = (2 * real, -modulus * modulus)
      }
    }

    private var recursion: Double { (1 - first) - second }
    /// The weights that the backward recursion gives to the next sample and to the sample after that. With
    /// these weights, the backward impulse response is the mirror image of the forward one, but it leaves out
    /// the current sample, which the forward recursion already counts.
    private var after: (next: Double, second: Double) { (before + first * here, second * here) }
    /// The sum of the weights of all samples in the forward recursion. `backwardSum` is the same sum for the
    /// backward recursion.
    private var forwardSum: Double { (here + before) / recursion }
    private var backwardSum: Double { (after.next + after.second) / recursion }
    var sum: Double { forwardSum + backwardSum }

    func scaled(by factor: Double) -> Section {
      var section = self
      section.here *= factor
      section.before *= factor
      return section
    }

    /// Runs the recursion forwards and adds its result to the line. The result at a position is the weighted
    /// sum of the sample there and of all samples before it.
    @inline(never)
    func addForward(
      _ samples: UnsafePointer<Lanes>, _ count: Int, to line: UnsafeMutablePointer<Lanes>
    ) {
      let (here, before) = (Lanes(repeating: here), Lanes(repeating: before))
      let (first, second) = (Lanes(repeating: first), Lanes(repeating: second))
      // SAFETY: `samples` and `line` both hold `count` vectors, and `count` is at least 1.
      var sample = samples[0]
      var last = Lanes(repeating: forwardSum) * sample
      var previous = last
      for i in 0..<count {
        let next = samples[i]
        let result = (here * next + before * sample + second * previous) + first * last
        (sample, last, previous) = (next, result, last)
        line[i] += result
      }
    }

    /// Runs the recursion backwards and adds its result to the line. The result at a position is the weighted
    /// sum of all samples after it.
    @inline(never)
    func addBackward(
      _ samples: UnsafePointer<Lanes>, _ count: Int, to line: UnsafeMutablePointer<Lanes>
    ) {
      let (near, far) = (Lanes(repeating: after.next), Lanes(repeating: after.second))
      let (first, second) = (Lanes(repeating: first), Lanes(repeating: second))
      // SAFETY: `samples` and `line` both hold `count` vectors, and `count` is at least 1.
      var (next, following) = (samples[count - 1], samples[count - 1])
      var last = Lanes(repeating: backwardSum) * next
      var previous = last
      var i = count
      while i > 0 {
        i -= 1
        let result = (near * next + far * following + second * previous) + first * last
        (next, following, last, previous) = (samples[i], next, result, last)
        line[i] += result
      }
    }
  }
}
