import BlurLoopTable

/// A filter that computes weighted sums along the columns and then along the rows, in single precision. It is
/// used for images of every component type.
final class FloatFilter: WindowFilter {
  private let frame: WindowFrame
  private let downWeights: [Float]
  private let acrossWeights: [Float]

  init(_ frame: WindowFrame, _ window: BlurWindow) {
    self.frame = frame
    downWeights = (window.down.dropFirst().reversed() + window.down).map { Float($0) }
    acrossWeights = window.across.map { Float($0) }
  }

  var scratchBytes: Int { frame.scratchBytes(valueBytes: MemoryLayout<Float>.size) }

  func run(
    _ rows: Range<Int>, _ buffers: PhaseContext, from source: (Int) -> UnsafeRawPointer,
    into target: (Int) -> UnsafeMutableRawPointer
  ) {
    let shape = frame.shape
    let bytes = shape.component.bytes
    withStarts(downWeights, acrossWeights) { down, across in
      frame.run(rows, buffers.scratch, from: source, into: target) {
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
