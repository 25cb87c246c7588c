import Blur

/// The largest error that an image with values from black to white can get at one output, and where.
public struct WorstCase: Sendable, Hashable, Codable {
  /// In levels: 255 · max(Σe⁺, Σe⁻), with e the measured weights less the reference's.
  public let levels: Double
  /// Whether the output is then too bright.
  public let isBright: Bool
  /// Column and row of the output.
  public let x: Int, y: Int
  /// By how much rounding may have made it look larger than it is, in levels.
  public let uncertainty: Double

  /// What it is at least.
  var sureLevels: Double { levels - uncertainty }
}

/// Measured and reference operators along both axes, whose products are the weights in the plane.
struct SeparablePair: Sendable {
  let x: AxisPair
  let y: AxisPair

  /// The worst case of any output: all phases in the interior, then all distances from an edge along one axis
  /// with the worst phase along the other, then the corners of the worst of these.
  ///
  /// - Parameter period: after how many pixels the interior repeats, along each axis.
  func worst(period: (x: Int, y: Int)) -> WorstCase {
    let phases = (
      x: x.phases(period.x).map { ($0, x.absolute($0)) }.sorted { $0.1 > $1.1 }.map(\.0),
      y: y.phases(period.y).map { ($0, y.absolute($0)) }.sorted { $0.1 > $1.1 }.map(\.0)
    )
    // Beyond some thousand pairs of phases, those of the worst lines stand for all.
    let inside = worst(of: phases.x.prefix(64), phases.y.prefix(64))
    let left = worst(of: x.border, [inside.y])
    let top = worst(of: [inside.x], y.border)
    let corners = worst(of: x.worstBorders(8), y.worstBorders(8))
    let beside = [left, top, corners].max { $0.sureLevels < $1.sureLevels } ?? inside
    // Where an edge is as bad as the interior by rounding only, the interior is named.
    return beside.sureLevels > inside.levels * 1.001 ? beside : inside
  }

  private func worst(of columns: some Collection<Int>, _ rows: some Collection<Int>) -> WorstCase {
    let pairs = columns.flatMap { i in rows.map { (i, $0) } }
    let cases = concurrentMap(pairs) { i, j in worst(x: i, y: j) }
    return cases.max { $0.sureLevels < $1.sureLevels }
      ?? worst(x: x.interior.lowerBound, y: y.interior.lowerBound)
  }

  /// The worst case at output (i, j).
  func worst(x i: Int, y j: Int) -> WorstCase {
    let (across, down) = (x.taps(i), y.taps(j))
    var absolute = 0.0
    for k in down.measured.indices {
      absolute += WeightSums.absolute(across.measured, down.measured[k], across.reference, down.reference[k])
    }
    let sum = x.measured.sum(i) * y.measured.sum(j) - x.reference.sum(i) * y.reference.sum(j)
    return WorstCase(
      levels: 255 / 2 * (absolute + abs(sum)), isBright: sum >= 0, x: i, y: j,
      uncertainty: x.uncertainty(i) + y.uncertainty(j))
  }

  /// Whether input (k, l) weighs more in the output than it should.
  func isExcess(_ worst: WorstCase, _ k: Int, _ l: Int) -> Bool {
    x.measured[worst.x, k] * y.measured[worst.y, l] > x.reference[worst.x, k] * y.reference[worst.y, l]
  }

  /// The error at the worst case's output that the weights predict for an image of 0 and 1.
  func predicted(_ worst: WorstCase, _ isWhite: (_ k: Int, _ l: Int) -> Bool) -> Double {
    let (columns, rows) = (0..<x.measured.count, 0..<y.measured.count)
    return rows.reduce(0.0) { sum, l in
      let (measured, reference) = (y.measured[worst.y, l], y.reference[worst.y, l])
      guard measured != 0 || reference != 0 else { return sum }
      return sum
        + columns.reduce(0.0) {
          $0
            + (isWhite($1, l) ? x.measured[worst.x, $1] * measured - x.reference[worst.x, $1] * reference : 0)
        }
    } * 255
  }
}

