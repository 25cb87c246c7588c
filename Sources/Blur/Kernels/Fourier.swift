/// The Gaussian by the fast Fourier transform: a product of spectra in place of a sum over the window.
///
/// Source: the convolution theorem, with the transform of J. W. Cooley and J. W. Tukey
/// (``FourierTransform``). The window is the sampled Gaussian out to six sigma, as in the definition of
/// truth, folded where it is longer than the image. The cost hardly depends on sigma.
struct Fourier: BlurKernel {
  let name = "fft"
  let summary = "product of spectra, by the fast Fourier transform in double precision"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) -> any Plan {
    let longest = max(problem.layout.width, problem.layout.height)
    return AxisPlan(problem) { sigma, count in
      FourierFilter(GaussianTaps(sigma: sigma, tail: 0).folded(problem.edge, count), longest: longest)
    }
  }

  func cost(_ problem: BlurProblem) -> Cost {
    .alongLines(
      problem, overrun: { min(6 * $0, Double(problem.edge.longestRadius($1))) },
      operations: { 10 * Double(Int($0).bitWidth - Int($0).leadingZeroBitCount) })
  }
}

/// Convolution with the sampled Gaussian of lines of any length up to a longest one.
package struct FourierFilter: AxisFilter {
  /// Taps to each side.
  package let radius: Int
  package var constantRadius: Int { radius }

  private let transform: FourierTransform
  /// The Gaussian's spectrum in the order of the transform. It is real, for the window is symmetric; so the
  /// two lines that are packed into one of complex numbers stay apart.
  private let spectrum: [Double]

  /// The filter of `sigma` pixels for lines of up to `longest` samples, not counting what continues them.
  package init(sigma: Double, longest: Int) {
    self.init(GaussianTaps(sigma: sigma, tail: 0), longest: longest)
  }

  /// The filter of a window.
  init(_ taps: GaussianTaps, longest: Int) {
    radius = taps.radius
    // A constant edge stands beside a line even where the window has no neighbours.
    let length = FourierTransform.length(for: longest + 2 * max(1, taps.radius))
    transform = FourierTransform(largest: length)
    var window = [Lanes](repeating: .zero, count: length)
    for (k, weight) in taps.half.enumerated() {
      window[k] = Lanes(repeating: weight)
      window[k == 0 ? 0 : length - k] = Lanes(repeating: weight)
    }
    for k in window.indices { window[k].highHalf = .zero }
    window.withUnsafeMutableBufferPointer { [transform] in
      // SAFETY: a length is 1 at least.
      transform.forward($0.start, length)
    }
    // The spectrum at the places of a shorter transform is the beginning of this one.
    spectrum = window.map { $0[0] }
  }

  /// Two lines are one of complex numbers.
  package var mixesLines: Bool { true }

  package func scratchCount(_ count: Int) -> Int { FourierTransform.length(for: count) }

  /// The convolution is circular: what is nearer than `radius` to an end mixes with the other end.
  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    let length = FourierTransform.length(for: count)
    // SAFETY: scratch has room for `length` lanes.
    scratch.update(from: line, count: count)
    (scratch + count).update(repeating: .zero, count: length - count)
    transform.forward(scratch, length)
    spectrum.withUnsafeBufferPointer { spectrum in
      let scale = 1 / Double(length)
      for i in 0..<length { scratch[i] *= spectrum[i] * scale }
    }
    transform.backward(scratch, length)
    line.update(from: scratch, count: count)
  }
}
