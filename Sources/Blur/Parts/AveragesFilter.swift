import BlurLoopTable

/// A filter that computes weighted sums along the columns and then along the rows, in 16-bit integer
/// arithmetic. It is used for 8-bit images, and for the reduced versions of such images in an image pyramid.
/// The two samples at the same distance from the centre of the window have the same weight. They are averaged
/// first, so that one multiplication is enough for both.
///
/// The rounding error of this filter is larger than that of ``FixedFilter``, and it grows with the radius of
/// the window. In an 8-bit image, with a radius of 3, it is at most about 0.02 of the difference between two
/// neighbouring pixel values such as 100 and 101. In a 16-bit image, an error of the same size would be more
/// than 5 such differences. Therefore this filter is not used for 16-bit images.
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

  /// Returns the largest error that rounding can cause in a blurred pixel, as a fraction of full scale.
  ///
  /// The filter multiplies 8-bit values by 256, so full scale is 255 · 256 = 65280 units. A weighted sum has
  /// one product for each weight. Each product is rounded down, but each sum starts at a value that makes up
  /// for the average loss. As a result, a product contributes an error of at most half a unit. Another 1.5
  /// units cover the rounding of the averages and of the start values.
  static func rounding(across: Q16Taps, down: Q16Taps) -> Double {
    Double(across.weights.count + down.weights.count + 3) / 2 / 65280
  }

  /// Returns whether every weighted sum that the filter computes fits in 16 bits, whatever the image is. The
  /// function computes only the sums of a white image, because no other image has larger sums.
  static func fits(across: Q16Taps, down: Q16Taps) -> Bool {
    let white = 255 << 8
    let between = down.largestSum(of: white, products: down.radius + 1)
    // Sums along a row are 256 times as large as 8-bit results. To round such a sum to the nearest 8-bit
    // value, the horizontal pass adds 128 and then drops the lower 8 bits. The sum must still fit in 16 bits
    // after 128 has been added.
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

  /// Returns the weights, each repeated as many times as the widest vector of any instruction set has 16-bit
  /// elements. The inner loops can then load a whole vector of equal weights.
  private static func vectors(_ taps: Q16Taps) -> [UInt16] {
    taps.weights.flatMap { [UInt16](repeating: $0, count: FilterLoops.widest) }
  }
}
