import BlurLoopTable

/// A planned separable window filter. It sums rows vertically, and then sums the results horizontally.
///
/// The vertical pass makes four output rows at once, so that each source row is loaded and widened only once
/// for four sums. The sums go into lines that stay in the cache. Then each line is extended according to the
/// edge mode and summed horizontally. The interior of the image is never tested for edges. The inner loops
/// are in `Sources/BlurLoops`.
protocol WindowFilter: RowFilter {
  var frame: WindowFrame { get }
}

/// A filter for the rows of an image, or of a level of a pyramid.
protocol RowFilter: AnyObject, Sendable {
  /// The bytes of scratch memory for ``run(_:_:isStreamed:from:into:)``.
  var scratchBytes: Int { get }
  /// The weights as integers, or nil if the weights are not integers and the sums depend on the instruction
  /// set.
  var weights: IntegerWeights? { get }

  /// Filters the output rows `rows`.
  ///
  /// - Parameters:
  ///   - isStreamed: Whether to write output rows with non-temporal stores. Only filters that sum bytes in 16
  ///     bits can do this.
  ///   - source: Returns the address of a row, which may lie outside the wanted rows as far as the window
  ///     reaches.
  ///   - target: Returns the address of the first wanted pixel of an output row.
  func run(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, isStreamed: Bool,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer)
}

/// The weights of a window filter as integers. They determine the result to the last bit.
package struct IntegerWeights: Sendable {
  /// The way in which a filter uses the weights.
  package enum Arithmetic: String, Sendable {
    /// ``AveragesFilter``: one weight for both values at the same distance, in units of 2⁻¹⁶.
    case averages
    /// ``FixedFilter``: one weight for each value, in units of 2⁻¹⁵.
    case products
  }

  package let arithmetic: Arithmetic
  /// The weights of the centre, of distance 1 and so on, along a row (`across`) and along a column (`down`).
  package let across: [Int], down: [Int]
}

/// A plan that consists only of a window filter.
package protocol IntegerWindowPlan: Plan {
  /// The weights as integers, or nil in floating point.
  var weights: IntegerWeights? { get }
}

/// The layout of the rows that a window filter reads and writes.
struct WindowShape: Sendable {
  /// The type of the components, in the source and in the output.
  let component: PixelFormat.Component
  let channels: Int
  /// The columns of the output.
  let wanted: Range<Int>
  /// The columns of the source. The property `edge` determines how they continue.
  let inside: Range<Int>
  let edge: EdgeMode
  let instructionSet: InstructionSet

  var bytesPerPixel: Int { component.bytes * channels }

  /// Returns the constant pixel of the edge mode, with its components in the form in which lines store them.
  func constant<Value: SIMDScalar>(_ value: (Float) -> Value) -> SIMD4<Value> {
    SIMD4((0..<4).map { value(edge.constant($0, of: component)) })
  }
}

/// The part of a window filter that is independent of its arithmetic: where lines begin and end.
struct WindowFrame: Sendable {
  let shape: WindowShape
  let line: PaddedLine
  /// The number of rows above and below an output row that its window contains.
  let radius: Int
  let loops: FilterLoops
  /// The first pixel to compute in an output row. It is even if values are taken in pairs.
  private let firstOutput: Int

  /// Lays out the lines of a filter.
  ///
  /// - Parameters:
  ///   - across: The number of taps on each side along a row.
  ///   - down: The number of taps on each side along a column.
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

  /// The number of components that are computed for each output row.
  var outputCount: Int { (shape.wanted.upperBound - firstOutput) * shape.channels }

  /// Returns the bytes for the addresses of a block's rows, for its lines, and for an output row that begins
  /// too early.
  func scratchBytes(valueBytes: Int) -> Int {
    addressBytes + (FilterLoops.rowsPerBlock * line.stride + FilterLoops.widest) * valueBytes
      + (beginsEarly ? outputCount * shape.component.bytes : 0)
  }

  /// The bytes for the addresses of a block's rows, rounded up to a multiple of 64.
  private var addressBytes: Int { AlignedBuffer.roundedUp((2 * radius + 2 * FilterLoops.rowsPerBlock) * 8) }

  /// Runs both passes for the output rows `rows`.
  ///
  /// - Parameters:
  ///   - sumDown: Sums rows vertically. The arguments are the addresses of the rows, the first of four lines,
  ///     and the number of values.
  ///   - constant: Returns the given channel of the constant pixel, in the form in which lines store it.
  ///   - sumAcross: Sums a line horizontally. The arguments are the first wanted pixel in the line and the
  ///     target row.
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
    // The lines are shifted so that the vertical pass begins to write at the start of a cache line.
    let lead = -firstComputed & (FilterLoops.widest - 1)
    let lines = (scratch + addressBytes).assumingMemoryBound(to: Value.self) + lead
    let spare = UnsafeMutableRawPointer(lines + FilterLoops.rowsPerBlock * line.stride)
    let excess = (shape.wanted.lowerBound - firstOutput) * shape.bytesPerPixel
    let skipped = (line.columns.lowerBound - shape.inside.lowerBound) * shape.bytesPerPixel
    let count = 2 * radius + 2 * FilterLoops.rowsPerBlock
    for y in stride(from: rows.lowerBound, to: rows.upperBound, by: FilterLoops.rowsPerBlock) {
      // The window of rows moves on by four, so most addresses are already known from the block before.
      let known = y == rows.lowerBound ? 0 : count - FilterLoops.rowsPerBlock
      addresses.update(from: addresses + FilterLoops.rowsPerBlock, count: known)
      for i in known..<count {
        // The sums of rows beyond the last are discarded, and the rows that they would read may not exist.
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
