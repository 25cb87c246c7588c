import BlurLoopTable

/// A filter that blurs with weighted sums. It first computes sums along columns, and then sums of these
/// results along rows. A filter that can be divided in this way is called separable.
///
/// The first step computes four output rows at once, so that each source row is loaded and converted only
/// once for four sums. It writes four rows of intermediate values, which stay in the cache. Each of these
/// rows is extended beyond the image according to the edge mode, and is then summed along the row. Because of
/// the extension, the inner loops never test whether a pixel is at an edge. They are in `Sources/BlurLoops`.
protocol WindowFilter: RowFilter {
  var frame: WindowFrame { get }
}

/// A filter that blurs the rows of an image, or the rows of a smaller version of the image in an image
/// pyramid.
protocol RowFilter: AnyObject, Sendable {
  /// The number of bytes of scratch memory that ``run(_:_:isStreamed:from:into:)`` needs.
  var scratchBytes: Int { get }
  /// The weights of the filter if they are integers, or nil if they are floats. Sums of floats can differ
  /// between instruction sets, while sums of integers are always the same.
  var weights: IntegerWeights? { get }

  /// Blurs source rows and writes the results to the output rows `rows`.
  ///
  /// - Parameters:
  ///   - isStreamed: Whether to write the output rows with non-temporal stores. Only ``AveragesFilter`` can
  ///     do this, and only for 8-bit images.
  ///   - source: Returns the address of a source row. It is also called for the rows above and below `rows`
  ///     from which the filter computes its sums.
  ///   - target: Returns the address of the first wanted pixel in an output row.
  func run(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, isStreamed: Bool,
    from source: (Int) -> UnsafeRawPointer, into target: (Int) -> UnsafeMutableRawPointer)
}

/// The integer weights of a filter, and the arithmetic in which the filter applies them. They determine every
/// bit of the blurred image, so a test can compute the image again.
package struct IntegerWeights: Sendable {
  /// The kind of integer arithmetic in which a filter computes its weighted sums.
  package enum Arithmetic: String, Sendable {
    /// The arithmetic of ``AveragesFilter``. The two values at the same distance from the centre are
    /// averaged, and their mean is multiplied by one weight in units of 2⁻¹⁶.
    case averages
    /// The arithmetic of ``FixedFilter``. Each value is multiplied by its own weight in units of 2⁻¹⁵.
    case products
  }

  package let arithmetic: Arithmetic
  /// The weights of the two windows, one along a row (`across`) and one along a column (`down`). Each array
  /// begins with the weight of the centre, followed by the weight at distance 1, and so on.
  package let across: [Int], down: [Int]
}

/// A plan that blurs an image with a single ``WindowFilter`` and does nothing else. If the weights of the
/// filter are integers, a test can read them here, in order to compute every bit of the result again.
package protocol IntegerWindowPlan: Plan {
  /// The integer weights, or nil if the plan computes in single precision.
  var weights: IntegerWeights? { get }
}

/// The rows that a filter reads and writes: their columns, their channels, and the type of their components.
struct WindowShape: Sendable {
  /// The type of the components, both in the source rows and in the output rows.
  let component: PixelFormat.Component
  let channels: Int
  /// The columns that the output rows contain.
  let wanted: Range<Int>
  /// The columns that the source rows contain. The edge mode `edge` defines the pixels to the left and to the
  /// right of these columns.
  let inside: Range<Int>
  let edge: EdgeMode
  let instructionSet: InstructionSet

  var bytesPerPixel: Int { component.bytes * channels }

  /// Returns the pixel that surrounds the image in the edge mode `constant`. `value` converts a component to
  /// the number format in which the filter computes.
  func constant<Value: SIMDScalar>(_ value: (Float) -> Value) -> SIMD4<Value> {
    SIMD4((0..<4).map { value(edge.constant($0, of: component)) })
  }
}

/// The part of a window filter that does not depend on the number format in which the filter computes. It
/// decides where the rows of intermediate values begin and end, and calls the inner loops.
struct WindowFrame: Sendable {
  let shape: WindowShape
  let line: PaddedLine
  /// The radius of the window along a column. The window contains this number of rows above the output row,
  /// and the same number of rows below it.
  let radius: Int
  let loops: FilterLoops
  /// The first column that is computed in an output row. A filter that processes pixels in pairs must begin
  /// with an even column. If the first wanted column is odd, it begins with the column before.
  private let firstOutput: Int

