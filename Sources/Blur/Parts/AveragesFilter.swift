import BlurLoopTable

/// A window filter in 16 bits for images of bytes, and for the levels of their pyramids: two taps take one
/// average and one multiplication. It is off by more than ``FixedFilter``, a hundredth of a level of 8 bits,
/// which deeper formats see.
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

  /// How far rounding in both passes can put a result off, as a share of full scale: half a unit of a 256th
  /// of a level for each product, and as much for the averages and the value that makes up for them.
  static func rounding(across: Q16Taps, down: Q16Taps) -> Double {
    Double(across.weights.count + down.weights.count + 3) / 2 / 65280
  }

  /// Whether no sum passes 16 bits: not even of a white image, whose sums are the largest.
  static func fits(across: Q16Taps, down: Q16Taps) -> Bool {
    let white = 255 << 8
    let between = down.largestSum(of: white, products: down.radius + 1)
    // Half a byte's unit is added for rounding.
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

  /// A vector of each weight, for the widest instruction set.
  private static func vectors(_ taps: Q16Taps) -> [UInt16] {
    taps.weights.flatMap { [UInt16](repeating: $0, count: FilterLoops.widest) }
  }
}
