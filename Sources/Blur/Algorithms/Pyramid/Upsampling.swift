import BlurLoopTable

/// The last phase of a blur with an image pyramid. The levels of a pyramid are smaller and smaller versions
/// of the image. This phase starts with the smallest level, which is already blurred, and doubles its size
/// until it is as large as the result.
///
/// The rows of each level are computed two at a time, when the next larger level needs them. Only the last
/// few rows of a level are kept, in a ring buffer. A ``LastStep`` computes four rows of the result at a time.
struct Upsampling {
  private let plan: PyramidPlan
  private let units: Range<Int>
  private let buffers: PhaseContext
  /// For each level of the pyramid, the index of the next row to compute. It is always even, because rows are
  /// computed two or four at a time.
  private let next: UnsafeMutablePointer<Int>
  private let rows: UnsafeMutablePointer<UnsafeRawPointer>
  private let isStreamed: Bool
  /// Memory for two output rows, or for four rows if there is a ``LastStep``. A computed row always begins
  /// with an even pixel or, in a ``LastStep``, with the first pixel of a group. If the wanted pixels begin
  /// later, the row is computed in this memory, and only the wanted pixels are copied to the result. Rows
  /// that are not wanted are also written here.
  private let spare: UnsafeMutableRawPointer
  /// The memory for the last few rows of each level of the pyramid. It begins with the ring buffer of level
  /// 1, followed by the ring buffers of the smaller levels.
  private let rings: UnsafeMutableRawPointer
  /// The structure that computes each row of the smallest level of the pyramid when it is needed. The
  /// property is nil if all of these rows were computed in an earlier phase of the blur.
  private let coarsest: RollingLevel?

  /// The number of elements in each of the arrays `next` and `rows`. A pyramid has fewer levels than this,
  /// and an upsampling step reads fewer rows than this.
  private static let most = 32