  /// Decides how the rows of intermediate values are stored, which the vertical pass writes and the
  /// horizontal pass reads.
  ///
  /// - Parameters:
  ///   - across: The number of weights on each side of the centre, along a row.
  ///   - down: The number of weights on each side of the centre, along a column.
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

  /// Whether one additional pixel is computed before the first wanted pixel of each output row. This happens
  /// if the first wanted pixel is odd and the loops process pairs of pixels, because each pair begins with an
  /// even pixel.
  var beginsEarly: Bool { firstOutput < shape.wanted.lowerBound }

  /// The number of components that are computed for each output row.
  var outputCount: Int { (shape.wanted.upperBound - firstOutput) * shape.channels }

  /// Returns the number of bytes of scratch memory. It holds the addresses of source rows, and four rows of
  /// intermediate values. If one additional pixel is computed before the first wanted pixel, it also holds an
  /// output row.
  ///
  /// - Parameter valueBytes: The number of bytes of one intermediate value.
  func scratchBytes(valueBytes: Int) -> Int {
    addressBytes + (FilterLoops.rowsPerBlock * line.stride + FilterLoops.widest) * valueBytes
      + (beginsEarly ? outputCount * shape.component.bytes : 0)
  }

  /// The number of bytes for the addresses of source rows, rounded up to a multiple of 64. The vertical pass
  /// needs these addresses to compute four output rows.
  private var addressBytes: Int { AlignedBuffer.roundedUp((2 * radius + 2 * FilterLoops.rowsPerBlock) * 8) }

  /// Blurs the output rows `rows`: the vertical pass sums along columns, and the horizontal pass sums its
  /// results along rows.
  ///
  /// - Parameters:
  ///   - sumDown: The vertical pass for four output rows. It receives the addresses of the source rows, the
  ///     address of the first of four lines of intermediate values to write, and the number of values in a
  ///     line.
  ///   - constant: Returns the value of a channel in the pixel that surrounds the image in the edge mode
  ///     `constant`, in the number format of a line.
  ///   - sumAcross: The horizontal pass for one output row. It receives the address of the first output pixel
  ///     in a line of intermediate values, and the address of the output row.
  @inline(__always)
  func run<Value: BitwiseCopyable>(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, from source: (Int) -> UnsafeRawPointer,
    into target: (Int) -> UnsafeMutableRawPointer,
    sumDown: (UnsafePointer<UnsafeRawPointer>, UnsafeMutablePointer<Value>, Int) -> Void,
    constant: (Int) -> Value,
    sumAcross: (UnsafePointer<Value>, UnsafeMutableRawPointer) -> Void
  ) {
    // SAFETY: the caller's scratch memory has `scratchBytes` bytes. It is divided into the addresses of
    // source rows, fewer than 32 unused values, four lines of `line.stride` values, and an output row if one
    // is needed. `scratchBytes` counts all of them.
    let addresses = scratch.assumingMemoryBound(to: UnsafeRawPointer.self)
    let firstComputed = line.index(of: line.columns.lowerBound)
    let firstWanted = line.index(of: firstOutput)
    // The first line of intermediate values begins `lead` values after the start of the memory for these
    // lines. As a result, the first value that the vertical pass writes is at the start of a cache line.
    let lead = -firstComputed & (FilterLoops.widest - 1)
    let lines = (scratch + addressBytes).assumingMemoryBound(to: Value.self) + lead
    let spare = UnsafeMutableRawPointer(lines + FilterLoops.rowsPerBlock * line.stride)
    let excess = (shape.wanted.lowerBound - firstOutput) * shape.bytesPerPixel
    let skipped = (line.columns.lowerBound - shape.inside.lowerBound) * shape.bytesPerPixel
    let count = 2 * radius + 2 * FilterLoops.rowsPerBlock
    for y in stride(from: rows.lowerBound, to: rows.upperBound, by: FilterLoops.rowsPerBlock) {
      // After four output rows, the window moves down by four source rows. The array `addresses` then already
      // holds the addresses of most of the source rows that the window needs. They are moved to the beginning
      // of the array, and only the last four addresses are added.
      let known = y == rows.lowerBound ? 0 : count - FilterLoops.rowsPerBlock
      addresses.update(from: addresses + FilterLoops.rowsPerBlock, count: known)
      for i in known..<count {
        // The vertical pass always computes four output rows. At the end of the image, some of them may not
        // be wanted, and some of their source rows may not exist. An existing row then takes the place of a
        // missing row.
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
