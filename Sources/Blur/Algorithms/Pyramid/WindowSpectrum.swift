/// The spectrum of the window that blurs the smallest level of a pyramid along one axis, and the weights of
/// the window, which are computed from the spectrum.
///
/// The spectrum of the window is the spectrum of the Gaussian divided by the spectra of the filters that
/// halve and double the image, because these filters blur the image as well. It is sampled at several
/// frequencies. All frequencies are in radians per pixel of the smallest level.
struct WindowSpectrum {
  /// For each sample, the cosines and sines of four frequencies, and the values of the spectrum at these
  /// frequencies.
  private var samples: [(cosine: SIMD4<Double>, sine: SIMD4<Double>, value: SIMD4<Double>)] = []
  /// The frequencies of the first sample. Each further sample has four frequencies that are higher by `step`.
  private let first: SIMD4<Double>, step: Double
  /// The number of weights on each side of the window.
  private let count: Int

  /// Samples the spectrum of the window of a pyramid.
  ///
  /// - Parameters:
  ///   - sigma: The sigma of the whole blur, in pixels of the image.
  ///   - repeated: Not nil if the window is repeated in steps of `period` pixels of the smallest level. Each
  ///     weight is then the sum of the weights of all repetitions at the same place, and there are `count`
  ///     weights on each side.
  init(_ design: PyramidDesign, _ sigma: Double, repeated: (period: Double, count: Int)? = nil) {
    let ratio = sigma / Double(1 << design.levels)
    count = repeated?.count ?? Int((8 * ratio).rounded(.up)) + 8
    // The number of frequencies below π is a multiple of four, because a sample has four frequencies. A
    // repeated window has only the multiples of a single frequency.
    let frequencies = max(64, (count + 1) / 2 * 4)
    let spacing = repeated.map { 2 * .pi / $0.period } ?? .pi / Double(frequencies)
    first = (SIMD4(0, 1, 2, 3) + (repeated == nil ? 0.5 : 0)) * spacing
    step = 4 * spacing
    var (frequency, angles) = (first, Angles(first, step: step))
    samples.reserveCapacity(frequencies / 4)
    // From a certain frequency on, the spectrum is below 10⁻¹⁴, so it no longer changes the weights.
    while frequency.x < .pi && ratio * frequency.x <= 9 {
      var value = Self.value(ratio * frequency, angles.cosine, design)
      if repeated != nil {
        // The frequency 0 occurs once. All others occur twice, once with each sign.
        if samples.isEmpty { value.x /= 2 }
        value.replace(with: 0, where: frequency .>= .pi)
      }
      samples.append((angles.cosine, angles.sine, value))
      angles.advance()
      frequency = first + Double(samples.count) * step
    }
  }

  /// Returns the value of the spectrum at four frequencies. If the result is smaller than the image, the
  /// value is multiplied by the spectrum of a mean over the block of image pixels that each pixel of the
  /// result covers.
  ///
  /// - Parameters:
  ///   - phase: The frequencies multiplied by sigma, which is in pixels of the smallest level.
  ///   - cosine: The cosines of the frequencies.
  private static func value(
    _ phase: SIMD4<Double>, _ cosine: SIMD4<Double>, _ design: PyramidDesign
  ) -> SIMD4<Double> {
    let exponent = phase * phase * -0.5
    let value = SIMD4<Double>(.exp(exponent.x), .exp(exponent.y), .exp(exponent.z), .exp(exponent.w))
    var (cosine, divisor) = (cosine, SIMD4<Double>(repeating: 1))
    // A filter of order n has the spectrum cosⁿ(ω/2), and is used for halving and for doubling. So the loop
    // divides n times by cos²(ω/2), which is (1 + cos ω) / 2. The loop begins with the smallest level. From
    // each level to the next larger one, ω becomes half as large, because it is in radians per pixel.
    for (level, order) in design.orders.enumerated().reversed() {
      cosine = ((1 + cosine) / 2).squareRoot()
      let square = (1 + cosine) / 2
      if level >= design.resultLevel {
        for _ in 0..<order { divisor *= square }
      } else {
        // This level is not computed again after the blur, so only its halving counts. One factor cos(ω/2) is
        // kept, because it is the spectrum of a mean over two pixels.
        let root = square.squareRoot()
        for _ in 1..<order { divisor *= root }
      }
    }
    return value / divisor
  }

