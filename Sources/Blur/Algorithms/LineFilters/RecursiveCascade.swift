/// A recursive filter that blurs a line of samples. A recursive filter computes each result from a sample and
/// from earlier results. This filter runs over the line from its start to its end, and then back to its
/// start.
///
/// In each direction, several simple filters run one after the other. Each of them uses only the last two
/// results. A single filter that uses more results would be less accurate, because its coefficients nearly
/// cancel each other for large blurs.
///
/// The filter treats the line as if its first and its last sample were repeated forever beyond its ends. The
/// backward run therefore starts with the results that the filter would have computed beyond the end of the
/// line. These start values are found by multiplying the last results of the forward run by a matrix.
///
/// Source: B. Triggs, M. Sdika, "Boundary conditions for Young – van Vliet recursive filtering", IEEE
/// Transactions on Signal Processing 54 (2006). The authors find the matrix by solving equations. This code
/// finds it by running the filter over samples beyond the end of a line, once for each plan.
package struct RecursiveCascade: AxisFilter {
  private let sections: [RecursiveSection]
  /// The matrix that computes the start values of the backward run from the last results of the forward run.
  /// All of these values are differences from the last sample of the line. The matrix is stored row by row.
  private let boundary: [Double]
  /// The distance, in pixels, beyond which the weights of the filter are negligible. The sum of these weights
  /// is at most 1e-12.
  package let radius: Int
  package var constantRadius: Int { 0 }

  /// Creates a filter that runs the simpler filters `sections` one after the other. Their poles must lie
  /// inside the unit circle, so that their responses die away. There must be two to six poles in all, where a
  /// complex pole and its conjugate count as two.
  package init(_ sections: [RecursiveSection]) {
    self.sections = sections
    (boundary, radius) = Self.continued(sections)
  }

  /// Returns the number of SIMD vectors of scratch memory that the filter needs. For each of the simpler
  /// filters in `sections`, there are two vectors for the last results of the forward run, and two for the
  /// start values of the backward run.
  package func scratchCount(_ count: Int) -> Int { 4 * sections.count }

  /// Filters a line in place, forward and then backward. The line is treated as if its first and its last
  /// sample were repeated forever beyond its ends.
  package func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    // SAFETY: the caller passes a line of at least one sample, so its first and its last sample exist. The
    // caller's `scratch` has `scratchCount` vectors, which is enough for `before` and `after` with `size`
    // vectors each.
    let (first, last) = (line[0], line[count - 1])
    let size = 2 * sections.count
    let (before, after) = (scratch, scratch + size)
    for (k, section) in sections.enumerated() {
      var state = (first, first)
      section.forward(line, count, &state)
      (before[2 * k], before[2 * k + 1]) = (state.0 - last, state.1 - last)
    }
    for row in 0..<size {
      after[row] = last
      for k in 0..<size { after[row] += Lanes(repeating: boundary[row * size + k]) * before[k] }
    }
    for (k, section) in sections.enumerated() {
      var state = (after[2 * k], after[2 * k + 1])
      section.backward(line, count, &state)
    }
  }

  /// Returns the values of the properties `boundary` and `radius`.
  ///
  /// The matrix `boundary` is found by running the filter over samples of 0 that follow the end of a line. To
  /// find column i, the filter starts at the end of the line with previous results of 0, except for the
  /// result at index i, which is 1. It runs forward until its response has died away, and then back to the
  /// end of the line. The last results of this backward run are column i. Each SIMD lane computes one column.
  private static func continued(_ sections: [RecursiveSection]) -> (boundary: [Double], radius: Int) {
    let size = 2 * sections.count
    // The arrays below must be long enough for the response of the filter to die away. The response dies away
    // most slowly if there are four equal poles: after n samples, it is proportional to n³ pⁿ, where p is the
    // absolute value of the pole. Even in this case, `length` is large enough.
    let decay = -Double.log(sections.reduce(0) { max($0, $1.largestPole) })
    let length = 16 + Int(80 / decay)
    var line = [Lanes](repeating: .zero, count: length)
    var impulse = [Lanes](repeating: .zero, count: length)
    impulse[0] = Lanes(repeating: 1)
    var boundary = [Double](repeating: 0, count: size * size)
    line.withUnsafeMutableBufferPointer { line in
      // SAFETY: the calls of `forward` and `backward` access the first `length` elements of `line`. The array
      // has exactly `length` elements, which is at least 16.
      for (k, section) in sections.enumerated() {
        var state = (Lanes.zero, Lanes.zero)
        (state.0[2 * k], state.1[2 * k + 1]) = (1, 1)
        section.forward(line.start, length, &state)
      }
      for (k, section) in sections.enumerated() {
        var state = (Lanes.zero, Lanes.zero)
        section.backward(line.start, length, &state)
        for lane in 0..<size {
          boundary[2 * k * size + lane] = state.0[lane]
          boundary[(2 * k + 1) * size + lane] = state.1[lane]
        }
      }
    }
    impulse.withUnsafeMutableBufferPointer { impulse in
      for section in sections {
        var state = (Lanes.zero, Lanes.zero)
        section.forward(impulse.start, length, &state)
      }
    }
    return (boundary, tail(impulse.map { abs($0[0]) }))
  }

  /// Returns a distance n, in pixels, beyond which the weights of the whole filter sum to at most 1e-12. The
  /// whole filter consists of a forward and a backward run. Its weights beyond n sum to at most S · T, where
  /// S is the sum of all `weights`, and T is the sum of the `weights` at distances of n or more.
  ///
  /// - Parameter weights: The absolute values of the weights of the forward run alone, beginning with
  ///   distance 0.
  private static func tail(_ weights: [Double]) -> Int {
    let allowed = 1e-12 / weights.reduce(0, +)
    var (n, sum) = (weights.count, 0.0)
    while n > 0, sum + weights[n - 1] <= allowed {
      n -= 1
      sum += weights[n]
    }
    return n
  }
}

