import BlurLoopTable
import CBlurVectors

/// The Gaussian, approximated by a sum of a few cosines. For each cosine, the kernel keeps a weighted sum of
/// the samples in the window. When the window slides by one sample, a few operations update this sum. The
/// cost does not depend on sigma.
///
/// Source: Sugimoto and Kamata, "Fast Gaussian filter with second-order shift property of DCT-5", 2013, and
/// "Efficient constant-time Gaussian filtering with sliding DCT/DST-5 and dual-domain error minimization",
/// 2015. The papers update each sum by a recurrence of second order. This kernel uses two recurrences of
/// first order instead, because they lose less precision to rounding.
///
/// At fixed rows and columns of the image, the sums are not updated, but computed again from all samples of
/// the window. Rounding errors therefore cannot pile up. Since these rows and columns are fixed, no bit of
/// the result depends on the region or on the number of threads. The vertical pass comes first, and computes
/// as many rows at once as a vector has lanes. These rows are transposed, and the horizontal pass then works
/// on all of them at the same time. For an error of at most 1/255 of full scale, which is allowed in 8-bit
/// formats, three cosines in single precision are usually enough. For an error of at most 10⁻³, four cosines
/// are usually enough. For an error of at most 10⁻⁵, seven cosines in double precision are usually enough.
///
/// In float formats, a pixel becomes NaN if its window holds NaN or infinity. Values with a magnitude above
/// 2¹¹⁴ can make sums in single precision overflow. If a sum overflows, or if the block holds NaN or
/// infinity, all pixels of the block whose windows hold such a large value become NaN, too. Only in such
/// images can the result depend on the region, because sums outside the region are not computed.
///
/// The error of a float result is relative to the largest absolute value in its block. A block contains the
/// rows and columns between two places where the sums are computed again.
struct SlidingDCT: BlurKernel {
  let accuracy: Accuracy

  init(_ accuracy: Accuracy) { self.accuracy = accuracy }

  var name: String { accuracy.name(in: Self.family) }
  var summary: String {
    accuracy.summary(of: "sliding sums of cosines (DCT-5); the cost does not depend on sigma")
  }
  var promise: Promise { .exact(accuracy) }
  let instructionSets = InstructionSet.allCases

  static let family = "dct"

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan { try SlidingDCTPlan(problem, accuracy) }
}

final class SlidingDCTPlan: Plan {
  let down: SlidingAxis
  let across: SlidingAxis
  private let format: PixelFormat
  private let region: Region
  private let rows: EdgeRows
  /// The constant colour, which surrounds the image in the constant edge mode. Its values are repeated for
  /// each row of a strip. A strip is a group of rows that are blurred together.
  private let constant: AlignedBuffer
  private let line: PaddedLine
  private let loops: CosineLoops
  /// The number of rows in a block. At the start of each block, the vertical sums are computed from all rows
  /// of the window, so that rounding errors cannot pile up.
  private let downBlock: Int
  /// The number of columns in a block. At the start of each block, the horizontal sums are computed from all
  /// pixels of the window, so that rounding errors cannot pile up.
  private let acrossBlock: Int
  /// The column at which the horizontal pass starts. It is the first column of the block that contains the
  /// left edge of the region.
  private let firstColumn: Int
  private let cost: Cost

  init(_ problem: BlurProblem, _ accuracy: Accuracy) throws(BlurError) {
    let layout = problem.layout
    let share = accuracy.share(for: layout.format)
    cost = SlidingDCT(accuracy).cost(problem)
    format = layout.format
    region = problem.region
    rows = try EdgeRows(problem.edge, layout: layout)
    loops =
      SlidingDCT.vectors(layout.width, layout.height, layout.format, problem.instructionSet).loops.cosine
    down = try SlidingAxis(sigma: problem.sigma.y, share: share, format)
    across =
      problem.sigma.x == problem.sigma.y
      ? down : try SlidingAxis(sigma: problem.sigma.x, share: share, format)
    acrossBlock = problem.thresholds.cosineBlock
    downBlock = SlidingAxis.blockOfRows(layout.height, radius: down.window.radius, longest: acrossBlock)
    firstColumn = region.x / acrossBlock * acrossBlock
    // The line has one more column than the windows of the wanted pixels cover. The sums are updated once
    // more after the last pixel, and this update reads the additional column, although its result is not
    // used.
    line = PaddedLine(
      firstColumn..<region.x + region.width + 1, radius: across.window.radius, width: layout.width,
      edge: problem.edge, channels: 1)
    let values = format.channels * Self.groups(format) * loops.lanes
    constant = try AlignedBuffer(byteCount: 4 * values, zeroed: false)
    for i in 0..<values {
      // SAFETY: the buffer holds `values` floats of 4 bytes each, and `i` is smaller than `values`.
      constant.base.storeBytes(
        of: problem.edge.constant(i * format.channels / values, in: format), toByteOffset: 4 * i,
        as: Float.self)
    }
  }

