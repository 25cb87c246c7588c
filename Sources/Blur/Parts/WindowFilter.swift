/// A separable window filter, planned: sums rows down, then the sums across.
///
/// Vertical pass first: four output rows at once, so that each source row is loaded and widened once for four
/// sums, into lines that stay in the cache; then each line is continued by the edge mode and summed across.
/// Interiors never test for edges. The inner loops are in `Sources/BlurLanes`.
protocol WindowFilter: AnyObject, Sendable {
  var frame: WindowFrame { get }
  /// Bytes of scratch for ``run(_:_:from:into:)``.
  var scratchBytes: Int { get }

  /// Filters the output rows `rows`.
  ///
  /// - Parameters:
  ///   - source: the address of a row, as far outside the wanted rows as the window reaches.
  ///   - target: the address of the first wanted pixel of an output row.
  func run(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, from source: (Int) -> UnsafeRawPointer,
    into target: (Int) -> UnsafeMutableRawPointer)
}

/// What the rows of a window filter look like.
struct WindowShape: Sendable {
  /// Type of the components, in and out.
  let component: PixelFormat.Component
  let channels: Int
  /// Columns of the output.
  let wanted: Range<Int>
  /// Columns of the source, and how they continue.
  let inside: Range<Int>
  let edge: EdgeMode
  let instructionSet: InstructionSet

  var bytesPerPixel: Int { component.bytes * channels }
}

/// What both arithmetics share: where lines begin and end.
struct WindowFrame: Sendable {
  let shape: WindowShape
  let order: LineOrder
  let line: PaddedLine
  /// Rows above and below an output row that its window holds.
  let radius: Int
  let loops: FilterLoops

  /// - Parameters:
  ///   - order: `pairs`, or `pixels`.
  ///   - across: taps to each side along a row; `down`: along a column.
  init(_ shape: WindowShape, _ order: LineOrder, across: Int, down: Int) {
    self.shape = shape
    self.order = order
    let isPaired = order == .pairs
    let margin = isPaired ? (across + 1) & ~1 : across
    line = PaddedLine(
      shape.wanted.widened(by: margin), inside: shape.inside, edge: shape.edge, pairs: isPaired)
    radius = down
    loops = .compiled(for: shape.instructionSet)
    firstOutput = isPaired ? shape.wanted.lowerBound & ~1 : shape.wanted.lowerBound
  }

  /// The first pixel of an output row that is computed: an even one where pixels are taken in pairs.
  private let firstOutput: Int

  /// Components that are computed in an output row.
  var outputCount: Int { (shape.wanted.upperBound - firstOutput) * shape.channels }

  /// Values from one line of a block to the next.
  var lineStride: Int { (line.positions.count + 4) * shape.channels + FilterLoops.slack }

  /// Bytes for the addresses of a block's rows, its lines, and an output row that begins too early.
  func scratchBytes(valueBytes: Int) -> Int {
    addressBytes + FilterLoops.rowsPerBlock * lineStride * valueBytes
      + (firstOutput < shape.wanted.lowerBound ? outputCount * shape.component.bytes : 0)
  }

  /// Room for the rows of a block, a multiple of 64.
  private var addressBytes: Int { ((2 * radius + 2 * FilterLoops.rowsPerBlock) * 8 + 63) / 64 * 64 }

  /// Runs both passes for the output rows `rows`.
  ///
  /// - Parameters:
  ///   - sumDown: rows, first of four lines, number of values.
  ///   - constant: channel c of the constant pixel, as it stands in a line.
  ///   - sumAcross: the line at its first wanted pixel, target row.
  @inline(__always)
  func run<Value: BitwiseCopyable>(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, from source: (Int) -> UnsafeRawPointer,
    into target: (Int) -> UnsafeMutableRawPointer,
    sumDown: (FilterLoops.Rows, UnsafeMutablePointer<Value>, Int) -> Void, constant: (Int) -> Value,
    sumAcross: (UnsafePointer<Value>, UnsafeMutableRawPointer) -> Void
  ) {
    // SAFETY: `scratchBytes` reserves the addresses, four lines of `lineStride` values, and an output row.
    let addresses = scratch.assumingMemoryBound(to: UnsafeRawPointer.self)
    let lines = (scratch + addressBytes).assumingMemoryBound(to: Value.self)
    let spare = UnsafeMutableRawPointer(lines + FilterLoops.rowsPerBlock * lineStride)
    let firstComputed = line.offset(of: line.columns.lowerBound) * shape.channels
    let firstWanted = line.offset(of: firstOutput) * shape.channels
    let excess = (shape.wanted.lowerBound - firstOutput) * shape.bytesPerPixel
    let skipped = (line.columns.lowerBound - shape.inside.lowerBound) * shape.bytesPerPixel
    for y in stride(from: rows.lowerBound, to: rows.upperBound, by: FilterLoops.rowsPerBlock) {
      for i in 0..<2 * radius + 2 * FilterLoops.rowsPerBlock {
        // Sums of rows beyond the last are thrown away; what they would read may not be there.
        addresses[i] = source(min(y - radius + i, rows.upperBound - 1 + radius)) + skipped
      }
      sumDown(addresses, lines + firstComputed, line.columns.count * shape.channels)
      for j in 0..<min(FilterLoops.rowsPerBlock, rows.upperBound - y) {
        let current = lines + j * lineStride
        line.fill(current, order, channels: shape.channels, constant: constant)
        let row = target(y + j)
        sumAcross(current + firstWanted, excess == 0 ? row : spare)
        if excess > 0 {
          row.copyMemory(
            from: spare + excess, byteCount: outputCount * shape.component.bytes - excess)
        }
      }
    }
  }
}
