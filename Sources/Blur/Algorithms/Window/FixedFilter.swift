import BlurLoopTable

/// A filter that computes weighted sums along the columns and then along the rows, in 16-bit fixed-point
/// arithmetic. It is used for images with 16-bit components.
///
/// Weights are 16-bit integers in units of 2⁻¹⁵. A single multiply-add instruction multiplies two
/// neighbouring values by two weights and adds both products to a 32-bit sum. The sums along the columns are
/// rounded to 16 bits before they are summed along the rows.
final class FixedFilter: WindowFilter {
  /// The largest error that is caused by rounding a weighted sum to 16 bits, as a fraction of full scale.
  /// This error can occur twice: once for the sum along a column, and once for the sum along a row.
  static let rounding = 0.5 / 65280

  private let frame: WindowFrame
  private let downWeights: [Int32]
  private let acrossWeights: [Int32]
  private let constant: SIMD4<UInt16>
  /// The first pair of source pixels that is read to compute a pair of output pixels, relative to the output
  /// pair. For example, −2 means that reading starts two pairs to the left of the output pair.
  private let firstPair: Int

  init(_ frame: WindowFrame, _ weights: IntegerWeights) {
    self.frame = frame
    downWeights = Self.rowPairs(weights.down)
    firstPair = -((weights.across.radius + 1) / 2)
    acrossWeights = Self.pixelPairs(weights.across)
    constant = frame.shape.constant { UInt16($0) ^ 0x8000 }
  }

  var scratchBytes: Int { frame.scratchBytes(valueBytes: MemoryLayout<UInt16>.size) }

  func run(
    _ rows: Range<Int>, _ buffers: PhaseContext, from source: (Int) -> UnsafeRawPointer,
    into target: (Int) -> UnsafeMutableRawPointer
  ) {
    let shape = frame.shape
    let constant = constant
    withStarts(downWeights, acrossWeights) { down, across in
      frame.run(rows, buffers.scratch, from: source, into: target) {
        (rows, lines: UnsafeMutablePointer<UInt16>, count) in
        frame.loops.fixedDown(
          (
            rows: rows, channels: shape.channels, pairs: downWeights.count / FilterLoops.rowsPerBlock,
            weights: down, lines: lines, lineStride: frame.line.stride, count: count
          ))
      } constant: {
        constant[$0]
      } sumAcross: { line, target in
        frame.loops.fixedAcross(
          (
            line: line, channels: shape.channels, first: firstPair, pairs: acrossWeights.count / 2,
            weights: across, target: target, count: frame.outputCount
          ))
      }
    }
  }

  /// Returns the weights for summing source rows vertically. The loop reads two source rows at a time, and
  /// adds them to the sums of four output rows. For each pair of source rows, the array has four 32-bit
  /// words, one for each output row. A word holds the weights of both source rows.
  private static func rowPairs(_ taps: IntegerTaps) -> [Int32] {
    let rows = 2 * taps.radius + FilterLoops.rowsPerBlock
    return stride(from: 0, to: rows, by: 2).flatMap { first in
      (0..<FilterLoops.rowsPerBlock).map { output in taps.pair(at: first - output - taps.radius) }
    }
  }

  /// Returns the weights for summing source pixels horizontally. The loop reads two source pixels at a time,
  /// and adds them to the sums of two output pixels. For each pair of source pixels, the array has two 32-bit
  /// words, one for each output pixel. A word holds the weights of both source pixels.
  private static func pixelPairs(_ taps: IntegerTaps) -> [Int32] {
    let radius = (taps.radius + 1) / 2
    return (-radius...radius).flatMap { pair in [taps.pair(at: 2 * pair), taps.pair(at: 2 * pair - 1)] }
  }
}

extension IntegerTaps {
  /// Returns two neighbouring weights in a single 32-bit word. The lower 16 bits hold the weight at
  /// `distance` from the centre, and the upper 16 bits hold the weight at `distance + 1`. Weights outside the
  /// window are 0.
  fileprivate func pair(at distance: Int) -> Int32 { weight(distance) | weight(distance + 1) << 16 }

  private func weight(_ distance: Int) -> Int32 {
    abs(distance) <= radius ? Int32(half[abs(distance)]) : 0
  }
}
