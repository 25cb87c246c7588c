import BlurLoopTable
import CBlurVectors

/// The Gaussian as a few cosines, whose sums slide along: the cost does not depend on sigma.
///
/// Source: Sugimoto and Kamata, "Fast Gaussian filter with second-order shift property of DCT-5", 2013, and
/// "Efficient constant-time Gaussian filtering with sliding DCT/DST-5 and dual-domain error minimization",
/// 2015. Their recurrence of second order is split into two of first order, which lose less to rounding.
///
/// Sums are begun anew at fixed rows and columns of the image, so that rounding errors cannot pile up, and
/// that the bits of a region or a thread are those of the whole image. Vertical pass first, as many rows at
/// once as a vector has lanes; they are transposed, and the horizontal pass works on all of them side by
/// side. Within 10⁻³ three or four cosines in single precision suffice, within 10⁻⁵ seven in double
/// precision.
///
/// In float formats, NaN and infinities make NaN of every window that holds one, and so do magnitudes above
/// 2¹¹⁴ where a sum overflows. Errors are shares of the largest magnitude in a block.
struct SlidingDCT: BlurKernel {
  let accuracy: Accuracy

  init(_ accuracy: Accuracy) { self.accuracy = accuracy }

  var name: String { accuracy.name(in: Self.family) }
  var summary: String {
    accuracy.summary(of: "sliding sums of cosines (DCT-5), cost independent of sigma")
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
  /// A pixel of a strip beyond a constant edge.
  private let constant: AlignedBuffer
  private let line: PaddedLine
  private let loops: CosineLoops
  /// Rows from one beginning to the next.
  private let downBlock: Int
  /// Where the first block of columns in the region begins.
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
    // One column more than the windows hold: the sums move on once more after the last.
    line = PaddedLine(
      firstColumn..<region.x + region.width + 1, radius: across.window.radius, width: layout.width,
      edge: problem.edge, channels: 1)
    let values = format.channels * Self.groups(format) * loops.lanes
    constant = try AlignedBuffer(byteCount: 4 * values, zeroed: false)
    for i in 0..<values {
      // SAFETY: the buffer holds this many.
      constant.base.storeBytes(
        of: problem.edge.constant(i * format.channels / values, in: format), toByteOffset: 4 * i,
        as: Float.self)
    }
  }

