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
  /// index of the next group of image rows to read.
  private let next: UnsafeMutablePointer<Int>
  private let addresses: UnsafeMutablePointer<UnsafeRawPointer>
  /// Memory for four lines of intermediate values. Vertical downsampling computes two of them, and horizontal
  /// downsampling turns each of the two into a row of the next smaller level.
  ///
  /// The other two lines are needed only if the first and the last row of the image get half their weight,
  /// which happens in the edge mode `mirror`.
  private let lines: UnsafeMutableRawPointer
  private let lineBytes: Int
  /// The start of the ring buffers, which keep the last few rows of each level. The ring buffer of level 1
  /// comes first, then the ring buffer of level 2, and so on.
  private let rings: UnsafeMutableRawPointer

  /// The scratch memory of the plan's ``FirstStep``, if it has such a step.
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
    // bytes each, four lines of `lineBytes` bytes, the ring buffers, and the memory of the step `first`.
    // `scratchBytes` reserves space for all of them.
    next = buffers.scratch.assumingMemoryBound(to: Int.self)
    addresses = (buffers.scratch + Self.most * 8).assumingMemoryBound(to: UnsafeRawPointer.self)
    lines = buffers.scratch + Self.most * 16
    lineBytes = Self.lineBytes(plan)
    rings = lines + 4 * lineBytes
    let count = plan.levels.count
    firstMemory = rings + plan.levels[count - 1].storedRows.end
    next[count] = first
    for level in (1..<count).reversed() where level >= plan.first?.level ?? 1 {
      next[level] = firstRow(of: level, for: next[level + 1])
    }
    if let first = plan.first {
      next[0] = next[first.level] + first.groups.lag - first.groups.lead
      first.begin(firstMemory, plan.constant.words)
    }
  }

  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    AlignedBuffer.roundedUp(
      most * 16 + 4 * lineBytes(plan) + plan.levels[plan.levels.count - 1].storedRows.end
        + (plan.first?.scratchBytes ?? 0))
  }

  private static func lineBytes(_ plan: PyramidPlan) -> Int {
    PyramidLevel.stride(plan.lines.reduce(0) { max($0, $1.stride) }) * plan.arithmetic.levelBytes
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

  /// Computes all rows of the level that `step` computes, up to and including row `last`, directly from the
  /// image. If two rows are computed at a time, the row after `last` may be computed too.
  ///
  /// - Parameter end: The row after the last row that may be stored.
  private func advance(_ step: FirstStep, to last: Int, before end: Int) {
    let level = step.level
    while next[level] <= last {
      let (y, first) = (next[0] - step.groups.lag, step.groups.ratio * next[0] - plan.shift)
      plan.imageRows.put(first..<first + 8, of: buffers.source, skipping: 0, in: addresses)
      if plan.halved.rows {
        let ends = [0, plan.levels[0].storedRows.rows.upperBound - 1]
        for (i, end) in ends.enumerated() where first..<first + 4 ~= end {
          addresses[end - first] = step.halvedRow(addresses[end - first], i, firstMemory)
        }
      }
      // The first calls only save intermediate results for the calls after them. Their rows are not needed.
      let needed = next[level]..<end
      if y + step.rowsAtOnce > end {
        // The source rows of the second row are not in the region that the plan reports as read, so the loop
        // reads the first row's source rows instead.
        (addresses[2], addresses[3]) = (addresses[1], addresses[1])
      }
      let spare = firstMemory + step.spareOffset
      func target(_ y: Int) -> UnsafeMutableRawPointer { needed.contains(y) ? row(y, of: level) : spare }
      step.downsample(addresses, to: (target(y), target(y + 1)), firstMemory, plan.byteLoops.downsample)
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
    let (first, lead) = (PyramidAxis.firstRead(for: y, step.order), step.firstRead)
    if level == 1 {
      let row = first - plan.shift
      plan.imageRows.put(row..<row + step.order + 7, of: buffers.source, skipping: lead, in: addresses)
    } else {
      step.storedRows.put(first, step.order + 7, in: rings, skipping: lead, addresses)
    }
    if count == 1 {
      // Vertical downsampling always computes two lines, but here only the first line is needed. The source
      // rows of the second line do not always exist, so the loop reads an existing row instead.
      addresses[step.order + 1] = addresses[step.order]
      addresses[step.order + 2] = addresses[step.order]
    }
    let line = lines + step.lead
    sum(step, into: line)
    if level == 1, plan.halved.rows, dropEnds(from: first - plan.shift) {
      // In the edge mode `mirror`, the image and its mirror images share the first and the last row of the
      // image. The weight of these two rows must therefore be halved. To achieve this, the sum is computed a
      // second time without them, and the mean of both sums is taken.
      let other = line + 2 * lineBytes
      sum(step, into: other)
      plan.average(line, other)
      plan.average(line + lineBytes, other + lineBytes)
    }
    for i in 0..<count { continueEnds(of: line + i * lineBytes, level) }
    for i in 0..<count { downsample(line + i * lineBytes, step, to: y + i, of: level) }
  }

  /// Downsamples vertically: computes two lines, each of which is a weighted sum of the rows whose addresses
  /// are in `addresses`. Horizontal downsampling later turns each line into a row of the next smaller level.
  @inline(__always)
  private func sum(_ step: PyramidLevel, into line: UnsafeMutableRawPointer) {
    let line = line + step.firstComputed
    plan.loops.downsampleVertical(
      (
        rows: UnsafePointer(addresses), bytes: step.readBytes, channels: step.channels, order: step.order,
        line: line, next: line + lineBytes, odd: step.odd, count: step.computed
      ))
  }

  private func continueEnds(of line: UnsafeMutableRawPointer, _ level: Int) {
    if level == 1 { plan.halveEnds(of: line) }
    plan.fill(line, of: level - 1)
  }

  /// Downsamples a line horizontally, and stores the result as row `y` of `level`. The line is the result of
  /// downsampling vertically.
  @inline(__always)
  private func downsample(_ line: UnsafeMutableRawPointer, _ step: PyramidLevel, to y: Int, of level: Int) {
    plan.loops.downsampleHorizontal(
      (
        line: UnsafeRawPointer(line + step.firstDownsampled), odd: step.nextPixel, channels: step.channels,
        order: step.order, target: row(y, of: level), count: step.downsampled
      ))
  }

  /// Removes the first and the last row of the image from the next sum, by replacing their addresses in the
  /// array `addresses` with the address of a row of zeros. Returns whether the array contained the address of
  /// at least one of these two rows.
  ///
  /// - Parameter first: The index of the image row that the first address in the array points to.
  private func dropEnds(from first: Int) -> Bool {
    let step = plan.levels[0]
    var hasEnds = false
    for end in [0, step.storedRows.rows.upperBound - 1] where first..<first + step.order + 3 ~= end {
      addresses[end - first] = plan.imageRows.row(at: -1, of: buffers.source) + step.firstRead
      hasEnds = true
    }
    return hasEnds
  }
}

// MARK: Operations on lines

extension PyramidPlan {
  /// Replaces each value of `line` with the mean of this value and the value at the same index in `other`.
  /// Both lines are results of downsampling vertically.
  fileprivate func average(_ line: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) {
    if arithmetic.isFixed {
      average(
        line.assumingMemoryBound(to: UInt16.self), other.assumingMemoryBound(to: UInt16.self), Self.mean)
    } else {
      average(line.assumingMemoryBound(to: Float.self), other.assumingMemoryBound(to: Float.self)) {
        $0 / 2 + $1 / 2
      }
    }
  }

  @inline(__always)
  private func average<Value>(
    _ line: UnsafeMutablePointer<Value>, _ other: UnsafeMutablePointer<Value>, _ mean: (Value, Value) -> Value
  ) {
    let step = levels[0]
    // SAFETY: a line stores its even pixels and its odd pixels in two separate parts. The loop accesses at
    // most two pixels beyond the end of a part, and each part is followed by enough unused space for them.
    let count = (step.computed + step.channels) / 2 + step.channels
    let first = step.firstComputed / arithmetic.levelBytes
    for half in 0..<2 {
      let start = first + half * step.odd
      for i in start..<start + count { line[i] = mean(line[i], other[i]) }
    }
  }

  /// Returns the mean of two integers. Halves are rounded up, as in the inner loops.
  @inline(__always)
  private static func mean(_ a: UInt16, _ b: UInt16) -> UInt16 {
    UInt16(truncatingIfNeeded: (UInt32(a) &+ UInt32(b) &+ 1) >> 1)
  }

  /// Halves the values of the first and the last pixel of the image in a line, if these two pixels must get
  /// only half their weight. This happens in the edge mode `mirror`, because the image and its mirror images
  /// share these two pixels.
  fileprivate func halveEnds(of line: UnsafeMutableRawPointer) {
    // SAFETY: `halved.values` lists only indices of values that are inside the line.
    for i in halved.values.indices {
      let value = halved.values[i]
      if arithmetic.isFixed {
        let values = line.assumingMemoryBound(to: UInt16.self)
        values[value] = Self.mean(values[value], 0)
      } else {
        line.assumingMemoryBound(to: Float.self)[value] /= 2
      }
    }
  }

  /// Fills the pixels of a line of `level` that lie to the left and to the right of the image, as the edge
  /// mode requires. Horizontal downsampling reads these pixels.
  fileprivate func fill(_ line: UnsafeMutableRawPointer, of level: Int) {
    if arithmetic.isFixed {
      fillWords(line.assumingMemoryBound(to: UInt16.self), of: level)
    } else {
      fillFloats(line.assumingMemoryBound(to: Float.self), of: level)
    }
  }

  // Lines of integers and lines of floats are filled by separate functions. A single function for both would
  // be slower, because for each row it would copy the layout of the line and count references to its arrays.

  @inline(never)
  private func fillWords(_ line: UnsafeMutablePointer<UInt16>, of level: Int) {
    let constant = constant.words
    lines[level].fill(line) { constant[$0] }
  }

  @inline(never)
  private func fillFloats(_ line: UnsafeMutablePointer<Float>, of level: Int) {
    let constant = constant.floats
    lines[level].fill(line) { constant[$0] }
  }
}
