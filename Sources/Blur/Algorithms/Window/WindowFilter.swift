import BlurLoopTable

/// A filter that blurs with weighted sums. It first sums along the columns of the image, and then along the
/// rows of that intermediate result. A filter that can be split like this is called separable.
///
/// The first step computes four output rows at once, because they share most of their source rows. It writes
/// four rows of intermediate values, which stay in the cache. Each of these rows is extended beyond the edges
/// of the image, so that the second step never has to test whether a pixel is at an edge. The inner loops are
/// in `Sources/BlurLoops`.
///
/// The rows that the filter reads belong to an image, or to a smaller version of the image in an image
/// pyramid.
protocol WindowFilter: AnyObject, Sendable {
  /// The number of bytes of scratch memory that ``run(_:_:from:into:)`` needs.
  var scratchBytes: Int { get }

  /// Computes the output rows whose indices are in `rows`. The filter uses the scratch memory of `buffers`.
  ///
  /// - Parameters:
  ///   - source: Returns the address of the source row with the given index. The filter also reads source
  ///     rows above and below `rows`.
  ///   - target: Returns the address of the first wanted pixel in the output row with the given index.
  func run(
    _ rows: Range<Int>, _ buffers: PhaseContext, from source: (Int) -> UnsafeRawPointer,
    into target: (Int) -> UnsafeMutableRawPointer)
}

/// A description of the rows that a filter reads and writes: their columns, their channels, and the type of
/// their components.
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

  /// Returns the constant pixel that the edge mode `constant` uses everywhere outside the image. `value`
  /// converts a component to the number format of the intermediate values.
  func constant<Value: SIMDScalar>(_ value: (Float) -> Value) -> SIMD4<Value> {
    SIMD4((0..<4).map { value(edge.constant($0, of: component)) })
  }
}

/// The part of a window filter that is the same for all number formats of the intermediate values. It decides
/// where the rows of intermediate values begin and end, and calls the inner loops.
struct WindowFrame: Sendable {
  let shape: WindowShape
  let line: PaddedLine
  /// The radius of the window along a column. The window contains `radius` rows above the output row, and
  /// `radius` rows below it.
  let radius: Int
  let loops: FilterLoops
  /// The first column that is computed in an output row. Usually, this is the first wanted column. But a
  /// filter that processes pixels in pairs must begin with an even column. If the first wanted column is odd,
  /// such a filter begins one column earlier.
  private let firstOutput: Int

  /// Decides how the rows of intermediate values are stored. The vertical pass writes these rows, and the
  /// horizontal pass reads them.
  init(_ shape: WindowShape, _ window: BlurWindow) {
    self.shape = shape
    let order: SampleLayout =
      switch window.arithmetic {
      case .averages: .halves(odd: 0)
      case .products: .pairs
      case .float: .pixels
      }
    let (across, down) = (window.across.count - 1, window.down.count - 1)
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

  /// The number of values (pixels times channels) that are computed for each output row.
  var outputCount: Int { (shape.wanted.upperBound - firstOutput) * shape.channels }

  /// Returns the number of bytes of scratch memory that a blur needs. The scratch memory holds the addresses
  /// of source rows and four rows of intermediate values. If `beginsEarly` is true, it also holds one output
  /// row.
  ///
  /// - Parameter valueBytes: The size of one intermediate value in bytes.
  func scratchBytes(valueBytes: Int) -> Int {
    addressBytes + (FilterLoops.rowsPerBlock * line.stride + FilterLoops.widest) * valueBytes
      + (beginsEarly ? outputCount * shape.component.bytes : 0)
  }

  /// The size of the array that holds the addresses of source rows, in bytes, rounded up to a multiple of 64.
  private var addressBytes: Int { AlignedBuffer.roundedUp((2 * radius + 2 * FilterLoops.rowsPerBlock) * 8) }

  /// Computes the output rows `rows` in two passes. The vertical pass sums along columns, and stores its
  /// results in rows of intermediate values that are called lines. The horizontal pass sums along these
  /// lines.
  ///
  /// - Parameters:
  ///   - sumDown: Runs the vertical pass for four output rows. It receives the addresses of the source rows,
  ///     the address of the first value to write in the first of four lines, and the number of values to
  ///     write in each line.
  ///   - constant: Returns one channel of the constant pixel that the edge mode `constant` uses outside the
  ///     image, in the number format of the lines.
  ///   - sumAcross: Runs the horizontal pass for one output row. It receives two addresses. The first points
  ///     into the line, to the pixel at the same position as the first output pixel. The second is the
  ///     address of the output row.
  @inline(__always)
  func run<Value: BitwiseCopyable>(
    _ rows: Range<Int>, _ scratch: UnsafeMutableRawPointer, from source: (Int) -> UnsafeRawPointer,
    into target: (Int) -> UnsafeMutableRawPointer,
    sumDown: (UnsafePointer<UnsafeRawPointer>, UnsafeMutablePointer<Value>, Int) -> Void,
    constant: (Int) -> Value,
    sumAcross: (UnsafePointer<Value>, UnsafeMutableRawPointer) -> Void
  ) {
    // SAFETY: the caller's scratch memory has `scratchBytes` bytes. It holds the addresses of source rows,
    // then fewer than 32 unused values, then four lines of `line.stride` values, and finally an output row if
    // one is needed. `scratchBytes` counts all of these parts.
    let addresses = scratch.assumingMemoryBound(to: UnsafeRawPointer.self)
    let firstComputed = line.index(of: line.columns.lowerBound)
    let firstWanted = line.index(of: firstOutput)
    // The first line of intermediate values begins after `lead` unused values, so that the first value that
    // the vertical pass writes lies at the start of a cache line.
    let lead = -firstComputed & (FilterLoops.widest - 1)
    let lines = (scratch + addressBytes).assumingMemoryBound(to: Value.self) + lead
    let spare = UnsafeMutableRawPointer(lines + FilterLoops.rowsPerBlock * line.stride)
    let excess = (shape.wanted.lowerBound - firstOutput) * shape.bytesPerPixel
    let skipped = (line.columns.lowerBound - shape.inside.lowerBound) * shape.bytesPerPixel
    let count = 2 * radius + 2 * FilterLoops.rowsPerBlock
    for y in stride(from: rows.lowerBound, to: rows.upperBound, by: FilterLoops.rowsPerBlock) {
      // The next four output rows share most of their source rows with the previous four. The addresses of
      // the shared rows are moved to the beginning of the array, and only four new addresses are added.
      let known = y == rows.lowerBound ? 0 : count - FilterLoops.rowsPerBlock
      addresses.update(from: addresses + FilterLoops.rowsPerBlock, count: known)
      for i in known..<count {
        // The vertical pass always computes four output rows, even if fewer are left. The source rows for the
        // surplus output rows may not exist, so the last source row that is needed is read in their place.
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