  /// The rows that the windows of the vertical pass cover, including rows outside the image. The vertical
  /// sums always begin at the start of a block of rows, even if the region begins farther down. The range
  /// therefore includes the window around the first row of the block.
  private var windowRows: Range<Int> {
    (firstBlock * downBlock..<region.y + region.height).widened(by: down.window.radius)
  }

  private var firstBlock: Int { region.y / downBlock }

  var facts: PlanFacts {
    PlanFacts(
      phases: [Phase(units: (region.y + region.height + downBlock - 1) / downBlock - firstBlock)],
      scratchBytes: Scratch.bytes(self),
      reads: Region(columns: line.columns, rows: rows.span(of: windowRows)), hasRowEpilogue: true,
      blockColumns: acrossBlock, blockRows: downBlock
    ).costing(cost)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let scratch = Scratch(self, buffers.scratch)
    for unit in units {
      let first = (firstBlock + unit) * downBlock
      let block = first..<min(first + downBlock, region.y + region.height)
      if blur(block, buffers, scratch, checked: false) { continue }
      // A result in this block is infinite or NaN. The block is therefore blurred again, and this time the
      // loops check every sample.
      _ = blur(block, buffers, scratch, checked: true)
    }
  }

  /// Returns the number of vectors that hold one component of a pixel column in a strip, which is a group of
  /// rows that are blurred together. The horizontal pass processes two vectors at a time, so each pixel
  /// column must have an even number of vectors. Therefore the result is 2 if a pixel has an odd number of
  /// channels, and 1 otherwise.
  fileprivate static func groups(_ format: PixelFormat) -> Int { format.channels % 2 == 0 ? 1 : 2 }
  private var groups: Int { Self.groups(format) }
  /// The number of rows in a strip, which is a group of rows that are blurred together.
  private var stripRows: Int { groups * loops.lanes }
  /// The number of values that are stored for each pixel column of a strip, which is a group of rows that are
  /// blurred together.
  private var pixel: Int { format.channels * stripRows }

  /// Blurs a block of rows, and writes only the rows that are in the region. If `checked` is false, the
  /// method stops and returns false as soon as a result is infinite or NaN. If `checked` is true, the loops
  /// check every sample, and the method always returns true.
  private func blur(
    _ block: Range<Int>, _ buffers: PhaseContext, _ scratch: Scratch, checked: Bool
  ) -> Bool {
    let radius = down.window.radius
    collect(block.lowerBound - radius, 2 * radius + 1, buffers.source, into: scratch.rows)
    loops.beginDown(
      (
        rows: UnsafePointer(scratch.rows), bytes: format.component.bytes, window: down.pass(checked),
        states: scratch.downStates, count: columnComponents
      ))
    for y in stride(from: block.lowerBound, to: block.upperBound, by: stripRows) {
      guard blurDown(y, buffers, scratch, checked: checked) || checked else { return false }
      // The vertical sums must slide through the whole block, so they are also computed for rows above the
      // wanted region. These rows are not written to the result.
      let end = min(y + stripRows, block.upperBound)
      if end <= region.y { continue }
      line.fill(scratch.columns, values: pixel, constant: constant.base.assumingMemoryBound(to: Float.self))
      let wanted = max(y, region.y)..<end
      guard blurAcross(wanted, y, buffers, scratch, checked: checked) || checked else { return false }
      buffers.finished(wanted.lowerBound - region.y..<wanted.upperBound - region.y)
    }
    return true
  }

  private var columnComponents: Int { line.columns.count * format.channels }

  /// Computes the vertical pass for the strip (a group of rows that are blurred together) that begins with
  /// row `y`. Returns false if a result is infinite or NaN.
  private func blurDown(_ y: Int, _ buffers: PhaseContext, _ scratch: Scratch, checked: Bool) -> Bool {
    let radius = down.window.radius
    let leaving = scratch.rows + loops.lanes
    let columns = scratch.columns + line.offset(of: line.columns.lowerBound) * pixel
    var isFinite = true
    for group in 0..<groups {
      let first = y + group * loops.lanes
      collect(first + radius + 1, loops.lanes, buffers.source, into: scratch.rows)
      collect(first - radius, loops.lanes, buffers.source, into: leaving)
      isFinite =
        loops.down(
          (
            entering: UnsafePointer(scratch.rows), leaving: UnsafePointer(leaving),
            bytes: format.component.bytes,
            window: down.pass(checked), states: scratch.downStates, tile: scratch.tile,
            columns: columns + group * loops.lanes, pitch: stripRows, count: columnComponents
          )) && isFinite
    }
    return isFinite
  }

