import BlurLoopTable

/// A filter that computes weighted sums along the columns and then along the rows of an 8-bit image, in
/// 16-bit integer arithmetic. Image pyramids also use it for the smaller versions of 8-bit images. The two
/// samples at the same distance from the centre of the window have the same weight. They are averaged first,
/// so that one multiplication is enough for both.
///
/// The rounding error is larger than in ``FixedFilter``, and it grows with the radius of the window.
/// With a radius of 3, it is at most about 0.02 times the difference between two neighbouring 8-bit values.
/// This is more than 5 times the difference between two neighbouring 16-bit values, so the filter is not used
/// for 16-bit images.
final class AveragesFilter: WindowFilter {
  let frame: WindowFrame
  let weights: IntegerWeights?
  private let downWeights: [UInt16]
  private let acrossWeights: [UInt16]
  private let constant: SIMD4<UInt16>

  init(_ shape: WindowShape, across: Q16Taps, down: Q16Taps) {
    frame = WindowFrame(shape, .halves(odd: 0), across: across.radius, down: down.radius)
    weights = IntegerWeights(
      arithmetic: .averages, across: across.weights.map { Int($0) }, down: down.weights.map { Int($0) })
    downWeights = Self.vectors(down)
    acrossWeights = Self.vectors(across)
    constant = shape.constant { UInt16($0) << UInt16(shape.component == .uint8 ? 8 : 0) }
  }

  /// Returns the largest error that rounding can cause in a blurred pixel, as a fraction of full scale. In
  /// this filter, full scale is 65280. Each weight causes an error of at most 0.5, because a product with
  /// this weight is rounded. All other rounding in the filter adds at most 1.5.
  static func rounding(across: Q16Taps, down: Q16Taps) -> Double {
    Double(across.weights.count + down.weights.count + 3) / 2 / 65280
  }

  /// Returns whether all sums that the filter computes fit in 16 bits. It is enough to check a white image,
  /// because no other image has larger sums.
  static func fits(across: Q16Taps, down: Q16Taps) -> Bool {
    let white = 255 << 8
    let between = down.largestSum(of: white, products: down.radius + 1)
    // The sum along a row is 256 times as large as the 8-bit result. To round it to the nearest 8-bit value,
    // the loop adds 128 and then drops the lower 8 bits. So the sum plus 128 must fit in 16 bits.
    return max(between, across.largestSum(of: between, products: across.radius) + 128) <= Int(UInt16.max)
  }

  var scratchBytes: Int { frame.scratchBytes(valueBytes: MemoryLayout<UInt16>.size) }

  func run(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, isStreamed: Bool,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer
  ) {
    let shape = frame.shape
    let bytes = shape.component.bytes
    let constant = constant
    let radius = acrossWeights.count / FilterLoops.widest - 1
    withStarts(downWeights, acrossWeights) { down, across in
      frame.run(rows, scratch, from: source, into: target) {
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
            target: target, bytes: bytes, count: frame.outputCount,
            isStreamed: isStreamed && !frame.beginsEarly
          ))
      }
    }
  }

  /// Returns an array in which each weight is repeated, for example 3 3 3 … 7 7 7 … The inner loops can then
  /// load a whole vector of equal weights, even with the widest vectors of all instruction sets.
  private static func vectors(_ taps: Q16Taps) -> [UInt16] {
    taps.weights.flatMap { [UInt16](repeating: $0, count: FilterLoops.widest) }
  }
}