  /// Returns the weights of one half of the window, from its centre to one side. No weight is negative. The
  /// weights of the window do not sum to 1, so the caller must scale them.
  func half() -> [Double] {
    var sums = [SIMD4<Double>](repeating: .zero, count: count)
    for (cosine, _, value) in samples {
      Self.add(value, cosine, before: cosine, first: SIMD4(repeating: 1), to: &sums)
    }
    return sums.map { max(0, $0.sum()) }
  }

  /// Returns the weights of the window at fractional distances from its centre. The caller must scale these
  /// weights as well.
  ///
  /// - Parameter offset: A distance from 0 to 1, in pixels of the smallest level.
  /// - Returns: `near` has the weights at the distances `offset`, `offset` + 1, …, and `far` has the weights
  ///   at the distances 1 − `offset`, 2 − `offset`, …
  func sides(offset: Double) -> (near: [Double], far: [Double]) {
    // The lower half of each vector belongs to `near`, and the upper half to `far`.
    var sums = [SIMD8<Double>](repeating: .zero, count: count)
    var angles = Angles(offset * first, step: offset * step)
    for (cosine, sine, value) in samples {
      let (near, far) = (angles.cosine, cosine * angles.cosine + sine * angles.sine)
      // `add` also needs the cosine for the distance one pixel before the first. For `near`, this is the
      // first cosine of `far`, and vice versa.
      Self.add(
        SIMD8(lowHalf: value, highHalf: value), SIMD8(lowHalf: cosine, highHalf: cosine),
        before: SIMD8(lowHalf: far, highHalf: near), first: SIMD8(lowHalf: near, highHalf: far), to: &sums)
      angles.advance()
    }
    return (sums.map { max(0, $0.lowHalf.sum()) }, sums.map { max(0, $0.highHalf.sum()) })
  }

  /// Adds the contribution of several frequencies to the weights of a window. Each frequency f adds
  /// `value` · cos(f · d) to the weight at the distance d from the window's centre.
  ///
  /// - Parameters:
  ///   - cosine: The cosines of the frequencies.
  ///   - before: The value of cos(f · d) for a distance that is 1 smaller than the first distance.
  ///   - first: The value of cos(f · d) for the first distance.
  @inline(__always)
  private static func add<V: SIMD>(
    _ value: V, _ cosine: V, before: V, first: V, to sums: inout [V]
  ) where V.Scalar == Double {
    // The cosine for the next distance is computed from the last two cosines: cos(a + b) = 2 cos a cos b −
    // cos(a − b). Calling `cos` for each distance would be slow.
    var (before, current) = (before, first)
    for n in sums.indices {
      sums[n] += value * current
      (before, current) = (current, 2 * cosine * current - before)
    }
  }

  /// The cosines and sines of four angles. All angles grow by the same step.
  private struct Angles {
    private(set) var cosine: SIMD4<Double>, sine: SIMD4<Double>
    private let turn: (cosine: Double, sine: Double)

    init(_ first: SIMD4<Double>, step: Double) {
      cosine = SIMD4(.cos(first.x), .cos(first.y), .cos(first.z), .cos(first.w))
      sine = SIMD4(.sin(first.x), .sin(first.y), .sin(first.z), .sin(first.w))
      turn = (.cos(step), .sin(step))
    }

    mutating func advance() {
      (cosine, sine) = (cosine * turn.cosine - sine * turn.sine, sine * turn.cosine + cosine * turn.sine)
    }
  }
}