  /// Prepares to compute rows of the blurred image.
  ///
  /// - Parameter units: The rows to compute. Row 0 is the first row of the result.
  init(_ plan: PyramidPlan, _ units: Range<Int>, _ buffers: PhaseContext) {
    self.plan = plan
    self.buffers = buffers
    isStreamed = buffers.isStreamed
    // SAFETY: the scratch memory has at least `scratchBytes` bytes. It is divided into `next`, `rows`, the
    // ring buffers and the rows `spare`, in this order, and `scratchBytes` counts all of them.
    next = buffers.scratch.assumingMemoryBound(to: Int.self)
    rows = (buffers.scratch + Self.most * 8).assumingMemoryBound(to: UnsafeRawPointer.self)
    rings = buffers.scratch + Self.most * 16
    spare = rings + Self.ringBytes(plan)
    self.units = units
    let result = plan.resultLevel
    next[result] = (plan.firstRow + units.lowerBound) & (plan.last == nil ? ~1 : ~3)
    if let last = plan.last { next[last.level] = (next[result] / last.groups.ratio - last.groups.lag) & ~1 }
    for level in (plan.last?.level ?? result) + 1..<plan.levels.count + 1 {
      next[level] = ((next[level - 1] >> 1) - PyramidAxis.upsamplingRadius(plan.levels[level - 1].order)) & ~1
    }
    // SAFETY: the scratch memory has `ownBytes` bytes for this structure, followed by the bytes that
    // `RollingLevel` needs. `scratchBytes` counts both.
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
      most * 16 + ringBytes(plan)
        + (plan.last == nil ? 2 * plan.arithmetic.levelBytes : 4) * spareValues(plan))
  }

  private static func spareValues(_ plan: PyramidPlan) -> Int {
    if let last = plan.last { return last.count + FilterLoops.slack }
    return plan.resultLevel == plan.levels.count
      ? 0 : plan.levels[plan.resultLevel].upsampled + FilterLoops.slack
  }

  private static func ringBytes(_ plan: PyramidPlan) -> Int {
    plan.levels[plan.levels.count - 1].blurredRows.end
  }

  func run() {
    let first = plan.firstRow + units.lowerBound
    let last = plan.firstRow + units.upperBound - 1
    var done = first
    while done <= last {
      // Up to 16 rows of the result are finished at a time. An even row is always computed together with the
      // odd row after it, so each group of rows ends with an odd row, such as row 15 or row 31. Only the last
      // group may end with an even row.
      let end = min(done | (PhaseContext.rowsAtOnce - 1), last)
      advance(plan.resultLevel, to: end, first...last)
      buffers.finished(done - plan.firstRow..<end + 1 - plan.firstRow)
      done = end + 1
    }
  }

  /// Computes all missing rows of a level of the pyramid, up to and including row `last`. Before each pair of
  /// rows, the function computes the rows of the next smaller level that this pair needs. Rows of the result
  /// are stored only if they are in `wanted`.
  private func advance(_ level: Int, to last: Int, _ wanted: ClosedRange<Int>) {
    if level == plan.resultLevel, let step = plan.last { return advance(step, to: last, wanted) }
    while next[level] <= last {
      let middle = next[level] >> 1
      let lastRead = middle + 1 + PyramidAxis.upsamplingRadius(plan.levels[level].order)
      if level + 1 < plan.levels.count {
        advance(level + 1, to: min(lastRead, plan.levels[level + 1].blurredRows.rows.upperBound - 1), wanted)
      } else if coarsest != nil {
        coarsest!.make(to: lastRead)
      }
      upsample(middle, of: level, wanted)
      next[level] += 2
    }
  }

  /// Computes all missing rows of the result, up to and including row `last`, with the last step of the
  /// pyramid.
  private func advance(_ step: LastStep, to last: Int, _ wanted: ClosedRange<Int>) {
    let (result, level) = (plan.resultLevel, step.level)
    let excess = (plan.firstColumn - step.first) * plan.format.bytesPerPixel
    while next[result] <= last {
      let y = next[result]
      let read = y / step.groups.ratio - step.groups.lag
      let below = read + step.rowsRead - 1
      if level < plan.levels.count {
        advance(level, to: min(below, plan.levels[level].blurredRows.rows.upperBound - 1), wanted)
        plan.levels[level].blurredRows.put(read, 4, in: rings, skipping: step.skipped, rows)
      } else {
        coarsest?.make(to: below)
        plan.coarsest.blurred.put(read, 4, in: buffers.shared, skipping: step.skipped, rows)
      }
      // SAFETY: `rows` has `most` elements, so elements 4 to 7 exist, and both types of pointers have the
      // same size. The loop reads at most two vectors beyond the last value of a row. The memory of each row
      // is longer than its values by at least `FilterLoops.slack`, which is four vectors.
      (rows + 4).withMemoryRebound(to: UnsafeMutableRawPointer.self, capacity: 4) { targets in
        for i in 0..<4 {
          targets[i] =
            excess == 0 && wanted.contains(y + i)
            ? buffers.destination.unsafeRow(y + i - plan.firstRow) : spare + i * Self.spareValues(plan)
        }
        plan.byteLoops.upsample(
          (
            rows: UnsafePointer(rows), channels: step.channels, ratio: step.groups.ratio,
            order: step.groups.order,
            targets: UnsafePointer(targets), count: step.count, isStreamed: isStreamed && excess == 0
          ))
        for i in 0..<4 where excess > 0 && wanted.contains(y + i) {
          buffers.destination.unsafeRow(y + i - plan.firstRow).copyMemory(
            from: targets[i] + excess, byteCount: step.count - excess)
        }
      }
      next[result] += 4
    }
  }

  /// Computes the rows 2 · `middle` and 2 · `middle` + 1 of a level of the pyramid, from the rows around row
  /// `middle` of the next smaller level. Rows of the result are stored only if they are in `wanted`.
  private func upsample(_ middle: Int, of level: Int, _ wanted: ClosedRange<Int>) {
    let (step, y) = (plan.levels[level], 2 * middle)
    if level + 1 == plan.levels.count {
      plan.coarsest.blurred.put(middle - 2, 5, in: buffers.shared, skipping: step.underFirstUpsampled, rows)
    } else {
      plan.levels[level + 1].blurredRows.put(
        middle - 2, 5, in: rings, skipping: step.underFirstUpsampled, rows)
    }
    guard level == plan.resultLevel else {
      return plan.loops.upsample(
        (
          rows: UnsafePointer(rows), channels: step.channels, order: step.order,
          target: step.blurredRows.row(y, in: rings), next: step.blurredRows.row(y + 1, in: rings),
          count: step.upsampled, isExact: false
        ))
    }
    let (excess, bytes) = (
      (plan.firstColumn - step.firstUpsampled) * step.channels, plan.arithmetic.levelBytes
    )
    let converts = plan.arithmetic.levelComponent != plan.format.component
    func target(_ y: Int) -> UnsafeMutableRawPointer {
      excess == 0 && !converts && wanted.contains(y)
        ? buffers.destination.unsafeRow(y - plan.firstRow) : spare + (y & 1) * Self.spareValues(plan) * bytes
    }
    plan.loops.upsample(
      (
        rows: UnsafePointer(rows), channels: step.channels, order: step.order, target: target(y),
        next: target(y + 1), count: step.upsampled, isExact: true
      ))
    guard excess > 0 || converts else { return }
    // SAFETY: the spare rows and the rows of the result both have all columns of the result.
    for y in y..<y + 2 where wanted.contains(y) {
      let (source, row) = (target(y) + excess * bytes, buffers.destination.unsafeRow(y - plan.firstRow))
      let count = step.upsampled - excess
      if converts {
        plan.convert(
          (
            source: UnsafeRawPointer(source), sourceBytes: bytes, target: row,
            targetBytes: plan.format.component.bytes, count: count
          ))
      } else {
        row.copyMemory(from: source, byteCount: count * bytes)
      }
    }
  }
}
