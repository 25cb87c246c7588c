import Blur

/// The weighted sum over a window, at each pixel of a line that an edge mode continues.
///
/// The line is continued by a rule that is written here anew, and not by ``Blur/EdgeMode/index(of:count:)``,
/// which kernels use: an error in the one does not hide behind the same error in the other.
struct ReferenceLine: Sendable {
  /// An odd number of weights, from left to right.
  let window: [Double]
  /// The length of the line.
  let count: Int
  let edge: EdgeMode

  /// A pixel of the line, and its weight in a sum.
  typealias Term = (pixel: Int, weight: Double)

  private var radius: Int { window.count / 2 }

  /// What an output pixel is the sum of: each pixel of the line once, and the weight of the constant beyond
  /// it.
  func terms(of output: Int) -> (inside: [Term], constant: Double) {
    let first = output - radius
    if first >= 0, first + window.count <= count {
      return (window.enumerated().map { (first + $0.offset, $0.element) }, 0)
    }
    let continued = Self.continued(count, edge)
    var weights = [Double?](repeating: nil, count: count)
    var constant = 0.0
    for (k, weight) in window.enumerated() {
      if let pixel = continued(first + k) {
        weights[pixel] = (weights[pixel] ?? 0) + weight
      } else {
        constant += weight
      }
    }
    return (weights.enumerated().compactMap { pixel, weight in weight.map { (pixel, $0) } }, constant)
  }

  /// The pixel that stands at any position of a line that goes on beyond its ends; nil for the constant.
  static func continued(_ count: Int, _ edge: EdgeMode) -> (_ position: Int) -> Int? {
    let line = Array(0..<count)
    let period: [Int]
    switch edge {
    case .clamp: return { min(max($0, 0), count - 1) }
    case .constant: return { $0 >= 0 && $0 < count ? $0 : nil }
    // Periods, drawn from the first pixel on: abcd|cb, abcd|dcba, abcd.
    case .mirror: period = line + line.dropFirst().dropLast().reversed()
    case .reflect: period = line + line.reversed()
    case .wrap: period = line
    }
    return { position in
      let remainder = position % period.count
      return period[remainder < 0 ? remainder + period.count : remainder]
    }
  }

  /// Whether each pixel takes part in the sums at `outputs`.
  func pixels(for outputs: [Int]) -> [Bool] {
    var needed = [Bool](repeating: false, count: count)
    if outputs.count == count { return needed.map { _ in true } }
    for output in outputs { for term in terms(of: output).inside { needed[term.pixel] = true } }
    return needed
  }

  /// The sums at `outputs`, of `lines` that stand for one pixel each, value by value.
  func applied(to lines: [[Double]], constant: [Double], at outputs: [Int]) -> [[Double]] {
    // In one piece, as the innermost loop takes nearly all the time of the harness.
    var (values, starts) = ([Double](), [Int]())
    for line in lines {
      starts.append(values.count)
      values += line
    }
    let (all, places) = (values, starts)
    return concurrentMap(outputs, isSerial: outputs.count * constant.count < 20_000) { output in
      let terms = terms(of: output)
      var sums = constant.map { $0 * terms.constant }
      all.withUnsafeBufferPointer { values in
        sums.withUnsafeMutableBufferPointer { Self.add(terms.inside, of: values.start, at: places, to: $0) }
      }
      return sums
    }
  }

  /// Adds weighted lines to `sums` in the order of the terms; four in one go, as sums then stay in registers.
  private static func add(
    _ terms: [Term], of values: UnsafePointer<Double>, at places: [Int],
    to sums: UnsafeMutableBufferPointer<Double>
  ) {
    // SAFETY: from its place on, the values of a line are as many as the sums. Pointers are not checked for
    // overflow at each value, so that the loops become vectors.
    func line(_ k: Int) -> UnsafePointer<Double> { values + places[terms[k].pixel] }
    let fours = terms.count / 4 * 4
    for k in stride(from: 0, to: fours, by: 4) {
      let weights = (terms[k].weight, terms[k + 1].weight, terms[k + 2].weight, terms[k + 3].weight)
      let (a, b, c, d) = (line(k), line(k + 1), line(k + 2), line(k + 3))
      for i in sums.indices {
        var sum = sums[i] + weights.0 * a[i]
        sum += weights.1 * b[i]
        sum += weights.2 * c[i]
        sums[i] = sum + weights.3 * d[i]
      }
    }
    for k in fours..<terms.count {
      let (weight, line) = (terms[k].weight, line(k))
      for i in sums.indices { sums[i] += weight * line[i] }
    }
  }
}
