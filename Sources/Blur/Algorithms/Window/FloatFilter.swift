import BlurLoopTable

/// A filter that computes weighted sums along the columns and then along the rows, in single precision. It is
/// used for images of every component type.
final class FloatFilter: WindowFilter {
  let frame: WindowFrame
  private let downWeights: [Float]
  private let acrossWeights: [Float]

  /// Creates a filter from two symmetric windows, each given by its right half.
  ///
  /// - Parameters:
  ///   - across: The weights along a row: the weight of the centre, then the weight at distance 1, and so on.
  ///   - down: The weights along a column, in the same order.
  init(_ shape: WindowShape, across: [Double], down: [Double]) {
    frame = WindowFrame(shape, .pixels, across: across.count - 1, down: down.count - 1)
    downWeights = (down.dropFirst().reversed() + down).map { Float($0) }
    acrossWeights = across.map { Float($0) }
  }

  let weights: IntegerWeights? = nil

  var scratchBytes: Int { frame.scratchBytes(valueBytes: MemoryLayout<Float>.size) }

  func run(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, isStreamed: Bool,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer
  ) {
    let shape = frame.shape
    let bytes = shape.component.bytes
    withStarts(downWeights, acrossWeights) { down, across in
      frame.run(rows, scratch, from: source, into: target) {
        (rows, lines: UnsafeMutablePointer<Float>, count) in
        frame.loops.floatDown(
          (
            rows: rows, bytes: bytes, taps: downWeights.count, weights: down, lines: lines,
            lineStride: frame.line.stride, count: count
          ))
      } constant: {
        shape.edge.constant($0, of: shape.component)
      } sumAcross: { line, target in
        frame.loops.floatAcross(
          (
            line: line, channels: shape.channels, radius: acrossWeights.count - 1, weights: across,
            target: target, bytes: bytes, count: frame.outputCount
          ))
      }
    }
  }
}