/// A second-order recursive filter, which computes each result from a sample and from the last two results:
/// y(n) = (1 − a − b) x(n) + a y(n − 1) + b y(n − 2). Here x are the samples, y are the results, and a and b
/// are constants. If all samples are equal, the results have the same value as the samples.
package struct RecursiveSection: Hashable, Sendable {
  private let gain: Double
  private let first: Double
  private let second: Double
  /// The largest absolute value of the filter's poles. The closer it is to 1, the more slowly the response of
  /// the filter decays.
  let largestPole: Double

  /// Creates a second-order recursive filter from a complex pole and its conjugate. The pole is given by its
  /// absolute value and by its angle in radians.
  package init(modulus: Double, angle: Double) {
    (first, second) = (2 * modulus * Double.cos(angle), -modulus * modulus)
    // A constant signal stays constant only if `gain`, `first` and `second` sum to exactly 1. For large
    // blurs, the sum is exactly 1, because both subtractions in this line are exact: `first` is near 2,
    // `second` is near −1, and the difference between two floating-point numbers that are close together is
    // exact.
    gain = (1 - first) - second
    largestPole = modulus
  }

  /// Creates a second-order recursive filter from two real poles. To create a filter with a single pole, pass
  /// 0 as the other pole.
  package init(_ pole: Double, _ other: Double) {
    (first, second) = (pole + other, -pole * other)
    gain = (1 - first) - second
    largestPole = max(pole, other)
  }

  /// Filters a line in place, from its start to its end. On entry, `state` holds the results at the two
  /// positions before the line. On return, it holds the results at the last two positions of the line. The
  /// later result always comes first.
  @inline(never)
  func forward(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ state: inout (Lanes, Lanes)) {
    let (gain, first, second) = (Lanes(repeating: gain), Lanes(repeating: first), Lanes(repeating: second))
    var (last, previous) = state
    // SAFETY: the caller passes a line of `count` vectors, and `i` is less than `count`.
    for i in 0..<count {
      // When the CPU reaches this line, it is often still computing `last`, the result at the previous
      // position. The other two terms do not depend on `last`, so the CPU can add them in the meantime.
      let result = (gain * line[i] + second * previous) + first * last
      (last, previous) = (result, last)
      line[i] = result
    }
    state = (last, previous)
  }

  /// Filters a line in place, from its end back to its start. On entry, `state` holds the results at the two
  /// positions after the line. On return, it holds the results at the first two positions of the line. The
  /// result that is nearer to the start of the line always comes first.
  @inline(never)
  func backward(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ state: inout (Lanes, Lanes)) {
    let (gain, first, second) = (Lanes(repeating: gain), Lanes(repeating: first), Lanes(repeating: second))
    var (last, previous) = state
    // SAFETY: the caller passes a line of `count` vectors, and the loop accesses only the elements from
    // `count` − 1 down to 0.
    var i = count
    while i > 0 {
      i -= 1
      let result = (gain * line[i] + second * previous) + first * last
      (last, previous) = (result, last)
      line[i] = result
    }
    state = (last, previous)
  }
}
