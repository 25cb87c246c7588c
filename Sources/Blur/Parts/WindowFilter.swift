import BlurLoopTable

/// A separable window filter that is ready to run. It first sums rows vertically, and then sums the results
/// horizontally.
///
/// The vertical pass computes four output rows at once, so that each source row is loaded and converted only
/// once for four sums. It writes four lines of intermediate values, which stay in the cache. Each line is
/// extended beyond the image according to the edge mode, and is then summed horizontally. Because of the
/// extension, the inner loops never test whether a pixel is at an edge. They are in `Sources/BlurLoops`.
protocol WindowFilter: RowFilter {
  var frame: WindowFrame { get }
}

/// A filter that blurs the rows of an image, or the rows of one level of a pyramid.
protocol RowFilter: AnyObject, Sendable {
  /// The number of bytes of scratch memory that ``run(_:_:isStreamed:from:into:)`` needs.
  var scratchBytes: Int { get }
  /// The integer weights, or nil if the weights are floats. With weights that are floats, the sums can differ
  /// between instruction sets.
  var weights: IntegerWeights? { get }

  /// Blurs the output rows `rows`.
  ///
  /// - Parameters:
  ///   - isStreamed: Whether to write the output rows with non-temporal stores. Only ``AveragesFilter`` can
  ///     do this, and only for 8-bit images.
  ///   - source: Returns the address of a source row. It is also called for rows above and below the wanted
  ///     rows, as far as the window reaches.
  ///   - target: Returns the address of the first wanted pixel in an output row.
  func run(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, isStreamed: Bool,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer)
}

/// The integer weights of a window filter. They determine every bit of the result.
package struct IntegerWeights: Sendable {
  /// The kind of integer arithmetic in which a filter computes its weighted sums.
  package enum Arithmetic: String, Sendable {
    /// The arithmetic of ``AveragesFilter``: the mean of the two values at each distance is multiplied by one
    /// weight, in units of 2⁻¹⁶.
    case averages
    /// The arithmetic of ``FixedFilter``: each value is multiplied by its own weight, in units of 2⁻¹⁵.
    case products
  }

  package let arithmetic: Arithmetic
  /// The weights of the two windows, one along a row (`across`) and one along a column (`down`). Each array
  /// begins with the weight of the centre, followed by the weight at distance 1, and so on.
  package let across: [Int], down: [Int]
}

/// A plan that applies a single window filter and nothing else. If the weights of the filter are integers,
/// they can be read here, so that a test can compute every bit of the result again.
package protocol IntegerWindowPlan: Plan {
  /// The integer weights, or nil if the plan computes in single precision.
  var weights: IntegerWeights? { get }
}

/// The layout of the rows that a window filter reads and writes.
struct WindowShape: Sendable {
  /// The type of the components, both in the source rows and in the output rows.
  let component: PixelFormat.Component
  let channels: Int
  /// The columns that the output rows contain.
  let wanted: Range<Int>
  /// The columns that the source rows contain. The edge mode `edge` gives the pixels beyond them.
  let inside: Range<Int>
  let edge: EdgeMode
  let instructionSet: InstructionSet

  var bytesPerPixel: Int { component.bytes * channels }

  /// Returns the pixel that surrounds the image in the edge mode `constant`. `value` converts a component to
  /// the type and the scale of the values in a line of intermediate values.
  func constant<Value: SIMDScalar>(_ value: (Float) -> Value) -> SIMD4<Value> {
    SIMD4((0..<4).map { value(edge.constant($0, of: component)) })
  }
}

/// The part of a window filter that is the same for every arithmetic: it decides where the lines of
/// intermediate values begin and end, and calls the inner loops.
struct WindowFrame: Sendable {
  let shape: WindowShape
  let line: PaddedLine
  /// The radius of the window along a column. The window contains this number of rows above an output row,
  /// and the same number of rows below it.
  let radius: Int
  let loops: FilterLoops
  /// The first pixel that is computed in an output row. A filter that processes pixels in pairs must begin
  /// with an even pixel, which can be the pixel before the first wanted pixel.
  private let firstOutput: Int

