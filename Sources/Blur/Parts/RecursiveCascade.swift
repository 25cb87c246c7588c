/// A recursive filter and then the same backwards: poles in pairs, one section after the other.
///
/// Sections of second order, for the coefficients of one recursion of order K lose their sum, of about σ⁻ᴷ,
/// to rounding.
///
/// The forward pass begins as if it had seen the first sample for ever. What the backward pass would have
/// seen beyond the line's end is the forward pass's answer to its last sample, for ever: its state there is a
/// linear function of the forward pass's. Source: B. Triggs, M. Sdika, "Boundary conditions for Young – van
/// Vliet recursive filtering", IEEE Transactions on Signal Processing 54 (2006). They solve for the matrix;
/// here planning runs the filter beyond the end.
package struct RecursiveCascade: Sendable {
  private let sections: [RecursiveSection]
  /// The backward pass's state beyond the end for each number of the forward pass's, row by row.
  private let boundary: [Double]
  /// Beyond that distance weighs at most 1e-12.
  let radius: Int

  /// At least two and at most six poles inside the unit circle: complex ones in pairs, of which one is named,
  /// real ones in pairs or alone.
  package init(_ sections: [RecursiveSection]) {
    self.sections = sections
    (boundary, radius) = Self.continued(sections)
  }

  /// Lanes of scratch: the state of all sections, before and after the end.
  var scratchCount: Int { 4 * sections.count }

  /// Filters a line that goes on with its first and its last sample.
  func filter(
    _ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ scratch: UnsafeMutablePointer<Lanes>
  ) {
    // SAFETY: scratch has room for both states, of two numbers for each section.
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

  /// Runs the forward pass on beyond the end, from each unit of its state in turn, each in a lane of its own,
  /// until nothing is left; then the backward pass to the end.
  private static func continued(_ sections: [RecursiveSection]) -> (boundary: [Double], radius: Int) {
    let size = 2 * sections.count
    // A pole of multiplicity four decays last: n³ times its power.
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

  /// Where the weights beyond n, both passes' together, sum to no more than 1e-12: the sum of |g(m) g(m + n)|
  /// is at most the tail of |g| times its sum.
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
  /// The modulus of the pole that decays last.
  let largestPole: Double

  /// The pole of that modulus and angle, and its conjugate.
  package init(modulus: Double, angle: Double) {
    (first, second) = (2 * modulus * Double.cos(angle), -modulus * modulus)
    // The difference of numbers so near each other is exact: what is constant stays so.
    gain = (1 - first) - second
    largestPole = modulus
  }

  /// Two real poles; 0 for none.
  package init(_ pole: Double, _ other: Double) {
    (first, second) = (pole + other, -pole * other)
    gain = (1 - first) - second
    largestPole = max(pole, other)
  }

  /// Filters from the start on; `state` holds the last two results before the line and then those of it.
  @inline(never)
  func forward(_ line: UnsafeMutablePointer<Lanes>, _ count: Int, _ state: inout (Lanes, Lanes)) {
    let (gain, first, second) = (Lanes(repeating: gain), Lanes(repeating: first), Lanes(repeating: second))
    var (last, previous) = state
    // SAFETY: the line holds `count` lanes.
    for i in 0..<count {
      // What is known early is summed first.
      let result = (gain * line[i] + second * previous) + first * last
      (last, previous) = (result, last)
      line[i] = result
    }
    state = (last, previous)
  }

  /// Filters from the end back; `state` holds the two results beyond the end, the nearer first.
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
