import Blur

/// The largest error that any image with values from black to white can cause at one output pixel, and the
/// position of that pixel.
public struct WorstCase: Sendable, Hashable, Codable {
  /// The error in levels (1/255 of full scale). It is computed from the errors of the weights, which are the
  /// measured weights minus the reference weights. Positive and negative errors are added up separately, and
  /// the sum with the larger magnitude is multiplied by 255.
  public let levels: Double
  /// A Boolean value that indicates whether the output is too bright in the worst case. Otherwise it is too
  /// dark.
  public let isBright: Bool
  /// The column and row of the output pixel.
  public let x: Int, y: Int
  /// The number of levels by which noise in the measured weights may have made the worst case look larger
  /// than it is.
  public let uncertainty: Double

  /// The part of the error that is certain, in levels. It is the computed error minus the part that noise in
  /// the measured weights may have caused.
  var sureLevels: Double { levels - uncertainty }
}

/// The weights of a separable kernel along rows and along columns. The weight of a pixel in the image is the
/// product of its weight along the row and its weight along the column.
struct SeparablePair: Sendable {
  let x: AxisPair
  let y: AxisPair

  /// Returns the largest error that any image can cause, and the output pixel where it occurs.
  ///
  /// Examining every pixel would take too long, so only the following pixels are examined:
  /// - Far from the edges, only the pixels of one period, because the weights repeat after each period.
  /// - One pixel of each column near the left or right edge. It lies in the row with the largest error far
  ///   from the edges.
  /// - One pixel of each row near the top or bottom edge. It lies in the column with the largest error far
  ///   from the edges.
  /// - In the corners, the pixels where one of the eight worst columns near an edge crosses one of the eight
  ///   worst rows near an edge.
  ///
  /// - Parameter period: The number of pixels after which the weights repeat along each axis.
  func worst(period: (x: Int, y: Int)) -> WorstCase {
    let phases = (
      x: x.phases(period.x).map { ($0, x.absolute($0)) }.sorted { $0.1 > $1.1 }.map(\.0),
      y: y.phases(period.y).map { ($0, y.absolute($0)) }.sorted { $0.1 > $1.1 }.map(\.0)
    )
    // Only pixels in the 64 columns and the 64 rows with the largest errors are examined, because examining
    // every pixel of a long period would take too much time.
    let inside = worst(of: phases.x.prefix(64), phases.y.prefix(64))
    let left = worst(of: x.border, [inside.y])
    let top = worst(of: [inside.x], y.border)
    let corners = worst(of: x.worstBorders(8), y.worstBorders(8))
    let beside = [left, top, corners].max { $0.sureLevels < $1.sureLevels } ?? inside
    // A pixel near an edge is reported only if its error is clearly larger than the largest error far from
    // the edges. A smaller difference may come from rounding alone.
    return beside.sureLevels > inside.levels * 1.001 ? beside : inside
  }

  private func worst(of columns: some Collection<Int>, _ rows: some Collection<Int>) -> WorstCase {
    let pairs = columns.flatMap { i in rows.map { (i, $0) } }
    let cases = concurrentMap(pairs) { i, j in worst(x: i, y: j) }
    return cases.max { $0.sureLevels < $1.sureLevels }
      ?? worst(x: x.interior.lowerBound, y: y.interior.lowerBound)
  }

  /// Returns the largest error that any image can cause at the output pixel in column `i` and row `j`.
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

  /// Returns whether the input pixel (k, l) has a larger weight in the kernel than in the reference, for the
  /// output pixel of the worst case.
  func isExcess(_ worst: WorstCase, _ k: Int, _ l: Int) -> Bool {
    x.measured[worst.x, k] * y.measured[worst.y, l] > x.reference[worst.x, k] * y.reference[worst.y, l]
  }

  /// Returns the predicted error, in levels, at the output pixel of the worst case. The input is an image of
  /// black and white pixels. The closure `isWhite` returns whether the pixel in column `k` and row `l` is
  /// white.
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

/// The weights of a kernel along one axis: the measured weights, and the reference weights that they are
/// compared with.
struct AxisPair: Sendable {
  let measured: LineOperator
  let reference: LineOperator
  /// The range of output pixels whose windows do not reach an edge of the image.
  let interior: Range<Int>
  /// For each output pixel, the typical error of its measured weights.
  let noise: [Double]

