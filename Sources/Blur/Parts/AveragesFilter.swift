import BlurLoopTable

/// A separable window filter in 16-bit integer arithmetic, for 8-bit images and for the levels of image
/// pyramids made from them. The two samples at the same distance from the centre of the window are averaged
/// first, so that they share one multiplication.
///
/// The rounding error of this filter is larger than that of ``FixedFilter``. It grows with the radius. With a
/// radius of 3, it is at most about 0.02 of an 8-bit level. In a 16-bit format, an error of this size would
/// be more than 5 levels.
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

  /// Returns the largest error that rounding in both passes can cause, as a fraction of full scale.
  ///
  /// The filter computes in units of 1/256 of an 8-bit level, so full scale is 65280 units. It computes one
  /// product for each weight. A product is rounded down, but the start value of each sum makes up for the
  /// average loss, so a product is off by at most half a unit. Another 1.5 units cover the rounding of the
  /// averages and of the start values.
  static func rounding(across: Q16Taps, down: Q16Taps) -> Double {
    Double(across.weights.count + down.weights.count + 3) / 2 / 65280
  }

  /// Returns whether every sum of the filter fits in 16 bits, whatever the image is. It is enough to compute
  /// the sums of a white image, because no other image has larger sums.
  static func fits(across: Q16Taps, down: Q16Taps) -> Bool {
    let white = 255 << 8
    let between = down.largestSum(of: white, products: down.radius + 1)
    // The horizontal pass adds 128 to each sum. An 8-bit level is 256 units of a sum, so 128 is half a level.
    // Dropping the lower 8 bits then rounds to the nearest level instead of rounding down. The check must
    // include these 128 units.
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

  /// Returns an array in which each weight is repeated often enough to fill the widest vector of any
  /// instruction set.
  private static func vectors(_ taps: Q16Taps) -> [UInt16] {
    taps.weights.flatMap { [UInt16](repeating: $0, count: FilterLoops.widest) }
  }
}
