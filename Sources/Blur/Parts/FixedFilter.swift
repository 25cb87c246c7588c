import BlurLoopTable

/// A window filter in 16-bit fixed point, for 16-bit components.
///
/// Weights have 15 binary places, so that two of them go into one multiply-add of 16-bit lanes; values
/// between the passes have 16 bits, and sums 32.
final class FixedFilter: WindowFilter {
  /// How far rounding to 16 bits between the passes can put a result off, as a share of full scale.
  static let rounding = 0.5 / 65280

  let frame: WindowFrame
  let weights: IntegerWeights?
  private let downWeights: [Int32]
  private let acrossWeights: [Int32]
  private let constant: SIMD4<UInt16>
  /// The first pair of a window, relative to the pair of its output pixel.
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

  /// Weights for rows taken in pairs, one word for each of a block's output rows; 0 outside its window.
  private static func rowPairs(_ taps: Q15Taps) -> [Int32] {
    let rows = 2 * taps.radius + FilterLoops.rowsPerBlock
    return stride(from: 0, to: rows, by: 2).flatMap { first in
      (0..<FilterLoops.rowsPerBlock).map { output in taps.pair(at: first - output - taps.radius) }
    }
  }

  /// Weights for pixels taken in pairs: for the first pixel of an output pair, and for the second.
  private static func pixelPairs(_ taps: Q15Taps) -> [Int32] {
    let radius = (taps.radius + 1) / 2
    return (-radius...radius).flatMap { pair in [taps.pair(at: 2 * pair), taps.pair(at: 2 * pair - 1)] }
  }
}

extension Q15Taps {
  /// The weights at `distance` and at the next one, as the two halves of a word; 0 outside the window.
  fileprivate func pair(at distance: Int) -> Int32 { weight(distance) | weight(distance + 1) << 16 }

  private func weight(_ distance: Int) -> Int32 {
    abs(distance) <= radius ? half[abs(distance)] : 0
  }
}
