import BlurLoopTable

/// A separable window filter in 16-bit fixed point, for images with 16-bit components.
///
/// Weights are 16-bit integers in units of 2⁻¹⁵. A single multiply-add instruction multiplies two
/// neighbouring values by two weights and adds both products to a 32-bit sum. Between the vertical and the
/// horizontal pass, values are rounded to 16 bits.
final class FixedFilter: WindowFilter {
  /// The largest error, as a fraction of full scale, that rounding the sums of one pass to 16 bits can cause.
  static let rounding = 0.5 / 65280

  let frame: WindowFrame
  let weights: IntegerWeights?
  private let downWeights: [Int32]
  private let acrossWeights: [Int32]
  private let constant: SIMD4<UInt16>
  /// The position of the first pair of source pixels in the window around a pair of output pixels. It is
  /// given as a number of pairs relative to the output pair, and is 0 or negative.
  private let firstPair: Int

  init(_ shape: WindowShape, across: Q15Taps, down: Q15Taps) {
    frame = WindowFrame(shape, .pairs, across: across.radius, down: down.radius)
    weights = IntegerWeights(
      arithmetic: .products, across: across.half.map { Int($0) }, down: down.half.map { Int($0) })
    downWeights = Self.rowPairs(down)
    firstPair = -((across.radius + 1) / 2)
    acrossWeights = Self.pixelPairs(across)
    constant = shape.constant { UInt16($0) ^ 0x8000 }
  }

  var scratchBytes: Int { frame.scratchBytes(valueBytes: MemoryLayout<UInt16>.size) }

  func run(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, isStreamed: Bool,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer
  ) {
    let shape = frame.shape
    let constant = constant
    withStarts(downWeights, acrossWeights) { down, across in
      frame.run(rows, scratch, from: source, into: target) {
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

  /// Returns the weights for the vertical pass, which processes source rows in pairs. For each pair of source
  /// rows and each of the four output rows, there is one 32-bit word. It holds the weights of the two source
  /// rows. A weight is 0 if the source row lies outside the window of the output row.
  private static func rowPairs(_ taps: Q15Taps) -> [Int32] {
    let rows = 2 * taps.radius + FilterLoops.rowsPerBlock
    return stride(from: 0, to: rows, by: 2).flatMap { first in
      (0..<FilterLoops.rowsPerBlock).map { output in taps.pair(at: first - output - taps.radius) }
    }
  }

  /// Returns the weights for the horizontal pass, which processes pixels in pairs. For each pair of source
  /// pixels, there are two 32-bit words, and each word holds a weight for each of the two source pixels. The
  /// first word is for the first pixel of an output pair, and the second word is for the second pixel.
  private static func pixelPairs(_ taps: Q15Taps) -> [Int32] {
    let radius = (taps.radius + 1) / 2
    return (-radius...radius).flatMap { pair in [taps.pair(at: 2 * pair), taps.pair(at: 2 * pair - 1)] }
  }
}

extension Q15Taps {
  /// Returns the weights at the distances `distance` and `distance + 1` in the lower and the upper 16 bits of
  /// one word. Beyond the ends of the window, weights are 0.
  fileprivate func pair(at distance: Int) -> Int32 { weight(distance) | weight(distance + 1) << 16 }

  private func weight(_ distance: Int) -> Int32 {
    abs(distance) <= radius ? half[abs(distance)] : 0
  }
}