  /// Blurs the rows `wanted` horizontally. All of these rows belong to the strip (a group of rows that are
  /// blurred together) that begins with row `y`. Returns false if a result is infinite or NaN.
  private func blurAcross(
    _ wanted: Range<Int>, _ y: Int, _ buffers: PhaseContext, _ scratch: Scratch, checked: Bool
  ) -> Bool {
    var isFinite = true
    for x in stride(from: firstColumn, to: region.x + region.width, by: acrossBlock) {
      let start = max(x, region.x)
      let end = min(x + acrossBlock, region.x + region.width)
      for row in wanted {
        scratch.targets[row - y] =
          buffers.destination.unsafeRow(row - region.y) + (start - region.x) * format.bytesPerPixel
      }
      isFinite =
        loops.across(
          (
            columns: UnsafePointer(scratch.columns + line.offset(of: x) * pixel), channels: format.channels,
            groups: groups,
            window: across.pass(checked), states: scratch.acrossStates, tile: scratch.tile,
            skipped: start - x, count: end - start, targets: UnsafePointer(scratch.targets),
            firstRow: wanted.lowerBound - y, endRow: wanted.upperBound - y,
            bytes: format.component.bytes
          )) && isFinite
    }
    return isFinite
  }

  /// Collects the addresses of `count` source rows, beginning with row `y`. Rows below the last row that any
  /// window covers are replaced by this last row. The repeated rows affect only sums that are not used.
  private func collect(
    _ y: Int, _ count: Int, _ source: ImageView, into addresses: UnsafeMutablePointer<UnsafeRawPointer?>
  ) {
    let skipped = line.columns.lowerBound * format.bytesPerPixel
    let last = windowRows.upperBound - 1
    for i in 0..<count { addresses[i] = rows.row(at: min(y + i, last), of: source) + skipped }
  }
}

// MARK: Small images

extension SlidingDCT {
  /// Returns the instruction set whose vectors fit the size of the image. It is AVX2 instead of AVX-512 in
  /// two cases: if the image has so few rows that AVX-512 vectors would be half empty, or if its rows are
  /// shorter than an AVX-512 vector and would have to be loaded value by value.
  static func vectors(
    _ width: Int, _ height: Int, _ format: PixelFormat, _ isa: InstructionSet
  ) -> InstructionSet {
    guard isa == .avx512 else { return isa }
    let isNarrow = width * format.channels < isa.floats
    return isNarrow || height <= SlidingDCTPlan.groups(format) * InstructionSet.avx2.floats ? .avx2 : isa
  }

  /// Returns the factor by which the vertical pass slows down if the image is large. A window slides down the
  /// image and reads each row twice: when the row enters the window, and when it leaves the window. If the
  /// size of the image is only a few megabytes, the row is still in a cache at the second read. If the image
  /// is larger, the row is no longer in a cache. The factor was fitted to measured times for images from 1 to
  /// 100 MB on Zen 5. The command `lab regret` checks it.
  private static func distance(of layout: ImageLayout) -> Double {
    let (cached, far) = (6.0, 12.0)
    // Padding is not counted, because the choice of a kernel, and therefore the bits of the result, must not
    // depend on strides.
    let megabytes = Double(layout.rowBytes) * Double(layout.height) / 1e6
    let share = min(1, max(0, megabytes - cached) / far)
    return 1 + 1.2 * Double(layout.format.component.bytes) * share
  }

