import BlurLoopTable

/// Filters the coarsest level of a pyramid by windows that are folded along both axes, in single precision.
final class FoldedFilter: RowFilter {
  private let shape: WindowShape
  private let rows: Range<Int>
  private let firstRow: Int
  private let across: BandMatrix
  private let down: BandMatrix
  private let loops: FilterLoops

  var weights: IntegerWeights? { nil }

  /// - Parameters:
  ///   - across: windows along a row, `down` along a column.
  ///   - firstRow: the first row of the source.
  init(_ shape: WindowShape, across: PeriodicWeights, down: PeriodicWeights, firstRow: Int) {
    self.shape = shape
    self.firstRow = firstRow
    rows = down.outputs
    loops = shape.instructionSet.loops.filter
    let lanes = shape.instructionSet.floats
    self.across = across.packed(
      groupsOf: lanes / shape.channels, channels: shape.channels, lanes: lanes,
      from: shape.inside.lowerBound)
    self.down = down.packed(
      groupsOf: FilterLoops.rowsPerBlock, channels: 1, lanes: FilterLoops.rowsPerBlock, from: firstRow)
  }

  /// Values from one line of a block to the next, which serve for an output row, too.
  private var lineStride: Int {
    PyramidLevel.stride(max(shape.inside.count, shape.wanted.count) * shape.channels)
  }

  /// Addresses of a block's sources and targets, a multiple of 64.
  private var addressBytes: Int { AlignedBuffer.roundedUp((down.taps + FilterLoops.rowsPerBlock) * 8) }

  /// The addresses, a block's lines, and an output row that is not read.
  var scratchBytes: Int {
    addressBytes + (FilterLoops.rowsPerBlock + 1) * lineStride * MemoryLayout<Float>.size
  }

  func run(
    _ wanted: Range<Int>, _ scratch: UnsafeMutableRawPointer, isStreamed: Bool,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer
  ) {
    across.groups.withUnsafeBufferPointer { groups in
      across.weights.withUnsafeBufferPointer { acrossWeights in
        down.weights.withUnsafeBufferPointer { downWeights in
          // Blocks are cut where weights are: phases are divided at multiples of a block.
          for y in stride(from: wanted.lowerBound, to: wanted.upperBound, by: FilterLoops.rowsPerBlock) {
            run(
              y..<min(y + FilterLoops.rowsPerBlock, wanted.upperBound), scratch, groups, acrossWeights,
              downWeights, from: source, into: target)
          }
        }
      }
    }
  }

  /// Runs both passes for a block of rows.
  private func run(
    _ block: Range<Int>, _ scratch: UnsafeMutableRawPointer, _ groups: UnsafeBufferPointer<Int>,
    _ acrossWeights: UnsafeBufferPointer<Float>, _ downWeights: UnsafeBufferPointer<Float>,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer
  ) {
    // SAFETY: `scratchBytes` reserves the addresses, four lines and a row.
    let targets = scratch.assumingMemoryBound(to: UnsafeMutableRawPointer.self)
    let addresses = (scratch + FilterLoops.rowsPerBlock * 8).assumingMemoryBound(to: UnsafeRawPointer.self)
    let lines = (scratch + addressBytes).assumingMemoryBound(to: Float.self)
    let spare = UnsafeMutableRawPointer(lines + FilterLoops.rowsPerBlock * lineStride)
    for i in 0..<FilterLoops.rowsPerBlock {
      targets[i] = i < block.count ? target(block.lowerBound + i) : spare
    }
    let group = (block.lowerBound - rows.lowerBound) / FilterLoops.rowsPerBlock * BandMatrix.numbers
    var taps = 0
    for run in [group, group + 2] {
      for row in down.groups[run]..<down.groups[run] + down.groups[run + 1] {
        addresses[taps] = source(firstRow + row)
        taps += 1
      }
    }
    // SAFETY: there are weights for all groups.
    loops.bandDown(
      (
        rows: UnsafePointer(addresses), bytes: shape.component.bytes, taps: taps,
        weights: downWeights.baseAddress! + down.groups[group + 4] * FilterLoops.rowsPerBlock, lines: lines,
        lineStride: lineStride, count: shape.inside.count * shape.channels
      ))
    loops.bandAcross(
      (
        lines: UnsafePointer(lines), lineStride: lineStride, channels: shape.channels,
        groups: groups.baseAddress!, weights: acrossWeights.baseAddress!, targets: UnsafePointer(targets),
        bytes: shape.component.bytes, count: shape.wanted.count * shape.channels
      ))
  }
}
