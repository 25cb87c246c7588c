import BlurLoopTable
import CBlurVectors

/// The Gaussian as a sum of a few cosines. For each cosine, there is a weighted sum of the samples in the
/// window, and this sum is moved on along the line from sample to sample. The cost does not depend on sigma.
///
/// Source: Sugimoto and Kamata, "Fast Gaussian filter with second-order shift property of DCT-5", 2013, and
/// "Efficient constant-time Gaussian filtering with sliding DCT/DST-5 and dual-domain error minimization",
/// 2015. Their recurrence of second order is split here into two of first order, which lose less to rounding.
///
/// The sums begin anew at fixed rows and columns of the image. Rounding errors therefore cannot pile up, and
/// regions and threads compute the same bits as for the whole image. The vertical pass comes first, and
/// computes as many rows at once as a vector has lanes. These rows are transposed, and the horizontal pass
/// then works on all of them side by side. Three or four cosines in single precision are enough for an error
/// of 10⁻³ of full scale, and seven in double precision for 10⁻⁵.
///
/// In float formats, every pixel whose window holds NaN or infinity becomes NaN. So does a pixel if a sum
/// over its window overflows because of magnitudes above 2¹¹⁴. The error of a float result is a fraction of
/// the largest magnitude in its block.
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
  /// The constant pixel that surrounds the image in the constant edge mode, with its values repeated for each
  /// row of a strip. A strip is a group of rows that are blurred together.
  private let constant: AlignedBuffer
  private let line: PaddedLine
  private let loops: CosineLoops
  /// The number of rows after which the sums down the columns begin anew.
  private let downBlock: Int
  /// The first column of the first block of columns that has pixels in the region.
  private let firstColumn: Int

  init(_ problem: BlurProblem, _ accuracy: Accuracy) throws(BlurError) {
    let layout = problem.layout
    let share = accuracy.share(for: layout.format)
    format = layout.format
    region = problem.region
    rows = try EdgeRows(problem.edge, layout: layout)
    loops =
      SlidingDCT.vectors(layout.width, layout.height, layout.format, problem.instructionSet).loops.cosine
    down = try SlidingAxis(sigma: problem.sigma.y, share: share, format)
    across = try SlidingAxis(sigma: problem.sigma.x, share: share, format)
    downBlock = SlidingAxis.blockOfRows(layout.height, radius: down.window.radius)
    firstColumn = region.x / SlidingAxis.blockOfColumns * SlidingAxis.blockOfColumns
    // The line has one column more than the windows of the wanted pixels cover, because the sums move on once
    // more after the last pixel.
    line = PaddedLine(
      firstColumn..<region.x + region.width + 1, radius: across.window.radius, width: layout.width,
      edge: problem.edge, channels: 1)
    let values = format.channels * Self.groups(format) * loops.lanes
    constant = try AlignedBuffer(byteCount: 4 * values, zeroed: false)
    for i in 0..<values {
      // SAFETY: the buffer holds `values` floats.
      constant.base.storeBytes(
        of: problem.edge.constant(i * format.channels / values, in: format), toByteOffset: 4 * i,
        as: Float.self)
    }
  }

  /// The rows that the windows of the blurred rows cover, including rows outside the image. Blurring always
  /// begins with the first row of a whole block, even if the region begins later.
  private var windowRows: Range<Int> {
    (firstBlock * downBlock..<region.y + region.height).widened(by: down.window.radius)
  }

  private var firstBlock: Int { region.y / downBlock }

  var facts: PlanFacts {
    PlanFacts(
      phases: [Phase(units: (region.y + region.height + downBlock - 1) / downBlock - firstBlock)],
      scratchBytes: Scratch.bytes(self),
      reads: Region(columns: line.columns, rows: rows.span(of: windowRows)), hasRowEpilogue: true,
      blockColumns: SlidingAxis.blockOfColumns, blockRows: downBlock)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let scratch = Scratch(self, buffers.scratch)
    for unit in units {
      let first = (firstBlock + unit) * downBlock
      let block = first..<min(first + downBlock, region.y + region.height)
      if blur(block, buffers, scratch, checked: false) { continue }
      // A sum in this block is not finite. The block is blurred once more, and this time every sample is
      // checked.
      _ = blur(block, buffers, scratch, checked: true)
    }
  }

  /// Returns the number of vectors that hold one component of all rows in a strip. This number makes the
  /// number of vectors per pixel even, because the horizontal pass processes two vectors at a time to keep
  /// the CPU busy.
  fileprivate static func groups(_ format: PixelFormat) -> Int { format.channels % 2 == 0 ? 1 : 2 }
  private var groups: Int { Self.groups(format) }
  /// The number of rows in a strip.
  private var stripRows: Int { groups * loops.lanes }
  /// The number of values from one pixel of a strip to the next.
  private var pixel: Int { format.channels * stripRows }

  /// Blurs a block of rows, and writes the rows that are in the region. Returns false as soon as a sum is not
  /// finite, unless samples are checked.
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
      // Rows of the block above the region are computed only to move the sums on. They are not written.
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

  /// Does the vertical pass for the strip of rows that begins with row `y`. Returns false if a sum is not
  /// finite.
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

  /// Does the horizontal pass, block by block, for the rows `wanted` of the strip that begins with row `y`.
  /// Returns false if a sum is not finite.
  private func blurAcross(
    _ wanted: Range<Int>, _ y: Int, _ buffers: PhaseContext, _ scratch: Scratch, checked: Bool
  ) -> Bool {
    var isFinite = true
    for x in stride(
      from: firstColumn, to: region.x + region.width, by: SlidingAxis.blockOfColumns)
    {
      let start = max(x, region.x)
      let end = min(x + SlidingAxis.blockOfColumns, region.x + region.width)
      for row in wanted {
        scratch.targets[row - y] =
          buffers.destination.row(row - region.y) + (start - region.x) * format.bytesPerPixel
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

  /// Collects the addresses of `count` rows from row `y` on. Below the last row that the windows cover, this
  /// last row is repeated, because the sums of the rows below it are thrown away.
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
  /// Returns the instruction set whose vectors fit the image best. Wide vectors would be half empty if
  /// narrower vectors can hold all rows of the image. Rows that are shorter than a vector would be loaded
  /// value by value.
  static func vectors(
    _ width: Int, _ height: Int, _ format: PixelFormat, _ isa: InstructionSet
  ) -> InstructionSet {
    guard isa == .avx512 else { return isa }
    let isNarrow = width * format.channels < isa.floats
    return isNarrow || height <= SlidingDCTPlan.groups(format) * InstructionSet.avx2.floats ? .avx2 : isa
  }

  /// Returns the factor by which vertical sums take longer because the image is large. Each row is read
  /// twice: when it enters a window, and when it leaves it. Caches hide the second read in images of a few
  /// megabytes, but not in larger ones. The factor is fitted to times of images from 1 to 100 MB on Zen 5;
  /// `blurbench tune --regret` checks it.
  private static func distance(of layout: ImageLayout) -> Double {
    let (cached, far) = (6.0, 12.0)
    // Padding is not counted: the choice of a kernel, and with it the bits of the result, must not depend on
    // strides.
    let megabytes = Double(layout.rowBytes) * Double(layout.height) / 1e6
    let share = min(1, max(0, megabytes - cached) / far)
    return 1 + 1.2 * Double(layout.format.component.bytes) * share
  }

  /// Counts the operations of a blur. The factors come from the instructions per vector in
  /// `BlurLoops/SlidingCosines.swift`. They were then fitted to make the errors that `blurbench tune
  /// --constants` prints as small as possible.
  func cost(_ problem: BlurProblem) -> Cost {
    let (format, width, height) = (problem.layout.format, problem.layout.width, problem.layout.height)
    let lanes = Self.vectors(width, height, format, problem.instructionSet).floats
    let across = SlidingAxis.steps(problem.sigma.x, accuracy, format)
    let down = SlidingAxis.steps(problem.sigma.y, accuracy, format) * Self.distance(of: problem.layout)
    let columnVectors = (Double(width) * Double(format.channels)).pieces(of: 2 * lanes) * 2
    // All rows of a strip are computed, even those that are not wanted.
    let (stripRows, values) = (
      SlidingDCTPlan.groups(format) * lanes, Double(format.channels * SlidingDCTPlan.groups(format))
    )
    var strip = Cost(vectors: columnVectors * Double(stripRows) * (down + 10))
    strip.vectors += values * (Double(width) * (across + 10) + 3 * problem.sigma.x * across)
    // Values beyond the ends of a line are copied a few at a time.
    strip.scalars = 3 * Double(stripRows) + 0.2 * problem.sigma.x * values * Double(lanes)
    // This stands for loading and storing the sums, and for transposing the rows.
    strip.rows = 10
    var cost = strip * Double(height).pieces(of: stripRows)
    // The sums begin anew with each block of rows, which adds to the cost. Threads can share the work only by
    // taking different blocks.
    let radius = 3 * problem.sigma.y
    let blocks = Double(height).pieces(of: SlidingAxis.blockOfRows(height, radius: Int(radius)))
    cost.vectors += blocks * (2 * radius + 1) * columnVectors * down / 2
    cost.scalars += blocks * (2 * radius + 1) * 2
    cost.pieces = blocks
    return cost
  }
}

extension SlidingDCTPlan {
  /// The parts of a thread's scratch memory.
  struct Scratch {
    /// The addresses of the source rows that a window covers, or of the source rows that enter and leave the
    /// window.
    let rows: UnsafeMutablePointer<UnsafeRawPointer?>
    /// The addresses to which the rows of a strip are written.
    let targets: UnsafeMutablePointer<UnsafeMutableRawPointer>
    let downStates: UnsafeMutableRawPointer
    let acrossStates: UnsafeMutableRawPointer
    let tile: UnsafeMutablePointer<Float>
    /// A strip after the vertical pass, transposed: for each component of a pixel, the values of all rows of
    /// the strip are stored next to each other.
    let columns: UnsafeMutablePointer<Float>

    init(_ plan: SlidingDCTPlan, _ memory: UnsafeMutableRawPointer) {
      // SAFETY: `bytes` counts all of these parts.
      func part(_ number: Int) -> UnsafeMutableRawPointer { memory + Self.start(of: number, plan) }
      rows = part(0).assumingMemoryBound(to: UnsafeRawPointer?.self)
      targets = part(1).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
      (downStates, acrossStates) = (part(2), part(3))
      tile = part(4).assumingMemoryBound(to: Float.self)
      columns = part(5).assumingMemoryBound(to: Float.self)
    }

    static func bytes(_ plan: SlidingDCTPlan) -> Int { start(of: 6, plan) }

    /// Returns the offset in bytes at which part number `part` begins, or the end of the last part. Each part
    /// begins on a cache line of its own.
    private static func start(of part: Int, _ plan: SlidingDCTPlan) -> Int {
      (0..<part).reduce(0) { AlignedBuffer.roundedUp($0 + size(of: $1, plan)) }
    }

    /// Returns the number of bytes of a part. It is not read from an array of all sizes, because it is needed
    /// while blurring, which must not allocate memory.
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
