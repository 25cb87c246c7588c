import BlurLoopTable

/// The first step of a blur with a pyramid, which halves the size of the image several times. Each halving
/// gives a smaller version of the image, called a level. The smallest level is also called the coarsest
/// level.
///
/// The rows of all other levels are computed one or two at a time, when the next smaller level needs them.
/// Ring buffers keep only the last few rows of each of these levels, so that they stay in the cache.
struct Downsampling {
  private let plan: PyramidPlan
  private let buffers: PhaseContext
  /// For each level, the index of the row to compute next. If there is a ``FirstStep``, element 0 is the
  /// index of the next group of image rows to read. Otherwise, it is the number of the first image row whose
  /// pixels at the edges have not been copied yet; see ``ImageStep``.
  private let next: UnsafeMutablePointer<Int>
  private let addresses: UnsafeMutablePointer<UnsafeRawPointer>
  /// Memory for two rows of a level. It receives rows that are computed but not needed, and intermediate
  /// results.
  private let spare: UnsafeMutableRawPointer
  private let spareBytes: Int
  /// The start of the ring buffers, which keep the last few rows of each level. The ring buffer of level 1
  /// comes first, then the ring buffer of level 2, and so on.
  private let rings: UnsafeMutableRawPointer

  /// The scratch memory of the plan's ``FirstStep`` or ``ImageStep``.
  private let firstMemory: UnsafeMutableRawPointer

  /// The number of elements in each of the arrays `next` and `addresses`. A pyramid always has fewer levels
  /// than this, and one call of the downsampling loop always reads fewer source rows than this.
  private static let most = 32