  /// Returns the indices of `period` consecutive output pixels in the middle of the line, where the edges of
  /// the line have the least influence. The kernel's weights repeat after `period` pixels, so these pixels
  /// include every set of weights that occurs.
  func phases(_ period: Int) -> Range<Int> {
    let first = interior.lowerBound + (interior.count - period) / 2
    return first..<first + period
  }

  /// The indices of the output pixels whose windows reach an edge of the image.
  var border: [Int] { (0..<measured.count).filter { !interior.contains($0) } }

  /// Returns the sum of the absolute errors of all weights of output `i`.
  func absolute(_ i: Int) -> Double { measured.distance(i, to: reference) }

  /// Returns the largest error, in levels, of output `i` over all images that vary along this axis only. The
  /// error is largest if all pixels with too large a weight are white and all others are black, or the other
  /// way round. Let P be the sum of the positive weight errors, and N the sum of the absolute values of the
  /// negative ones. The larger of P and N equals (Σ|e| + |Σe|) / 2 for the weight errors e. The largest error
  /// is 255 times this number, because white is 255 levels above black.
  func worst(_ i: Int) -> Double { 255 / 2 * (absolute(i) + abs(measured.sum(i) - reference.sum(i))) }

  /// Returns the sum of the magnitudes of the weights that output `i` gives to pixels whose reference weight
  /// is 0. Recursive filters have such weights, because their windows have no end.
  func far(_ i: Int) -> Double {
    zip(measured.row(i), reference.row(i)).reduce(0) { $0 + ($1.1 == 0 ? abs($1.0) : 0) }
  }

  /// Returns an estimate, in levels, of how much larger the worst error of output `i` may appear because of
  /// noise in the measured weights. The estimate is half the mean magnitude of the noise multiplied by the
  /// number of weights in a window, plus three standard deviations of the summed noise.
  func uncertainty(_ i: Int) -> Double {
    let taps = Double(2 * interior.lowerBound + 1)
    return 255 * noise[i] * (0.4 * taps + 3 * taps.squareRoot())
  }

  /// Returns the part of the largest error of output `i` that does not come from noise.
  private func sureWorst(_ i: Int) -> Double { worst(i) - uncertainty(i) }

  /// The index, within a line of pixels, of the output pixel with the largest error. The line is a row or a
  /// column, depending on the axis that this value describes. Only images that vary along this axis alone are
  /// considered. A pixel near an edge is chosen only if its error is clearly larger than any error far from
  /// the edges.
  var worst: Int {
    let inside = interior.max { sureWorst($0) < sureWorst($1) } ?? 0
    let beside = border.max { sureWorst($0) < sureWorst($1) } ?? inside
    return sureWorst(beside) > worst(inside) * 1.001 ? beside : inside
  }

  func worstBorders(_ count: Int) -> [Int] {
    Array(border.map { ($0, sureWorst($0)) }.sorted { $0.1 > $1.1 }.prefix(count).map(\.0))
  }

  /// Returns the measured and the reference weights for output pixel `i`, without the zeros at the start and
  /// the end of the line. Both arrays are then padded with zeros to a multiple of the vector width.
  func taps(_ i: Int) -> (measured: [Double], reference: [Double]) {
    let (measured, reference) = (Array(measured.row(i)), Array(reference.row(i)))
    let used = measured.indices.filter { measured[$0] != 0 || reference[$0] != 0 }
    guard let first = used.first, let last = used.last else { return ([], []) }
    let filling = [Double](repeating: 0, count: -(last - first + 1) & (WeightSums.width - 1))
    return (Array(measured[first...last]) + filling, Array(reference[first...last]) + filling)
  }
}

/// Vectorised sums over weights: the inner loop of the search for the output pixel with the largest error.
private enum WeightSums {
  typealias Lanes = SIMD8<Double>
  static let width = Lanes.scalarCount

  /// Returns Σ|aᵢ·s − bᵢ·t|. The number of weights in `a` and `b` must be a multiple of ``width``.
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