  /// Rows, also outside the image, that the windows hold: sums begin with the first of a whole block.
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
      // Something is not finite: once more, with care.
      _ = blur(block, buffers, scratch, checked: true)
    }
  }

  /// Vectors of rows in a strip: the horizontal pass takes two vectors of a pixel at a time, to be busy.
  fileprivate static func groups(_ format: PixelFormat) -> Int { format.channels % 2 == 0 ? 1 : 2 }
  private var groups: Int { Self.groups(format) }
  /// Rows of a strip.
  private var stripRows: Int { groups * loops.lanes }
  /// Values of a strip from one pixel to the next.
  private var pixel: Int { format.channels * stripRows }

  /// Blurs a block of rows, and writes those in the region. False as soon as a sum is not finite, unless
  /// samples are checked.
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
      // Rows above the region are needed for their sums alone.
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

  /// The vertical pass for a strip of rows from `y` on. False if a sum is not finite.
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

  /// The horizontal pass for the rows `wanted` of a strip that starts at row `y`, block by block. False if a
  /// sum is not finite.
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

  /// The addresses of rows from `y` on; those below all windows, whose sums are thrown away, are repeated.
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
  /// The instruction set whose vectors fit: wide ones would be half empty where shorter ones hold all rows
  /// too, and rows shorter than a vector are loaded value by value.
  static func vectors(
    _ width: Int, _ height: Int, _ format: PixelFormat, _ isa: InstructionSet
  ) -> InstructionSet {
    guard isa == .avx512 else { return isa }
    let isNarrow = width * format.channels < isa.floats
    return isNarrow || height <= SlidingDCTPlan.groups(format) * InstructionSet.avx2.floats ? .avx2 : isa
  }

  /// How many times as long a step down takes for being far away: rows are read when they enter a window and
  /// when they leave it. Caches hide that of a few megabytes, and nothing of many. Fitted to times of images
  /// from 1 to 100 MB on Zen 5; check: `blurbench tune --regret`.
  private static func distance(of layout: ImageLayout) -> Double {
    let (cached, far) = (6.0, 12.0)
    // Without padding: the choice, and with it the bits, must not depend on strides.
    let megabytes = Double(layout.rowBytes) * Double(layout.height) / 1e6
    let share = min(1, max(0, megabytes - cached) / far)
    return 1 + 1.2 * Double(layout.format.component.bytes) * share
  }

  /// Source of the factors: instructions for each vector in `BlurLoops/SlidingCosines.swift`, then fitted so
  /// that the errors that `blurbench tune --constants` prints are least.
  func cost(_ problem: BlurProblem) -> Cost {
    let (format, width, height) = (problem.layout.format, problem.layout.width, problem.layout.height)
    let lanes = Self.vectors(width, height, format, problem.instructionSet).floats
    let across = SlidingAxis.steps(problem.sigma.x, accuracy, format)
    let down = SlidingAxis.steps(problem.sigma.y, accuracy, format) * Self.distance(of: problem.layout)
    let columnVectors = (Double(width) * Double(format.channels)).pieces(of: 2 * lanes) * 2
    // All rows of a strip are made, wanted or not.
    let (stripRows, values) = (
      SlidingDCTPlan.groups(format) * lanes, Double(format.channels * SlidingDCTPlan.groups(format))
    )
    var strip = Cost(vectors: columnVectors * Double(stripRows) * (down + 10))
    strip.vectors += values * (Double(width) * (across + 10) + 3 * problem.sigma.x * across)
    // Values beyond the ends are copied a few at a time.
    strip.scalars = 3 * Double(stripRows) + 0.2 * problem.sigma.x * values * Double(lanes)
    // Sums are loaded and stored, rows are transposed.
    strip.rows = 10
    var cost = strip * Double(height).pieces(of: stripRows)
    // Sums begin anew with each block of rows, and blocks are what threads can share.
    let radius = 3 * problem.sigma.y
    let blocks = Double(height).pieces(of: SlidingAxis.blockOfRows(height, radius: Int(radius)))
    cost.vectors += blocks * (2 * radius + 1) * columnVectors * down / 2
    cost.scalars += blocks * (2 * radius + 1) * 2
    cost.pieces = blocks
    return cost
  }
}

extension SlidingDCTPlan {
  /// What a thread works with.
  struct Scratch {
    /// Addresses of the rows of a window, or of those that enter and leave it.
    let rows: UnsafeMutablePointer<UnsafeRawPointer?>
    /// Addresses of the rows of a strip.
    let targets: UnsafeMutablePointer<UnsafeMutableRawPointer>
    let downStates: UnsafeMutableRawPointer
    let acrossStates: UnsafeMutableRawPointer
    let tile: UnsafeMutablePointer<Float>
    /// A strip of blurred columns, transposed: for each component a vector of rows.
    let columns: UnsafeMutablePointer<Float>

    init(_ plan: SlidingDCTPlan, _ memory: UnsafeMutableRawPointer) {
      // SAFETY: `bytes` counts these parts.
      func part(_ number: Int) -> UnsafeMutableRawPointer { memory + Self.start(of: number, plan) }
      rows = part(0).assumingMemoryBound(to: UnsafeRawPointer?.self)
      targets = part(1).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
      (downStates, acrossStates) = (part(2), part(3))
      tile = part(4).assumingMemoryBound(to: Float.self)
      columns = part(5).assumingMemoryBound(to: Float.self)
    }

    static func bytes(_ plan: SlidingDCTPlan) -> Int { start(of: 6, plan) }

    /// Where a part starts, or the end of the last; each on a cache line of its own.
    private static func start(of part: Int, _ plan: SlidingDCTPlan) -> Int {
      (0..<part).reduce(0) { AlignedBuffer.roundedUp($0 + size(of: $1, plan)) }
    }

    /// Bytes of a part. Not an array of all: this is asked while blurring, which allocates nothing.
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
