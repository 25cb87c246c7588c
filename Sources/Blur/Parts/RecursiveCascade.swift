/// A recursive filter that runs forward over a line and then backward. Each pass consists of several sections
/// of second order, which run one after the other. A single recursion of a higher order K would be too
/// inaccurate: its coefficients nearly cancel each other, with a sum of only about σ⁻ᴷ, and rounding errors
/// would destroy this sum.
///
/// The forward pass starts as if the first sample were repeated forever before the line. The backward pass
/// starts as if the last sample were repeated forever after the line, and as if both passes had filtered
/// these samples, too. Its start state is a linear function of the state in which the forward pass ends.
///
/// Source: B. Triggs, M. Sdika, "Boundary conditions for Young – van Vliet recursive filtering", IEEE
/// Transactions on Signal Processing 54 (2006). The authors solve equations for the matrix of this function.
/// Here it is found by running both passes over samples beyond the end of a line, once for each plan.
package struct RecursiveCascade: Sendable {
  private let sections: [RecursiveSection]
  /// The matrix that turns the state of the forward pass at the end of a line into the state with which the
  /// backward pass starts. The matrix is stored row by row.
  private let boundary: [Double]
  /// The distance, in pixels, beyond which the weights of the filter sum to at most 1e-12.
  let radius: Int

  /// Creates a cascade from its sections. All poles must lie inside the unit circle. There must be two to six
  /// poles in all, where a complex pole and its conjugate count as two.
  package init(_ sections: [RecursiveSection]) {
    self.sections = sections
    (boundary, radius) = Self.continued(sections)
  }

  /// The number of vectors of scratch memory that the filter needs. They hold the states of all sections at
  /// the end of a line: the state in which the forward pass ends, and the state in which the backward pass
  /// starts.
  var scratchCount: Int { 4 * sections.count }

  /// Filters a line forward and backward, as if its first and its last sample were repeated forever beyond
  /// its ends.
  func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    // SAFETY: `scratch` has space for two states, and each state has two vectors for each section. The line
    // has at least one sample.
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

  /// Returns the matrix `boundary` and the radius of the filter.
  ///
  /// The matrix is found by trial, one column at a time. For column i, number i in the state of the forward
  /// pass is set to 1 at the end of the line, and all other numbers are set to 0. The forward pass then runs
  /// on beyond the end of the line until its response has died away, and the backward pass runs back to the
  /// end of the line. The state of the backward pass is then column i. All columns are computed at the same
  /// time, one in each SIMD lane.
  private static func continued(_ sections: [RecursiveSection]) -> (boundary: [Double], radius: Int) {
    let size = 2 * sections.count
    // The response of the filter decays most slowly if a pole has multiplicity four. After n samples, such a
    // response is proportional to n³ times the n-th power of the pole. The length that is computed here is
    // enough even in this case.
    let decay = -Double.log(sections.reduce(0) { max($0, $1.largestPole) })
    let length = 16 + Int(80 / decay)
    var line = [Lanes](repeating: .zero, count: length)
    var impulse = [Lanes](repeating: .zero, count: length)
    impulse[0] = Lanes(repeating: 1)
    var boundary = [Double](repeating: 0, count: size * size)
    line.withUnsafeMutableBufferPointer { line in
      // SAFETY: the forward and the backward pass access only the `length` elements of these arrays, and
      // `length` is at least 16.
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

  /// Returns a distance n beyond which the weights of the whole filter (forward and backward pass) sum to at
  /// most 1e-12.
  ///
  /// `weights` are the absolute values of the weights g of the forward pass. At the distance n, the weight of
  /// the whole filter is at most Σ |g(m) g(m + n)|. Therefore the weights beyond n sum to at most the sum of
  /// |g| beyond n times the sum of all |g|.
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

/// A recursive filter of second order whose weights sum to 1. For the input x, it computes y(n) = (1 − a − b)
/// x(n) + a y(n − 1) + b y(n − 2).
package struct RecursiveSection: Hashable, Sendable {
  private let gain: Double
  private let first: Double
  private let second: Double
  /// The absolute value of the pole whose response decays most slowly.
  let largestPole: Double

  /// Creates a section for a complex pole, given by its absolute value and its angle, and for the conjugate
  /// of this pole.
  package init(modulus: Double, angle: Double) {
    (first, second) = (2 * modulus * Double.cos(angle), -modulus * modulus)
    // Each of these two subtractions is exact, because the two numbers are close together. So the three
    // coefficients sum to exactly 1, and a constant signal stays constant.
    gain = (1 - first) - second
    largestPole = modulus
  }

  /// Creates a section, which is a recursive filter of second order, from two real poles. To create a section
  /// with a single pole, pass 0 as the other pole.
  package init(_ pole: Double, _ other: Double) {
    (first, second) = (pole + other, -pole * other)
    gain = (1 - first) - second
    largestPole = max(pole, other)
  }

  /// Filters a line from its start to its end. On entry, `state` holds the two results before the start of
  /// the line, the nearer one first. On return, it holds the last two results of the line, the last one
  /// first.
  @inline(never)
  func forward(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ state: inout (Lanes, Lanes)) {
    let (gain, first, second) = (Lanes(repeating: gain), Lanes(repeating: first), Lanes(repeating: second))
    var (last, previous) = state
    // SAFETY: the line holds `count` vectors.
    for i in 0..<count {
      // Every result depends on the result just before it (`last`), which the CPU is still computing at this
      // point. The other two terms are summed first, so that the CPU need not wait before it starts.
      let result = (gain * line[i] + second * previous) + first * last
      (last, previous) = (result, last)
      line[i] = result
    }
    state = (last, previous)
  }

  /// Filters a line from its end back to its start. On entry, `state` holds the two results beyond the end of
  /// the line, the nearer one first.
  @inline(never)
  func backward(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ state: inout (Lanes, Lanes)) {
    let (gain, first, second) = (Lanes(repeating: gain), Lanes(repeating: first), Lanes(repeating: second))
    var (last, previous) = state
    // SAFETY: the line holds `count` vectors.
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
