import Blur

/// A filter for one line of pixels. For each pixel of the line, it computes the weighted sum of the pixels in
/// a window around this pixel. Where the window reaches beyond the ends of the line, an edge mode determines
/// the values there.
///
/// The edge modes are implemented here independently of ``Blur/EdgeMode/index(of:count:)``, which the kernels
/// use. An error in one of the two implementations is therefore revealed by the other.
struct ReferenceLine: Sendable {
  /// The weights from left to right. Their number is odd.
  let window: [Double]
  /// The number of pixels in the line.
  let count: Int
  let edge: EdgeMode

  /// A pixel of the line and its weight in a sum.
  typealias Term = (pixel: Int, weight: Double)

  private var radius: Int { window.count / 2 }

  /// Returns the pixels from which an output is computed, each with its weight. A pixel that the edge mode
  /// repeats occurs only once, with the sum of its weights. In the result, `constant` is the total weight of
  /// the positions beyond the line that have the constant colour.
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

  /// Returns a function that maps any position, including positions beyond the ends of the line, to the index
  /// of the pixel whose value the position has. The function returns nil if the position has the constant
  /// colour.
  static func continued(_ count: Int, _ edge: EdgeMode) -> (_ position: Int) -> Int? {
    let line = Array(0..<count)
    let period: [Int]
    switch edge {
    case .clamp: return { min(max($0, 0), count - 1) }
    case .constant: return { $0 >= 0 && $0 < count ? $0 : nil }
    // Beyond its ends, the line repeats a period, which begins with the line itself. For a line of four
    // pixels abcd, the period is abcdcb for mirror, abcddcba for reflect, and abcd for wrap.
    case .mirror: period = line + line.dropFirst().dropLast().reversed()
    case .reflect: period = line + line.reversed()
    case .wrap: period = line
    }
    return { position in
      let remainder = position % period.count
      return period[remainder < 0 ? remainder + period.count : remainder]
    }
  }

  /// Returns, for each pixel of the line, whether it contributes to at least one of the given outputs.
  func pixels(for outputs: [Int]) -> [Bool] {
    var needed = [Bool](repeating: false, count: count)
    if outputs.count == count { return needed.map { _ in true } }
    for output in outputs { for term in terms(of: output).inside { needed[term.pixel] = true } }
    return needed
  }

  /// Returns, for each position in `outputs`, the weighted sum over the window around that position.
  ///
  /// Each element of `lines` holds all values at one position. For example, if the filter runs along columns,
  /// an element is a row of the image. Each element of the result holds one sum for each of these values.
  func applied(to lines: [[Double]], constant: [Double], at outputs: [Int]) -> [[Double]] {
    // The lines are copied into one contiguous array, which makes the innermost loop faster. The verification
    // of kernels spends nearly all its time in this loop.
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

  /// Adds the lines of `terms`, each multiplied by its weight, to `sums`. The lines are added in the order of
  /// the terms. One loop adds four lines, so that each sum is loaded and stored only once for four lines.
  private static func add(
    _ terms: [Term], of values: UnsafePointer<Double>, at places: [Int],
    to sums: UnsafeMutableBufferPointer<Double>
  ) {
    // SAFETY: `places` holds the index in `values` at which each line begins, and each line has as many
    // values as `sums`. All reads at indices of `sums` therefore stay inside their lines. Pointers are used
    // because checking every access would keep the compiler from vectorising the loops.
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

extension Image {
  /// Returns a larger image that continues this image beyond its edges, as the edge mode prescribes.
  ///
  /// - Parameter margin: The number of pixels that are added on the left and on the right (`x`), and the
  ///   number that is added above and below (`y`).
  func continued(by margin: (x: Int, y: Int), _ edge: EdgeMode) throws(BlurError) -> Image {
    let columns = (-margin.x..<layout.width + margin.x).map(ReferenceLine.continued(layout.width, edge))
    let rows = (-margin.y..<layout.height + margin.y).map(ReferenceLine.continued(layout.height, edge))
    let (constant, channels) = (edge.constantRow(layout), layout.format.channels)
    let large = try ImageLayout(layout.format, width: columns.count, height: rows.count)
    return try withView { (view) throws(BlurError) in
      try Image.painted(large) { x, y, c in
        guard let x = columns[x], let y = rows[y] else { return constant[c] }
        return view.value(x * channels + c, y)
      }
    }
  }
}
