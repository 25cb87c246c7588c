import BlurLoopTable
import CBlurVectors

/// The Gaussian as a few cosines, whose sums slide along: the cost does not depend on sigma.
///
/// Source: Sugimoto and Kamata, "Fast Gaussian filter with second-order shift property of DCT-5", 2013, and
/// "Efficient constant-time Gaussian filtering with sliding DCT/DST-5 and dual-domain error minimization",
/// 2015. Their recurrence of second order is split into two of first order, which lose less to rounding.
///
/// Sums are begun anew at fixed rows and columns of the image, so that rounding errors cannot pile up, and
/// that a region or a thread gets the very bits of the whole image. Vertical pass first, as many rows at once
/// as a vector has lanes; they are turned, and the horizontal pass works on all of them side by side.
/// Within 10⁻³ three or four cosines in single precision suffice, within 10⁻⁵ seven in double precision.
///
/// In float formats, NaN and infinities make NaN of every window that holds one, and so do magnitudes above
/// 2¹¹⁴ where a sum overflows. Errors are shares of the largest magnitude in a block.
public struct SlidingDCT: GradedKernel {
  public static let name = "dct"
  public static let summary = "sliding sums of cosines (DCT-5), cost independent of sigma"
  public static let instructionSets = InstructionSet.allCases

  let down: SlidingAxis
  let across: SlidingAxis
  private let format: PixelFormat
  private let region: Region
  private let edge: EdgeMode
  private let rows: EdgeRows
  private let line: PaddedLine
  private let loops: CosineLoops
  /// Rows from one beginning to the next.
  private let downBlock: Int
  /// Where the first block of columns in the region begins.
  private let firstColumn: Int

  public init(_ parameters: BlurParameters, layout: ImageLayout) throws(BlurError) {
    let share = parameters.accuracy.share(for: layout.format)
    format = layout.format
    region = parameters.region ?? layout.bounds
    edge = parameters.edge
    rows = try EdgeRows(edge, layout: layout)
    loops =
      Self.vectors(layout.width, layout.height, layout.format, parameters.instructionSet).loops.cosine
    down = try SlidingAxis(sigma: parameters.sigma.y, share: share, format)
    across = try SlidingAxis(sigma: parameters.sigma.x, share: share, format)
    downBlock = SlidingAxis.blockOfRows(layout.height, radius: down.window.radius)
    firstColumn = region.x / SlidingAxis.blockOfColumns * SlidingAxis.blockOfColumns
    // One column more than the windows reach: the sums move on once more after the last.
    line = PaddedLine(
      firstColumn..<region.x + region.width + 1, radius: across.window.radius, width: layout.width, edge: edge
    )
  }

  /// Rows, also outside the image, that the windows hold: sums begin with the first of a whole block.
  private var windowRows: Range<Int> {
    (firstBlock * downBlock..<region.y + region.height).widened(by: down.window.radius)
  }

  public var reads: Region? { Region(columns: line.columns, rows: rows.span(of: windowRows)) }

  private var firstBlock: Int { region.y / downBlock }

  public var phases: [Phase] {
    [Phase(units: (region.y + region.height + downBlock - 1) / downBlock - firstBlock)]
  }

  public var scratchBytes: Int { Scratch.bytes(self) }

