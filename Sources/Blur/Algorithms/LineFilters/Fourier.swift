/// Computes the Gaussian by the fast Fourier transform. Instead of summing over the window for each pixel, it
/// multiplies the spectrum of a line by the spectrum of the window.
///
/// Source: the convolution theorem, with the transform of J. W. Cooley and J. W. Tukey
/// (``FourierTransform``). The window is the sampled Gaussian out to six sigma, as in this project's
/// definition of the exact result. If the window is longer than the image, several weights of the window can
/// apply to the same pixel. These weights are then added up. The cost hardly depends on sigma.
struct Fourier: BlurKernel {
  let name = "fft"
  let summary = "multiplies spectra, with the fast Fourier transform in double precision"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) -> any Plan {
    let longest = max(problem.layout.width, problem.layout.height)
    return AxisPlan(problem, cost: cost(problem)) { sigma, count in
      FourierFilter(GaussianTaps(sigma: sigma, tail: 0).folded(problem.edge, count), longest: longest)
    }
  }

  func cost(_ problem: BlurProblem) -> Cost {
    .alongLines(
      problem, overrun: { min(6 * $0, Double(problem.edge.longestRadius($1))) },
      operations: { 10 * Double(Int($0).bitWidth - Int($0).leadingZeroBitCount) })
  }
}

/// A filter that convolves lines with the sampled Gaussian. The initializer sets the maximum length of a
/// line.
package struct FourierFilter: AxisFilter {
  /// The radius of the window: the number of weights on each side of its centre.
  package let radius: Int

  private let transform: FourierTransform
  /// The spectrum of the Gaussian, in the frequency order of the transform. The spectrum is real, because the
  /// window is symmetric. Two lines can therefore be filtered together, as the real and the imaginary part of
  /// a complex line, without being mixed.
  private let spectrum: [Double]

  /// Creates the filter for a given window, and for lines of up to `longest` samples. This number does not
  /// include the samples that are added at the ends of each line.
  init(_ taps: GaussianTaps, longest: Int) {
    radius = taps.radius
    // A line is extended at both ends before it is filtered, and the transform must have space for the
    // additional samples. At each end, the number of additional samples is the radius of the window. In the
    // constant edge mode, there is at least one additional sample, even if the radius is 0.
    let length = FourierTransform.length(for: longest + 2 * max(1, taps.radius))
    transform = FourierTransform(largest: length)
    var window = [Lanes](repeating: .zero, count: length)
    for (k, weight) in taps.half.enumerated() {
      window[k] = Lanes(repeating: weight)
      window[k == 0 ? 0 : length - k] = Lanes(repeating: weight)
    }
    for k in window.indices { window[k].highHalf = .zero }
    window.withUnsafeMutableBufferPointer { [transform] in
      // SAFETY: the buffer holds `length` vectors, and `length` is at least 1.
      transform.forward($0.start, length)
    }
    // The frequencies are ordered so that the spectrum for a shorter transform is the beginning of the
    // spectrum for a longer one. Therefore, this single table is enough for transforms of all lengths.
    spectrum = window.map { $0[0] }
  }

  /// Whether the rounding errors of a line depend on the samples of other lines. This is true here, because
  /// two lines are packed into one line of complex numbers and transformed together.
  package var mixesLines: Bool { true }

  package func scratchCount(_ count: Int) -> Int { FourierTransform.length(for: count) }

  /// Filters a line. The convolution is circular, so samples from one end of the line affect the results at
  /// the other end. Only the results within `radius` samples of an end are wrong, and the caller ignores
  /// these results.
  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    let length = FourierTransform.length(for: count)
    // SAFETY: the scratch memory has space for `length` vectors, and `length` is at least `count`.
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