/// A measured and a reference operator along one axis.
struct AxisPair: Sendable {
  let measured: LineOperator
  let reference: LineOperator
  /// Outputs whose windows no edge reaches.
  let interior: Range<Int>
  /// The usual error of a measured weight of each output.
  let noise: [Double]

  /// One output of each phase, in the middle: far from what edges do to kernels without an end.
  func phases(_ period: Int) -> Range<Int> {
    let first = interior.lowerBound + (interior.count - period) / 2
    return first..<first + period
  }

  /// The outputs near an edge.
  var border: [Int] { (0..<measured.count).filter { !interior.contains($0) } }

  /// Σ|e| of output `i`.
  func absolute(_ i: Int) -> Double { measured.distance(i, to: reference) }

  /// The worst case of lines at output `i`, in levels.
  func worst(_ i: Int) -> Double { 255 / 2 * (absolute(i) + abs(measured.sum(i) - reference.sum(i))) }

  /// The sum of output `i`'s weights beyond the definition's window: what an edge changes of an unbounded
  /// kernel.
  func far(_ i: Int) -> Double {
    zip(measured.row(i), reference.row(i)).reduce(0) { $0 + ($1.1 == 0 ? abs($1.0) : 0) }
  }

  /// By how much noise may make the worst case of output `i` look larger: half the mean magnitude of each
  /// weight's in a window, and three deviations of their sum.
  func uncertainty(_ i: Int) -> Double {
    let taps = Double(2 * interior.lowerBound + 1)
    return 255 * noise[i] * (0.4 * taps + 3 * taps.squareRoot())
  }

  /// The worst case of lines at output `i` that is sure.
  private func sureWorst(_ i: Int) -> Double { worst(i) - uncertainty(i) }

  /// The output with the worst case of lines; one of the interior unless an edge is worse.
  var worst: Int {
    let inside = interior.max { sureWorst($0) < sureWorst($1) } ?? 0
    let beside = border.max { sureWorst($0) < sureWorst($1) } ?? inside
    return sureWorst(beside) > worst(inside) * 1.001 ? beside : inside
  }

  func worstBorders(_ count: Int) -> [Int] {
    Array(border.map { ($0, sureWorst($0)) }.sorted { $0.1 > $1.1 }.prefix(count).map(\.0))
  }

  /// The weights of output `i` that are not all 0, measured and reference, filled up to whole vectors.
  func taps(_ i: Int) -> (measured: [Double], reference: [Double]) {
    let (measured, reference) = (Array(measured.row(i)), Array(reference.row(i)))
    let used = measured.indices.filter { measured[$0] != 0 || reference[$0] != 0 }
    guard let first = used.first, let last = used.last else { return ([], []) }
    let filling = [Double](repeating: 0, count: -(last - first + 1) & (WeightSums.width - 1))
    return (Array(measured[first...last]) + filling, Array(reference[first...last]) + filling)
  }
}

/// The inner loop of worst cases.
enum WeightSums {
  typealias Lanes = SIMD8<Double>
  static let width = Lanes.scalarCount

  /// Σ|a·s − b·t|; the number of weights is a multiple of ``width``.
  static func absolute(_ a: [Double], _ s: Double, _ b: [Double], _ t: Double) -> Double {
    let magnitude = SIMD8<UInt64>(repeating: ~(1 << 63))
    return a.withUnsafeBytes { a in
      b.withUnsafeBytes { b in
        var sums = Lanes.zero
        for offset in stride(from: 0, to: a.count, by: MemoryLayout<Lanes>.size) {
          let measured = a.loadUnaligned(fromByteOffset: offset, as: Lanes.self)
          let reference = b.loadUnaligned(fromByteOffset: offset, as: Lanes.self)
          let error = measured * s - reference * t
          sums += unsafeBitCast(unsafeBitCast(error, to: SIMD8<UInt64>.self) & magnitude, to: Lanes.self)
        }
        return sums.sum()
      }
    }
  }
}