  public func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    let scratch = Scratch(self, buffers.scratch)
    for unit in units {
      let first = (firstBlock + unit) * downBlock
      let block = first..<min(first + downBlock, region.y + region.height)
      if blur(block, buffers, scratch, checked: false) { continue }
      // Something is not finite: once more, with care.
      _ = blur(block, buffers, scratch, checked: true)
    }
  }

  /// Vectors of rows in a strip: as the horizontal pass needs two vectors to be busy, two in gray.
  private static func groups(_ format: PixelFormat) -> Int { format.channels == 1 ? 2 : 1 }
  private var groups: Int { Self.groups(format) }
  /// Rows of a strip.
  private var stripRows: Int { groups * loops.lanes }
  /// Values of a strip from one pixel to the next.
  private var pixel: Int { format.channels * stripRows }

  /// Blurs a block of rows, and writes those in the region. False as soon as a sum is not finite, unless
  /// samples are checked.
  private func blur(
    _ block: Range<Int>, _ buffers: BlurBuffers, _ scratch: Scratch, checked: Bool
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
      line.fill(scratch.columns, channels: pixel) {
        edge.constant($0 / stripRows, in: format)
      }
      let wanted = max(y, region.y)..<end
      guard blurAcross(wanted, y, buffers, scratch, checked: checked) || checked else { return false }
      buffers.finished(wanted.lowerBound - region.y..<wanted.upperBound - region.y)
    }
    return true
  }

  public var finishesRows: Bool { true }

  private var columnComponents: Int { line.columns.count * format.channels }

  /// The vertical pass for a strip of rows from `y` on. False if a sum is not finite.
  private func blurDown(_ y: Int, _ buffers: BlurBuffers, _ scratch: Scratch, checked: Bool) -> Bool {
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
    _ wanted: Range<Int>, _ y: Int, _ buffers: BlurBuffers, _ scratch: Scratch, checked: Bool
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

extension SlidingDCT: EffortKernel {
  /// The instruction set whose vectors fit: wide ones would be half empty where shorter ones hold all rows too, and
  /// rows shorter than a vector are loaded value by value.
  private static func vectors(
    _ width: Int, _ height: Int, _ format: PixelFormat, _ isa: InstructionSet
  ) -> InstructionSet {
    guard isa == .avx512 else { return isa }
    let isNarrow = width < isa.floats / format.channels
    return isNarrow || height <= groups(format) * InstructionSet.avx2.floats ? .avx2 : isa
  }

  /// What the first sums of a row cost, in pixels for a pixel of sigma.
  private static let beginning = 10.0

  /// Whole strips of rows, whole vectors of columns; seven cosines take longer than few.
  static func effort(_ work: BlurWork) -> (InstructionSet) -> Effort {
    let (format, width, height) = (work.format, work.width, work.height)
    // In floating point: sizes of images that nobody can make must not overflow either.
    let columns = Double(16 / format.channels)
    let across = (Double(width) / columns).rounded(.up) * columns + beginning * work.sigma
    let slowdown = SlidingAxis.isWide(work.sigma, work.accuracy, format) ? 2.6 : 1
    // Blocks of rows are what threads can share.
    let isShared = SlidingAxis.isDivided(height, radius: Int(3 * work.sigma))
    return { isa in
      let lanes = vectors(width, height, format, isa).floats
      let rows = Double(groups(format) * lanes)
      let down = (Double(height) / rows).rounded(.up) * rows
      return Effort(amount: across * down * slowdown, way: isShared ? 1 : 0, isShared: isShared)
    }
  }
}

extension SlidingDCT {
  /// What a thread works with.
  struct Scratch {
    /// Addresses of the rows of a window, or of those that enter and leave it.
    let rows: UnsafeMutablePointer<UnsafeRawPointer?>
    /// Addresses of the rows of a strip.
    let targets: UnsafeMutablePointer<UnsafeMutableRawPointer>
    let downStates: UnsafeMutableRawPointer
    let acrossStates: UnsafeMutableRawPointer
    let tile: UnsafeMutablePointer<Float>
    /// A strip of blurred columns, turned: for each component a vector of rows.
    let columns: UnsafeMutablePointer<Float>

    init(_ plan: SlidingDCT, _ memory: UnsafeMutableRawPointer) {
      // SAFETY: `bytes` counts these parts.
      func part(_ number: Int) -> UnsafeMutableRawPointer { memory + Self.start(of: number, plan) }
      rows = part(0).assumingMemoryBound(to: UnsafeRawPointer?.self)
      targets = part(1).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
      (downStates, acrossStates) = (part(2), part(3))
      tile = part(4).assumingMemoryBound(to: Float.self)
      columns = part(5).assumingMemoryBound(to: Float.self)
    }

    static func bytes(_ plan: SlidingDCT) -> Int { start(of: 6, plan) }

    /// Where a part starts, or the end of the last; each on a cache line of its own.
    private static func start(of part: Int, _ plan: SlidingDCT) -> Int {
      (0..<part).reduce(0) { ($0 + size(of: $1, plan) + 63) / 64 * 64 }
    }

    /// Bytes of a part. Not an array of all: this is asked while blurring, which allocates nothing.
    private static func size(of part: Int, _ plan: SlidingDCT) -> Int {
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
