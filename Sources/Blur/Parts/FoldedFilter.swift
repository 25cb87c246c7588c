import BlurLoopTable

/// A filter for the coarsest level of a pyramid, in single precision. It is used if the edge mode repeats the
/// image. Each output pixel has its own weights, which already account for the repetitions, so that only
/// pixels inside the image are read. ``PeriodicWeights`` explains these weights.
final class FoldedFilter: RowFilter {
  private let shape: WindowShape
  private let rows: Range<Int>
  private let firstRow: Int
  private let across: BandMatrix
  private let down: BandMatrix
  private let loops: FilterLoops

  var weights: IntegerWeights? { nil }

  /// Creates a filter from the weights along both axes.
  ///
  /// - Parameters:
  ///   - across: The weights of each output pixel along a row.
  ///   - down: The weights of each output pixel along a column.
  ///   - firstRow: The number of the first source row that is stored.
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

  /// The number of values between the starts of two neighbouring lines of intermediate values. It is large
  /// enough for an output row as well.
  private var lineStride: Int {
    PyramidLevel.stride(max(shape.inside.count, shape.wanted.count) * shape.channels)
  }

  /// The number of bytes for the addresses of all source rows and target rows of a block of output rows,
  /// rounded up to a multiple of 64.
  private var addressBytes: Int { AlignedBuffer.roundedUp((down.taps + FilterLoops.rowsPerBlock) * 8) }

  /// The number of scratch bytes. They hold the addresses of source and target rows, the intermediate lines
  /// for a block of output rows, and one additional row. If a block reaches beyond the wanted rows, the
  /// unwanted results are written to the additional row and never read.
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
          // The weights down the columns are stored for groups of four output rows, so every block of rows
          // must begin with the first row of a group. It does, because rows are distributed among threads
          // only in multiples of four.
          for y in stride(from: wanted.lowerBound, to: wanted.upperBound, by: FilterLoops.rowsPerBlock) {
            run(
              y..<min(y + FilterLoops.rowsPerBlock, wanted.upperBound), scratch, groups, acrossWeights,
              downWeights, from: source, into: target)
          }
        }
      }
    }
  }

  /// Runs the vertical and then the horizontal pass for one block of at most four output rows.
  private func run(
    _ block: Range<Int>, _ scratch: UnsafeMutableRawPointer, _ groups: UnsafeBufferPointer<Int>,
    _ acrossWeights: UnsafeBufferPointer<Float>, _ downWeights: UnsafeBufferPointer<Float>,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer
  ) {
    // SAFETY: `scratchBytes` reserves space for the addresses, for four lines, and for one additional output
    // row.
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
    // SAFETY: each of the three buffers describes at least one group of output pixels. Therefore the buffers
    // are not empty, and their base addresses are not nil.
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