  /// Prepares to compute rows of the smallest level from the image.
  ///
  /// - Parameter first: The index of the first row to compute on the smallest level.
  init(_ plan: PyramidPlan, from first: Int, _ buffers: PhaseContext) {
    self.plan = plan
    self.buffers = buffers
    // SAFETY: the scratch memory holds, one after the other, `next` and `addresses` with `most` elements of 8
    // bytes each, two spare rows of `spareBytes` bytes, the ring buffers, and the memory of the first step.
    // `scratchBytes` reserves space for all of them.
    next = buffers.scratch.assumingMemoryBound(to: Int.self)
    addresses = (buffers.scratch + Self.most * 8).assumingMemoryBound(to: UnsafeRawPointer.self)
    let spares = buffers.scratch + Self.most * 16
    spareBytes = Self.spareBytes(plan)
    spare = spares + Self.spareLead
    rings = spares + 2 * spareBytes
    let count = plan.levels.count
    firstMemory = rings + plan.levels[count - 1].storedRows.end
    next[count] = first
    for level in (1..<count).reversed() where level >= plan.first?.level ?? 1 {
      next[level] = firstRow(of: level, for: next[level + 1])
    }
    // In the edge mode `constant`, the row above the image has the constant colour.
    let outside = plan.imageRows.row(at: -1, of: buffers.source)
    if let first = plan.first {
      next[0] = next[first.level] + first.groups.lag - first.groups.lead
      first.begin(firstMemory, outside)
    } else {
      next[0] = .min
      plan.image!.begin(firstMemory, outside)
    }
  }

  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    AlignedBuffer.roundedUp(
      most * 16 + 2 * spareBytes(plan) + plan.levels[plan.levels.count - 1].storedRows.end
        + (plan.first?.scratchBytes ?? plan.image!.scratchBytes))
  }

  /// The number of bytes before the first pixel of a spare row. It is at least `PyramidLevel.lead`.
  private static let spareLead = 64

  private static func spareBytes(_ plan: PyramidPlan) -> Int {
    PyramidLevel.stride(plan.levels.reduce(0) { max($0, $1.downsampled) }) * plan.arithmetic.levelBytes
      + spareLead
  }

  /// Computes all rows of the smallest level up to and including row `last`. Rows that have already been
  /// computed are skipped.
  func run(to last: Int) { advance(plan.levels.count, to: last) }

  /// Returns the first row of `level` that is needed to compute row `y` of the next smaller level.
  private func firstRow(of level: Int, for y: Int) -> Int {
    let step = plan.levels[level]
    return step.storedRows.rows.nearest(to: PyramidAxis.firstRead(for: y, step.order))
  }

  /// Returns the last row of `level` that is needed to compute row `y` of the next smaller level.
  private func lastRow(of level: Int, for y: Int) -> Int {
    let step = plan.levels[level]
    return step.storedRows.rows.nearest(to: PyramidAxis.firstRead(for: y, step.order) + step.order)
  }

  /// Computes all rows of `level` up to and including row `last`. Rows that have already been computed are
  /// skipped.
  private func advance(_ level: Int, to last: Int) {
    // Rows are computed in pairs. On the smallest level, however, another thread can be responsible for the
    // row after `last`, so this row must not be stored here.
    let isSmallest = level == plan.levels.count
    let rows = isSmallest ? plan.coarsest.stored.rows : plan.levels[level].storedRows.rows
    let end = isSmallest && plan.coarsest.rolling == nil ? last + 1 : rows.upperBound
    if let first = plan.first, level == first.level { return advance(first, to: last, before: end) }
    while next[level] <= last {
      let count = min(2, end - next[level])
      if level > 1 { advance(level - 1, to: lastRow(of: level - 1, for: next[level] + count - 1)) }
      make(next[level], count, of: level)
      next[level] += count
    }
  }

  /// Runs `step`, which computes the rows of its level directly from the image, up to and including row
  /// `last`. If the step computes two rows at a time, it may also compute the row after `last`.
  ///
  /// - Parameter end: The row after the last row that may be stored.
  private func advance(_ step: FirstStep, to last: Int, before end: Int) {
    let level = step.level
    while next[level] <= last {
      let (y, first) = (next[0] - step.groups.lag, step.groups.ratio * next[0] - plan.shift)
      plan.imageRows.put(first..<first + 8, of: buffers.source, in: addresses)
      if plan.halvesRows {
        let ends = [0, plan.levels[0].storedRows.rows.upperBound - 1]
        for (i, end) in ends.enumerated() where first..<first + 4 ~= end {
          addresses[end - first] = step.halvedRow(addresses[end - first], i, firstMemory)
        }
      }
      // The first calls of `step.downsample` only save intermediate results for later calls. The rows that
      // they compute are not needed.
      let needed = next[level]..<end
      if y + step.rowsAtOnce > end {
        // The second row is not needed, and its source rows are not in the region that the plan reports as
        // read. The loop therefore reads a source row of the first row in their place.
        (addresses[2], addresses[3]) = (addresses[1], addresses[1])
      }
      let spare = firstMemory + step.spareOffset
      func target(_ y: Int) -> UnsafeMutableRawPointer { needed.contains(y) ? row(y, of: level) : spare }
      step.downsample(addresses, to: (target(y), target(y + 1)), firstMemory, plan.byteLoops.downsample)
      let stored = (y..<y + step.rowsAtOnce).clamped(to: needed)
      fillEnds(stored.lowerBound, stored.count, of: level)
      next[0] += step.rowsAtOnce
      next[level] = max(next[level], y + step.rowsAtOnce)
    }
  }

  /// Returns the address of row `y` of `level`.
  private func row(_ y: Int, of level: Int) -> UnsafeMutableRawPointer {
    level == plan.levels.count
      ? plan.coarsest.stored.row(y, in: buffers.shared) : plan.levels[level].storedRows.row(y, in: rings)
  }

  /// Computes row `y` of `level` from rows of the next larger level, which is the image if `level` is 1. If
  /// `count` is 2, row `y + 1` is computed as well.
  private func make(_ y: Int, _ count: Int, of level: Int) {
    let step = plan.levels[level - 1]
    let first = PyramidAxis.firstRead(for: y, step.order)
    let targets = (row(y, of: level), count == 2 ? row(y + 1, of: level) : spare + spareBytes)
    if level > 1 {
      step.storedRows.put(first, step.order + 7, in: rings, skipping: step.firstRead, addresses)
      plan.loops.downsample(
        (
          rows: UnsafePointer(addresses), channels: step.channels, order: step.order,
          target: targets.0 - step.lead, next: targets.1 - step.lead,
          count: step.downsampled
        ))
    } else {
      let first = first - plan.shift
      halve(from: first, to: targets, isSingle: count == 1)
      guard plan.halvesRows else { return fillEnds(y, count, of: level) }
      let ends = [0, plan.levels[0].storedRows.rows.upperBound - 1]
      if ends.contains(where: (first..<first + step.order + 3).contains) {
        // In the edge mode `mirror`, the image and its mirror images share the first and the last row of the
        // image. The weight of these two rows must therefore be halved. To achieve this, the rows of level 1
        // are computed a second time without them, and the mean of both results is taken.
        let others = (spare, spare + spareBytes)
        halve(from: first, without: ends, to: others, isSingle: count == 1)
        plan.average(targets.0, others.0)
        if count == 2 { plan.average(targets.1, others.1) }
      }
    }
    fillEnds(y, count, of: level)
  }

  /// Computes two rows of level 1 from consecutive image rows, beginning with row `first`. The image rows in
  /// `excluded` are treated as zeros.
  private func halve(
    from first: Int, without excluded: [Int] = [],
    to targets: (UnsafeMutableRawPointer, UnsafeMutableRawPointer), isSingle: Bool
  ) {
    let rows = plan.levels[0].order + 3
    plan.imageRows.put(first..<first + rows + 4, of: buffers.source, in: addresses)
    for row in excluded where first..<first + rows ~= row {
      addresses[row - first] = plan.imageRows.row(at: -1, of: buffers.source)
    }
    // The step keeps copies of edge pixels from earlier calls, but now the excluded rows consist of zeros. So
    // all copies are made again, both in this call and in the next one.
    if !excluded.isEmpty { next[0] = .min }
    plan.image!.downsample(
      addresses, from: first, copied: next, isSingle: isSingle, to: targets, firstMemory,
      plan.loops.downsample, plan.convert)
    if !excluded.isEmpty { next[0] = .min }
  }

  /// Fills the pixels before the start and after the end of `count` rows, beginning with row `y`. These
  /// pixels are needed to halve the level.
  private func fillEnds(_ y: Int, _ count: Int, of level: Int) {
    guard level < plan.levels.count else { return }
    for y in y..<y + count {
      let row = row(y, of: level)
      if plan.arithmetic.isFixed {
        plan.levels[level].fillEnds(row.assumingMemoryBound(to: UInt16.self))
      } else {
        plan.levels[level].fillEnds(row.assumingMemoryBound(to: Float.self))
      }
    }
  }
}

extension PyramidPlan {
  /// Replaces each value of a row of level 1 with the mean of this value and the value at the same index in
  /// `other`.
  fileprivate func average(_ row: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) {
    // SAFETY: both rows contain all columns of level 1.
    let count = image!.columns.count * format.channels
    if arithmetic.isFixed {
      let (row, other) = (
        row.assumingMemoryBound(to: UInt16.self), other.assumingMemoryBound(to: UInt16.self)
      )
      // Halves are rounded up, as in the inner loops.
      for i in 0..<count {
        row[i] = UInt16(truncatingIfNeeded: (UInt32(row[i]) &+ UInt32(other[i]) &+ 1) >> 1)
      }
    } else {
      let (row, other) = (row.assumingMemoryBound(to: Float.self), other.assumingMemoryBound(to: Float.self))
      for i in 0..<count { row[i] = row[i] / 2 + other[i] / 2 }
    }
  }
}
