import BlurLoopTable

/// A filter that computes weighted sums along the columns and then along the rows of an 8-bit image, in
/// 16-bit integer arithmetic. Image pyramids also use it for the smaller versions of 8-bit images. The two
/// samples at the same distance from the centre of the window have the same weight. The filter averages these
/// samples first, so that a single multiplication is enough for both of them.
///
/// The rounding error is larger than in ``FixedFilter``, and it grows with the radius of the window. With a
/// radius of 3, it is at most about 0.02 levels, where a level is the step between two neighbouring 8-bit
/// values. This is more than 5 times the step between two neighbouring 16-bit values, so the filter is not
/// used for 16-bit images.
final class AveragesFilter: WindowFilter {
  private let frame: WindowFrame
  private let downWeights: [UInt16]
  private let acrossWeights: [UInt16]
  private let constant: SIMD4<UInt16>

  init(_ frame: WindowFrame, _ weights: IntegerWeights) {
    self.frame = frame
    downWeights = Self.vectors(weights.down)
    acrossWeights = weights.across == weights.down ? downWeights : Self.vectors(weights.across)
    let shift: UInt16 = frame.shape.component == .uint8 ? 8 : 0
    constant = frame.shape.constant { UInt16($0) << shift }
  }

  /// Returns the largest error that rounding can cause in a blurred pixel, as a fraction of full scale. The
  /// filter computes with integers, and full scale is 65280, so an error of 1 is 1/65280 of full scale. The
  /// product for each weight is rounded, which causes an error of at most 0.5. All other rounding in the
  /// filter adds an error of at most 1.5.
  static func rounding(across: IntegerTaps, down: IntegerTaps) -> Double {
    Double(across.half.count + down.half.count + 3) / 2 / 65280
  }

  /// Returns whether all sums that the filter computes fit in 16 bits. It is enough to check a white image,
  /// because no other image has larger sums.
  static func fits(across: IntegerTaps, down: IntegerTaps) -> Bool {
    let white = 255 << 8
    let between = down.largestSum(of: white, products: down.radius + 1)
    // The sum along a row is 256 times as large as the 8-bit result. To round it to the nearest 8-bit value,
    // the loop adds 128 and then drops the lower 8 bits. So the sum plus 128 must fit in 16 bits.
    return max(between, across.largestSum(of: between, products: across.radius) + 128) <= Int(UInt16.max)
  }

  var scratchBytes: Int { frame.scratchBytes(valueBytes: MemoryLayout<UInt16>.size) }

  func run(
    _ rows: Range<Int>, _ buffers: PhaseContext, from source: (Int) -> UnsafeRawPointer,
    into target: (Int) -> UnsafeMutableRawPointer
  ) {
    let shape = frame.shape
    let bytes = shape.component.bytes
    let constant = constant
    // Streamed results bypass the caches. The 16-bit results of a pyramid's smallest level are not streamed,
    // because they are soon read again. Rows that begin before the first wanted pixel are not streamed
    // either, because they are first written to scratch memory and then copied.
    let isStreamed = shape.component == .uint8 && buffers.isStreamed && !frame.beginsEarly
    let radius = acrossWeights.count / FilterLoops.widest - 1
    withStarts(downWeights, acrossWeights) { down, across in
      frame.run(rows, buffers.scratch, from: source, into: target) {
        (rows, lines: UnsafeMutablePointer<UInt16>, count) in
        frame.loops.averagesDown(
          (
            rows: rows, bytes: bytes, channels: shape.channels, radius: frame.radius, weights: down,
            lines: lines,
            lineStride: frame.line.stride, odd: frame.line.odd, count: count
          ))
      } constant: {
        constant[$0]
      } sumAcross: { line, target in
        frame.loops.averagesAcross(
          (
            line: line, odd: frame.line.odd, channels: shape.channels, radius: radius, weights: across,
            target: target, bytes: bytes, count: frame.outputCount, isStreamed: isStreamed
          ))
      }
    }
  }

  /// Returns an array in which each weight is repeated, for example 3 3 3 … 7 7 7 … The inner loops can then
  /// load a whole vector of equal weights. There are enough repetitions for the widest vectors of all
  /// instruction sets.
  private static func vectors(_ taps: IntegerTaps) -> [UInt16] {
    var vectors: [UInt16] = []
    vectors.reserveCapacity(taps.half.count * FilterLoops.widest)
    for tap in taps.half { vectors.append(contentsOf: repeatElement(UInt16(tap), count: FilterLoops.widest)) }
    return vectors
  }
}

extension IntegerTaps {
  /// Returns the largest weighted sum of samples that are at most `value`. This sum occurs if all samples
  /// equal `value`. The result is rounded in the same way as the sums in `BlurLoops/AveragesDown.swift`.
  ///
  /// - Parameter products: The number of products whose rounding the loops compensate for. Each product is
  ///   rounded down, and so loses half a unit on average. Therefore the sum starts at `products / 2` instead
  ///   of 0.
  func largestSum(of value: Int, products: Int) -> Int {
    // The multiplication uses 64 bits, because `Int` has only 32 bits on WebAssembly.
    half.reduce(products / 2) { $0 + Int((Int64(value) * Int64($1)) >> 16) }
  }
}
