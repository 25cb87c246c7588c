import BlurLoopTable

/// The last phase of a blur with a pyramid. It starts with the blurred coarsest (smallest) level, and doubles
/// its size several times, until rows of the result are complete.
///
/// The rows of each level are computed two at a time, when the next finer level needs them. They are kept in
/// a ring buffer.
struct Upsampling {
  private let plan: PyramidPlan
  private let units: Range<Int>
  private let buffers: PhaseContext
  /// For each level, the index of the row that is computed next. It is always even.
  private let next: UnsafeMutablePointer<Int>
  private let rows: UnsafeMutablePointer<UnsafeRawPointer>
  private let isStreamed: Bool
  /// Two lines of intermediate values, into which vertical upsampling writes an even row and the odd row
  /// after it.
  private let lines: UnsafeMutableRawPointer
  /// Space for one output row. It is used if the first wanted pixel is odd. The computed row must begin with
  /// an even pixel, and then has one additional pixel at its start.
  private let spare: UnsafeMutableRawPointer
  /// The ring buffer for the rows of level 1. The ring buffers of the coarser levels follow it in memory.
  private let rings: UnsafeMutableRawPointer
  /// The coarsest level, if its rows are computed when they are needed. It is nil if an earlier phase has
  /// computed all of these rows.
  private let coarsest: RollingLevel?

  /// The number of elements in each of the arrays `next` and `rows` in scratch memory. It is larger than the
  /// number of levels, and larger than the number of rows that one upsampling step reads.
  private static let most = 32

  /// Prepares to compute rows of the result.
  ///
  /// - Parameter units: The rows of the result to compute.
  init(_ plan: PyramidPlan, _ units: Range<Int>, _ buffers: PhaseContext) {
    self.plan = plan
    self.buffers = buffers
    isStreamed = buffers.isStreamed
    // SAFETY: `scratchBytes` reserves space for `next`, `rows`, the two lines, the ring buffers, and the
    // additional row `spare`, in this order.
    next = buffers.scratch.assumingMemoryBound(to: Int.self)
    rows = (buffers.scratch + Self.most * 8).assumingMemoryBound(to: UnsafeRawPointer.self)
    lines = buffers.scratch + Self.most * 16
    rings = lines + 2 * Self.lineBytes(plan)
    spare = rings + Self.ringBytes(plan)
    self.units = units
    next[0] = (plan.region.y + units.lowerBound) & ~1
    for level in 1...plan.levels.count {
      next[level] = ((next[level - 1] >> 1) - PyramidAxis.upsamplingRadius(plan.levels[level - 1].order)) & ~1
    }
    // SAFETY: after the first `ownBytes` bytes, `scratchBytes` also reserves the scratch memory that is
    // needed to compute rows of the coarsest level.
    coarsest =
      plan.coarsest.rolling != nil
      ? RollingLevel(
        plan, next: next + plan.levels.count,
        buffers.with(shared: buffers.shared, scratch: buffers.scratch + Self.ownBytes(plan))) : nil
  }

  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    ownBytes(plan) + (plan.coarsest.rolling == nil ? 0 : RollingLevel.scratchBytes(plan))
  }

  private static func ownBytes(_ plan: PyramidPlan) -> Int {
    AlignedBuffer.roundedUp(
      most * 16 + 2 * lineBytes(plan) + ringBytes(plan)
        + (plan.levels[0].upsampled + FilterLoops.slack) * plan.format.component.bytes)
  }

  private static func lineBytes(_ plan: PyramidPlan) -> Int {
    plan.levels.reduce(0) { max($0, $1.lineBytes) }
  }

  private static func ringBytes(_ plan: PyramidPlan) -> Int {
    plan.levels[plan.levels.count - 1].blurredRows.end
  }

  func run() {
    let first = plan.region.y + units.lowerBound
    let last = plan.region.y + units.upperBound - 1
    var done = first
    while done <= last {
      // Rows are finished in groups of up to 16. An even row is always computed together with the odd row
      // after it. Therefore each group ends with an odd row, except the last group.
      let end = min(done | (PhaseContext.rowsAtOnce - 1), last)
      advance(0, to: end, first...last)
      buffers.finished(done - plan.region.y..<end + 1 - plan.region.y)
      done = end + 1
    }
  }

  /// Computes all rows of `level` up to and including row `last`, except those that already exist. Rows are
  /// computed in pairs. At level 0, rows outside `wanted` are not stored.
  private func advance(_ level: Int, to last: Int, _ wanted: ClosedRange<Int>) {
    while next[level] <= last {
      let middle = next[level] >> 1
      let lastRead = middle + 1 + PyramidAxis.upsamplingRadius(plan.levels[level].order)
      if level + 1 < plan.levels.count {
        advance(level + 1, to: min(lastRead, plan.levels[level + 1].rows.blurred.upperBound - 1), wanted)
      } else if coarsest != nil {
        coarsest!.make(to: lastRead)
      }
      upsample(middle, of: level, wanted)
      next[level] += 2
    }
  }

  /// Computes row 2 · `middle` of `level` and the row after it. At level 0, only the rows in `wanted` are
  /// stored.
  private func upsample(_ middle: Int, of level: Int, _ wanted: ClosedRange<Int>) {
    let step = plan.levels[level]
    if level + 1 == plan.levels.count {
      plan.coarsest.blurred.put(middle - 2, 5, in: buffers.shared, rows)
    } else {
      plan.levels[level + 1].blurredRows.put(middle - 2, 5, in: rings, rows)
    }
    let (even, odd) = (lines, lines + step.lineBytes)
    plan.loops.upsampleVertical(
      (
        rows: UnsafePointer(rows), order: step.order, even: even, odd: odd, count: step.lineValues
      ))
    finish(2 * middle, of: level, step.order == 2 ? rows[2] : UnsafeRawPointer(even), wanted)
    finish(2 * middle + 1, of: level, UnsafeRawPointer(odd), wanted)
  }

  /// Upsamples a line horizontally, and stores the result as row `y` of `level`. At level 0, it does so only
  /// if `wanted` contains `y`.
  private func finish(_ y: Int, of level: Int, _ line: UnsafeRawPointer, _ wanted: ClosedRange<Int>) {
    let step = plan.levels[level]
    let start = line + step.underFirstUpsampled
    guard level == 0 else {
      plan.loops.upsampleHorizontal(
        (
          line: start, channels: step.channels, order: step.order, target: step.blurredRows.row(y, in: rings),
          bytes: plan.arithmetic.bytes, count: step.upsampled, isExact: false,
          isStreamed: false
        ))
      return
    }
    guard wanted.contains(y) else { return }
    let target = buffers.destination.row(y - plan.region.y)
    let excess = (plan.region.x - step.firstUpsampled) * plan.format.bytesPerPixel
    let bytes = plan.format.component.bytes
    plan.loops.upsampleHorizontal(
      (
        line: start, channels: step.channels, order: step.order, target: excess == 0 ? target : spare,
        bytes: bytes, count: step.upsampled, isExact: true,
        isStreamed: isStreamed && excess == 0
      ))
    if excess > 0 { target.copyMemory(from: spare + excess, byteCount: step.upsampled * bytes - excess) }
  }
}