  /// Chooses the layout of the lines of intermediate values.
  ///
  /// - Parameters:
  ///   - across: The number of taps on each side of the centre, along a row.
  ///   - down: The number of taps on each side of the centre, along a column.
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

  /// Whether each output row is computed from one pixel before the first wanted pixel. This happens if the
  /// first wanted pixel is odd and the loops process pairs of pixels, because pairs begin with an even pixel.
  var beginsEarly: Bool { firstOutput < shape.wanted.lowerBound }

  /// The number of components that are computed for each output row.
  var outputCount: Int { (shape.wanted.upperBound - firstOutput) * shape.channels }

  /// Returns the number of scratch bytes. They hold the addresses of source rows and four lines of
  /// intermediate values. If the loops must begin one pixel before the first wanted pixel, they also hold an
  /// output row.
  func scratchBytes(valueBytes: Int) -> Int {
    addressBytes + (FilterLoops.rowsPerBlock * line.stride + FilterLoops.widest) * valueBytes
      + (beginsEarly ? outputCount * shape.component.bytes : 0)
  }

  /// The number of bytes for the addresses of the source rows that four output rows need, rounded up to a
  /// multiple of 64.
  private var addressBytes: Int { AlignedBuffer.roundedUp((2 * radius + 2 * FilterLoops.rowsPerBlock) * 8) }

  /// Runs the vertical and the horizontal pass for the output rows `rows`.
  ///
  /// - Parameters:
  ///   - sumDown: The vertical pass for four output rows. It receives the addresses of the source rows, the
  ///     address of the first of the four lines to write, and the number of values in a line.
  ///   - constant: Returns the value of a channel in the pixel that surrounds the image in the edge mode
  ///     `constant`, converted to the type and the scale of the values in a line.
  ///   - sumAcross: The horizontal pass for one output row. It receives the address of the first output pixel
  ///     in a line, and the address of the output row.
  @inline(__always)
  func run<Value: BitwiseCopyable>(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, from source: (Int) -> UnsafeRawPointer,
    into target: (Int) -> UnsafeMutableRawPointer,
    sumDown: (UnsafePointer<UnsafeRawPointer>, UnsafeMutablePointer<Value>, Int) -> Void,
    constant: (Int) -> Value,
    sumAcross: (UnsafePointer<Value>, UnsafeMutableRawPointer) -> Void
  ) {
    // SAFETY: `scratchBytes` reserves space for the addresses, for `lead` values that are skipped, for four
    // lines of `line.stride` values, and for an output row.
    let addresses = scratch.assumingMemoryBound(to: UnsafeRawPointer.self)
    let firstComputed = line.index(of: line.columns.lowerBound)
    let firstWanted = line.index(of: firstOutput)
    // The first line begins `lead` values after the start of the memory for lines. As a result, the first
    // value that the vertical pass writes is at the start of a cache line.
    let lead = -firstComputed & (FilterLoops.widest - 1)
    let lines = (scratch + addressBytes).assumingMemoryBound(to: Value.self) + lead
    let spare = UnsafeMutableRawPointer(lines + FilterLoops.rowsPerBlock * line.stride)
    let excess = (shape.wanted.lowerBound - firstOutput) * shape.bytesPerPixel
    let skipped = (line.columns.lowerBound - shape.inside.lowerBound) * shape.bytesPerPixel
    let count = 2 * radius + 2 * FilterLoops.rowsPerBlock
    for y in stride(from: rows.lowerBound, to: rows.upperBound, by: FilterLoops.rowsPerBlock) {
      // After four output rows, the windows move down by four source rows. So all addresses in `addresses`
      // except the first four are needed again. They are moved to the beginning of the array, and only four
      // new addresses are added.
      let known = y == rows.lowerBound ? 0 : count - FilterLoops.rowsPerBlock
      addresses.update(from: addresses + FilterLoops.rowsPerBlock, count: known)
      for i in known..<count {
        // The vertical pass always computes four output rows. The last of them may not be wanted, and the
        // source rows for them may not exist. In this case, an existing row takes the place of a missing row.
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
