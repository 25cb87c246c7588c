import BlurLoopTable

/// A filter that blurs the smallest level of a pyramid, in single precision. It is used if the edge mode
/// repeats the image. An ordinary window would then also read copies of pixels outside the level. This filter
/// needs no such copies. Instead, each output pixel has its own weights, and the weight of each source pixel
/// already includes the weights of its copies. ``PeriodicWeights`` explains how this works.
final class PeriodicFilter: WindowFilter {
  private let shape: WindowShape
  private let rows: Range<Int>
  private let firstRow: Int
  private let across: BandMatrix
  private let down: BandMatrix
  private let loops: FilterLoops

  /// Creates a filter from the weights along both axes.
  ///
  /// - Parameters:
  ///   - across: The weights of each output pixel along a row.
  ///   - down: The weights of each output pixel along a column.
  ///   - firstRow: The index of the first source row that is stored.
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

  /// The number of values from the start of one line to the start of the next. A line holds the vertical sums
  /// for one output row. The space for a line is also large enough for an output row.
  private var lineStride: Int {
    PyramidLevel.stride(max(shape.inside.count, shape.wanted.count) * shape.channels)
  }

  /// The number of bytes for the addresses of all rows that are read and written to compute four output rows.
  /// It is rounded up to a multiple of 64.
  private var addressBytes: Int { AlignedBuffer.roundedUp((down.taps + FilterLoops.rowsPerBlock) * 8) }

  /// The number of scratch bytes for computing four output rows at a time. This memory holds the addresses of
  /// rows, four lines of vertical sums, and an additional row. If fewer than four output rows are wanted, the
  /// additional row receives the results that are not needed.
  var scratchBytes: Int {
    addressBytes + (FilterLoops.rowsPerBlock + 1) * lineStride * MemoryLayout<Float>.size
  }

  func run(
    _ wanted: Range<Int>, _ buffers: PhaseContext, from source: (Int) -> UnsafeRawPointer,
    into target: (Int) -> UnsafeMutableRawPointer
  ) {
    across.groups.withUnsafeBufferPointer { groups in
      across.weights.withUnsafeBufferPointer { acrossWeights in
        down.weights.withUnsafeBufferPointer { downWeights in
          // The weights along the columns are stored for groups of four output rows, so `y` must be the first
          // row of a group. This is guaranteed, because each thread starts at a multiple of four rows.
          for y in stride(from: wanted.lowerBound, to: wanted.upperBound, by: FilterLoops.rowsPerBlock) {
            run(
              y..<min(y + FilterLoops.rowsPerBlock, wanted.upperBound), buffers.scratch, groups,
              acrossWeights, downWeights, from: source, into: target)
          }
        }
      }
    }
  }

  /// Computes at most four output rows: sums the source rows vertically, and then sums the results
  /// horizontally.
  private func run(
    _ block: Range<Int>, _ scratch: UnsafeMutableRawPointer, _ groups: UnsafeBufferPointer<Int>,
    _ acrossWeights: UnsafeBufferPointer<Float>, _ downWeights: UnsafeBufferPointer<Float>,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer
  ) {
    // SAFETY: the scratch memory holds, one after the other, the addresses of four output rows, the addresses
    // of the source rows, four lines of vertical sums, and one additional output row. `scratchBytes` reserves
    // space for all of them.
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
    // SAFETY: `groups`, `acrossWeights` and `downWeights` contain the weights of at least one output pixel.
    // Therefore these buffers are not empty, and their base addresses are not nil.
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
