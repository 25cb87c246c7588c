/// A recursive filter that runs forward over a line and then backward. Its poles are taken in pairs, and each
/// pair is a section of second order. The sections run one after the other.
///
/// Sections are used because the coefficients of a single recursion of order K have a sum of about σ⁻ᴷ, which
/// rounding would destroy.
///
/// The forward pass begins as if it had seen the first sample forever. Beyond the end of the line, the
/// backward pass would have seen the response of the forward pass to the last sample, repeated forever. So
/// the state of the backward pass at the end is a linear function of the forward pass's state. Source: B.
/// Triggs, M. Sdika, "Boundary conditions for Young – van Vliet recursive filtering", IEEE Transactions on
/// Signal Processing 54 (2006). The authors solve for the matrix of this function. Here, planning runs the
/// filter beyond the end instead.
package struct RecursiveCascade: Sendable {
  private let sections: [RecursiveSection]
  /// The matrix, row by row, that turns the state of the forward pass at the end of a line into the state of
  /// the backward pass.
  private let boundary: [Double]
  /// The distance beyond which all weights together are at most 1e-12.
  let radius: Int

  /// Creates a cascade. It needs two to six poles inside the unit circle. Complex poles come in pairs, of
  /// which one is given. Real poles come in pairs or alone.
  package init(_ sections: [RecursiveSection]) {
    self.sections = sections
    (boundary, radius) = Self.continued(sections)
  }

  /// The number of lanes of scratch memory: the states of all sections before and after the end of a line.
  var scratchCount: Int { 4 * sections.count }

  /// Filters a line that continues with its first and its last sample.
  func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    // SAFETY: `scratch` has space for both states, each of two numbers per section.
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

  /// Returns the matrix of the boundary and the radius of the filter. The forward pass is continued beyond
  /// the end until nothing is left, starting from each unit state in a lane of its own. Then the backward
  /// pass runs to the end of the line.
  private static func continued(_ sections: [RecursiveSection]) -> (boundary: [Double], radius: Int) {
    let size = 2 * sections.count
    // The length is enough for a pole of multiplicity four, which decays most slowly: like n³ times the n-th
    // power of the pole.
    let decay = -Double.log(sections.reduce(0) { max($0, $1.largestPole) })
    let length = 16 + Int(80 / decay)
    var line = [Lanes](repeating: .zero, count: length)
    var impulse = [Lanes](repeating: .zero, count: length)
    impulse[0] = Lanes(repeating: 1)
    var boundary = [Double](repeating: 0, count: size * size)
    line.withUnsafeMutableBufferPointer { line in
      // SAFETY: the passes stay inside the arrays, which are not empty.
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

  /// Returns the distance n beyond which the weights of both passes together are at most 1e-12. The bound
  /// uses that the sum of |g(m) g(m + n)| is at most the tail of |g| times the sum of |g|.
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

/// A recursion of second order whose weights sum to 1: y(n) = (1 − a − b) x(n) + a y(n − 1) + b y(n − 2).
package struct RecursiveSection: Hashable, Sendable {
  private let gain: Double
  private let first: Double
  private let second: Double
  /// The modulus of the pole that decays most slowly.
  let largestPole: Double

  /// Creates a section for the complex pole with this modulus and angle, and for its conjugate.
  package init(modulus: Double, angle: Double) {
    (first, second) = (2 * modulus * Double.cos(angle), -modulus * modulus)
    // The difference of two numbers this close together is exact, so a constant signal stays constant.
    gain = (1 - first) - second
    largestPole = modulus
  }

  /// Creates a section for two real poles. A pole that is 0 stands for none.
  package init(_ pole: Double, _ other: Double) {
    (first, second) = (pole + other, -pole * other)
    gain = (1 - first) - second
    largestPole = max(pole, other)
  }

  /// Filters a line from its start. On entry, `state` holds the last two results before the line. On return,
  /// it holds the last two results of the line.
  @inline(never)
  func forward(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ state: inout (Lanes, Lanes)) {
    let (gain, first, second) = (Lanes(repeating: gain), Lanes(repeating: first), Lanes(repeating: second))
    var (last, previous) = state
    // SAFETY: the line holds `count` lanes.
    for i in 0..<count {
      // The first two terms are known early, so they are summed first.
      let result = (gain * line[i] + second * previous) + first * last
      (last, previous) = (result, last)
      line[i] = result
    }
    state = (last, previous)
  }

  /// Filters a line from its end back to its start. On entry, `state` holds the two results beyond the end,
  /// the nearer one first.
  @inline(never)
  func backward(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ state: inout (Lanes, Lanes)) {
    let (gain, first, second) = (Lanes(repeating: gain), Lanes(repeating: first), Lanes(repeating: second))
    var (last, previous) = state
    // SAFETY: the line holds `count` lanes.
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