  /// Returns the estimated number of operations of a blur. The factors were first counted as instructions per
  /// vector in `BlurLoops/SlidingCosines.swift`. They were then adjusted to minimise the errors that the
  /// command `lab constants` prints.
  func cost(_ problem: BlurProblem) -> Cost {
    let (format, width, height) = (problem.layout.format, problem.layout.width, problem.layout.height)
    let lanes = Self.vectors(width, height, format, problem.instructionSet).floats
    let across = SlidingAxis.steps(problem.sigma.x, accuracy, format)
    let down = SlidingAxis.steps(problem.sigma.y, accuracy, format) * Self.distance(of: problem.layout)
    let columnVectors = (Double(width) * Double(format.channels)).pieces(of: 2 * lanes) * 2
    // The last strip (a group of rows that are blurred together) is computed completely, even if only some of
    // its rows are wanted. The cost therefore includes all rows of every strip.
    let (stripRows, values) = (
      SlidingDCTPlan.groups(format) * lanes, Double(format.channels * SlidingDCTPlan.groups(format))
    )
    var strip = Cost(vectors: columnVectors * Double(stripRows) * (down + 13))
    strip.vectors += values * (Double(width) * (across + 13) + 3 * problem.sigma.x * across)
    // For each row of a strip, three addresses are computed: the addresses of the source row that enters the
    // window, of the source row that leaves the window, and of the output row. In addition, pixels are copied
    // beyond the ends of each line, at a cost of only a fraction of a scalar operation per value.
    strip.scalars = 3 * Double(stripRows) + 0.2 * problem.sigma.x * values * Double(lanes)
    // For each strip, the code also loads the sums, stores them again, and transposes the rows. This takes a
    // fixed time, about as long as starting an inner loop for ten rows.
    strip.rows = 10
    var cost = strip * Double(height).pieces(of: stripRows)
    // At the start of each block of rows, the sums are computed from all rows of a vertical window. This is
    // additional work for each block. A block cannot be divided among threads, so the number of threads that
    // can share the work is at most the number of blocks.
    let radius = 3 * problem.sigma.y
    let longest = problem.thresholds.cosineBlock
    let blocks = Double(height).pieces(
      of: SlidingAxis.blockOfRows(height, radius: Int(radius), longest: longest))
    cost.vectors += blocks * (2 * radius + 1) * columnVectors * down / 2
    cost.scalars += blocks * (2 * radius + 1) * 2
    cost.pieces = blocks
    return cost
  }
}

extension SlidingDCTPlan {
  /// The scratch memory of one thread, divided into the arrays that the loops need.
  private struct Scratch {
    /// The addresses of the source rows that the vertical pass reads next. At the start of a block of rows,
    /// these are all rows of the first window. After that, they are the rows that enter and leave the window.
    let rows: UnsafeMutablePointer<UnsafeRawPointer?>
    /// The addresses of the output rows of a strip, which is a group of rows that are blurred together.
    let targets: UnsafeMutablePointer<UnsafeMutableRawPointer>
    let downStates: UnsafeMutableRawPointer
    let acrossStates: UnsafeMutableRawPointer
    let tile: UnsafeMutablePointer<Float>
    /// The result of the vertical pass for a strip, which is a group of rows that are blurred together. It is
    /// transposed: for each component of each pixel, the values from all rows of the strip are next to each
    /// other.
    let columns: UnsafeMutablePointer<Float>

    init(_ plan: SlidingDCTPlan, _ memory: UnsafeMutableRawPointer) {
      // SAFETY: the scratch memory has space for all parts, because its size was computed by `bytes`, which
      // adds up the sizes of the parts.
      func part(_ number: Int) -> UnsafeMutableRawPointer { memory + Self.start(of: number, plan) }
      rows = part(0).assumingMemoryBound(to: UnsafeRawPointer?.self)
      targets = part(1).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
      (downStates, acrossStates) = (part(2), part(3))
      tile = part(4).assumingMemoryBound(to: Float.self)
      columns = part(5).assumingMemoryBound(to: Float.self)
    }

    static func bytes(_ plan: SlidingDCTPlan) -> Int { start(of: 6, plan) }

    /// Returns the offset in bytes at which part number `part` begins. If `part` is one more than the number
    /// of the last part, the result is the size of the whole memory. Each part begins at the start of a cache
    /// line.
    private static func start(of part: Int, _ plan: SlidingDCTPlan) -> Int {
      (0..<part).reduce(0) { AlignedBuffer.roundedUp($0 + size(of: $1, plan)) }
    }

    /// Returns the number of bytes of one part of the scratch memory. The size is computed again at each
    /// call, because an array of sizes would have to be allocated, and a blur must not allocate memory.
    private static func size(of part: Int, _ plan: SlidingDCTPlan) -> Int {
      let (lanes, channels) = (plan.loops.lanes, plan.format.channels)
      switch part {
      case 0: return max(plan.down.window.length, 2 * lanes) * 8
      case 1: return plan.stripRows * 8
      case 2:
        let vectors = (plan.columnComponents + 2 * lanes - 1) / (2 * lanes) * 2
        return vectors * plan.loops.stateBytes(plan.down.cosines)
      case 3: return channels * plan.groups * plan.loops.stateBytes(plan.across.cosines)
      case 4: return (channels * plan.groups + 1) * lanes * lanes * 4
      default: return (plan.line.positions.count * plan.pixel + lanes * plan.stripRows) * 4
      }
    }
  }
}
