import BlurLoopTable

/// A separable window filter, planned: sums rows down, then the sums across.
///
/// Vertical pass first: four output rows at once, so that each source row is loaded and widened once for four
/// sums, into lines that stay in the cache; then each line is continued by the edge mode and summed across.
/// Interiors never test for edges. The inner loops are in `Sources/BlurLoops`.
protocol WindowFilter: RowFilter {
  var frame: WindowFrame { get }
}

/// Filters rows of an image, or of a level of a pyramid.
protocol RowFilter: AnyObject, Sendable {
  /// Bytes of scratch for ``run(_:_:from:into:)``.
  var scratchBytes: Int { get }
  /// Nil where weights are no whole numbers, and sums depend on the instruction set.
  var weights: IntegerWeights? { get }

  /// Filters the output rows `rows`.
  ///
  /// - Parameters:
  ///   - isStreamed: whether output rows should go past the caches; those of bytes in 16-bit sums can.
  ///   - source: the address of a row, as far outside the wanted rows as the window reaches.
  ///   - target: the address of the first wanted pixel of an output row.
  func run(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, isStreamed: Bool,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer)
}

/// The weights of a window filter in whole numbers: what it does follows from them to the bit.
package struct IntegerWeights: Sendable {
  /// How they are used.
  package enum Arithmetic: String, Sendable {
    /// ``AveragesFilter``: a weight for both values at a distance, in units of 2⁻¹⁶.
    case averages
    /// ``FixedFilter``: a weight for each value, in units of 2⁻¹⁵.
    case products
  }

  package let arithmetic: Arithmetic
  /// Of the centre, of distance 1, and so on, along a row and along a column.
  package let across: [Int], down: [Int]
}

/// A plan that is a window filter and nothing else.
package protocol IntegerWindowPlan: Plan {
  /// Nil in floating point.
  var weights: IntegerWeights? { get }
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

  /// The constant pixel of the edge mode, its components as they stand in a line.
  func constant<Value: SIMDScalar>(_ value: (Float) -> Value) -> SIMD4<Value> {
    SIMD4((0..<4).map { value(edge.constant($0, of: component)) })
  }
}

/// What both arithmetics share: where lines begin and end.
struct WindowFrame: Sendable {
  let shape: WindowShape
  let line: PaddedLine
  /// Rows above and below an output row that its window holds.
  let radius: Int
  let loops: FilterLoops
  /// The first pixel of an output row that is computed: an even one where values are taken in pairs.
  private let firstOutput: Int

  /// - Parameters:
  ///   - across: taps to each side along a row; `down`: along a column.
  init(_ shape: WindowShape, _ order: SampleLayout, across: Int, down: Int) {
    self.shape = shape
    let isPaired = order != .pixels
    let margin = isPaired ? (across + 1) & ~1 : across
    line = PaddedLine(
      shape.wanted.widened(by: margin), inside: shape.inside, edge: shape.edge, order,
      channels: shape.channels)
    radius = down
    loops = shape.instructionSet.loops.filter
    firstOutput = isPaired ? shape.wanted.lowerBound & ~1 : shape.wanted.lowerBound
  }

  /// Whether output rows begin with a pixel that is not wanted.
  var beginsEarly: Bool { firstOutput < shape.wanted.lowerBound }

  /// Components that are computed in an output row.
  var outputCount: Int { (shape.wanted.upperBound - firstOutput) * shape.channels }

  /// Bytes for the addresses of a block's rows, its lines, and an output row that begins too early.
  func scratchBytes(valueBytes: Int) -> Int {
    addressBytes + (FilterLoops.rowsPerBlock * line.stride + FilterLoops.widest) * valueBytes
      + (beginsEarly ? outputCount * shape.component.bytes : 0)
  }

  /// Room for the rows of a block, a multiple of 64.
  private var addressBytes: Int { AlignedBuffer.roundedUp((2 * radius + 2 * FilterLoops.rowsPerBlock) * 8) }

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
    sumDown: (UnsafePointer<UnsafeRawPointer>, UnsafeMutablePointer<Value>, Int) -> Void,
    constant: (Int) -> Value,
    sumAcross: (UnsafePointer<Value>, UnsafeMutableRawPointer) -> Void
  ) {
    // SAFETY: `scratchBytes` reserves the addresses, `lead`, four lines of `line.stride` values, and an
    // output row.
    let addresses = scratch.assumingMemoryBound(to: UnsafeRawPointer.self)
    let firstComputed = line.index(of: line.columns.lowerBound)
    let firstWanted = line.index(of: firstOutput)
    // What the vertical pass writes begins with a cache line.
    let lead = -firstComputed & (FilterLoops.widest - 1)
    let lines = (scratch + addressBytes).assumingMemoryBound(to: Value.self) + lead
    let spare = UnsafeMutableRawPointer(lines + FilterLoops.rowsPerBlock * line.stride)
    let excess = (shape.wanted.lowerBound - firstOutput) * shape.bytesPerPixel
    let skipped = (line.columns.lowerBound - shape.inside.lowerBound) * shape.bytesPerPixel
    let count = 2 * radius + 2 * FilterLoops.rowsPerBlock
    for y in stride(from: rows.lowerBound, to: rows.upperBound, by: FilterLoops.rowsPerBlock) {
      // The rows of the block before are those of this one, four further on.
      let known = y == rows.lowerBound ? 0 : count - FilterLoops.rowsPerBlock
      addresses.update(from: addresses + FilterLoops.rowsPerBlock, count: known)
      for i in known..<count {
        // Sums of rows beyond the last are thrown away; what they would read may not be there.
        addresses[i] = source(min(y - radius + i, rows.upperBound - 1 + radius)) + skipped
      }
      sumDown(addresses, lines + firstComputed, line.columns.count * shape.channels)
      for j in 0..<min(FilterLoops.rowsPerBlock, rows.upperBound - y) {
        let current = lines + j * line.stride
        line.fill(current, constant: constant)
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
