import BlurLoopTable

/// The first phase of a blur with a pyramid. It halves the size of the image several times, until rows of the
/// coarsest (smallest) level are complete.
///
/// The rows of each level in between are computed two at a time, when the next coarser level needs them. They
/// are kept in a ring buffer. So only a few rows of these levels exist at any time, and they stay in the
/// cache.
struct Downsampling {
  private let plan: PyramidPlan
  private let buffers: PhaseContext
  /// For each level, the index of the row that is computed next.
  private let next: UnsafeMutablePointer<Int>
  private let addresses: UnsafeMutablePointer<UnsafeRawPointer>
  /// Four lines of intermediate values. Vertical downsampling writes the first two lines, and horizontal
  /// downsampling reads them. The other two lines are needed only if the first and the last row of the image
  /// count half, because each of these rows belongs to two repetitions of the image. The other two lines are
  /// then computed without these rows, and averaged with the first two lines.
  private let lines: UnsafeMutableRawPointer
  private let lineBytes: Int
  /// The ring buffer for the rows of level 1. The ring buffers of the coarser levels follow it in memory.
  private let rings: UnsafeMutableRawPointer

  /// The number of elements in each of the arrays `next` and `addresses`, which are stored in scratch memory.
  /// It is larger than the number of levels, and larger than the number of source rows that the downsampling
  /// loop needs in one call.
  private static let most = 32

  /// Prepares to downsample the image, so that rows of its coarsest level can be computed.
  ///
  /// - Parameter first: The index of the first row to compute on the coarsest level.
  init(_ plan: PyramidPlan, from first: Int, _ buffers: PhaseContext) {
    self.plan = plan
    self.buffers = buffers
    // SAFETY: `scratchBytes` reserves space for `next`, `addresses`, the four lines and the ring buffers, in
    // this order.
    next = buffers.scratch.assumingMemoryBound(to: Int.self)
    addresses = (buffers.scratch + Self.most * 8).assumingMemoryBound(to: UnsafeRawPointer.self)
    lines = buffers.scratch + Self.most * 16
    lineBytes = Self.lineBytes(plan)
    rings = lines + 4 * lineBytes
    let count = plan.levels.count
    next[count] = first
    for level in (1..<count).reversed() { next[level] = firstRow(of: level, for: next[level + 1]) }
  }

  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    AlignedBuffer.roundedUp(
      most * 16 + 4 * lineBytes(plan) + plan.levels[plan.levels.count - 1].storedRows.end)
  }

  private static func lineBytes(_ plan: PyramidPlan) -> Int {
    PyramidLevel.stride(plan.lines.reduce(0) { max($0, $1.stride) }) * plan.arithmetic.bytes
  }

  /// Computes all rows of the coarsest level up to and including row `last`, except those that already exist.
  func run(to last: Int) { advance(plan.levels.count, to: last) }

  /// Returns the first row of `level` that is needed to compute row `y` of the next coarser level.
  private func firstRow(of level: Int, for y: Int) -> Int {
    let step = plan.levels[level]
    return step.rows.stored.nearest(to: 2 * y - (step.order + 1) / 2)
  }

  private func lastRow(of level: Int, for y: Int) -> Int {
    let step = plan.levels[level]
    return step.rows.stored.nearest(to: 2 * y + step.order / 2)
  }

  /// Computes all rows of `level` up to and including row `last`, except those that already exist.
  private func advance(_ level: Int, to last: Int) {
    // Rows are computed in pairs. On the coarsest level, however, the row after `last` may belong to another
    // thread, so it must not be computed here.
    let end = level == plan.levels.count ? last + 1 : plan.levels[level].rows.stored.upperBound
    while next[level] <= last {
      let count = min(2, end - next[level])
      if level > 1 { advance(level - 1, to: lastRow(of: level - 1, for: next[level] + count - 1)) }
      make(next[level], count, of: level)
      next[level] += count
    }
  }

  /// Computes row `y` of `level` from rows of the next finer level. If `count` is 2, it also computes the row
  /// after it.
  private func make(_ y: Int, _ count: Int, of level: Int) {
    let step = plan.levels[level - 1]
    let (first, lead) = (2 * y - (step.order + 1) / 2, step.firstRead)
    if level == 1 {
      plan.imageRows.put(first..<first + step.order + 7, of: buffers.source, skipping: lead, in: addresses)
    } else {
      step.storedRows.put(first, step.order + 7, in: rings, skipping: lead, addresses)
    }
    if count == 1 {
      // Vertical downsampling always computes two lines, but here only the first line is needed. The source
      // rows for the second line may not exist. Therefore their addresses are replaced by the address of an
      // existing row, which is safe to read.
      addresses[step.order + 1] = addresses[step.order]
      addresses[step.order + 2] = addresses[step.order]
    }
    let line = lines + step.lead
    sum(step, into: line)
    if level == 1, plan.halved.rows, dropEnds(from: first) {
      // In the edge mode `mirror`, the first and the last row of the image belong to two repetitions of the
      // image, so each of them gets only half its weight. To halve the weight, the source rows are summed
      // once with this row and once without it, and the mean of the two sums is taken.
      let other = line + 2 * lineBytes
      sum(step, into: other)
      plan.average(line, other)
      plan.average(line + lineBytes, other + lineBytes)
    }
    for i in 0..<count { continueEnds(of: line + i * lineBytes, level) }
    for i in 0..<count { downsample(line + i * lineBytes, step, to: y + i, of: level) }
  }

  /// Downsamples vertically: combines the source rows in `addresses` into two lines, which become two output
  /// rows.
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

  /// Downsamples a line horizontally, and stores the result as row `y` of `level`.
  @inline(__always)
  private func downsample(_ line: UnsafeMutableRawPointer, _ step: PyramidLevel, to y: Int, of level: Int) {
    plan.loops.downsampleHorizontal(
      (
        line: UnsafeRawPointer(line + step.firstDownsampled), odd: step.odd, channels: step.channels,
        order: step.order,
        target: level == plan.levels.count
          ? plan.coarsest.stored.row(y, in: buffers.shared)
          : plan.levels[level].storedRows.row(y, in: rings),
        count: step.downsampled
      ))
  }

  /// Removes the first and the last row of the image from the sums: replaces their addresses in `addresses`
  /// by the address of a row of zeros. `first` is the index of the row to which the first of these addresses
  /// belongs. Returns false if neither the first nor the last row of the image is among these rows.
  private func dropEnds(from first: Int) -> Bool {
    let step = plan.levels[0]
    var hasEnds = false
    for end in [0, step.rows.stored.upperBound - 1] where first..<first + step.order + 3 ~= end {
      addresses[end - first] = plan.imageRows.row(at: -1, of: buffers.source) + step.firstRead
      hasEnds = true
    }
    return hasEnds
  }
}

// MARK: Operations on lines

extension PyramidPlan {
  /// Averages two lines, which are both results of vertical downsampling. Each value of `line` is replaced by
  /// the mean of this value and the value at the same index in `other`.
  fileprivate func average(_ line: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) {
    switch arithmetic {
    case .fixed:
      average(
        line.assumingMemoryBound(to: UInt16.self), other.assumingMemoryBound(to: UInt16.self), Self.mean)
    case .float:
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
    // SAFETY: a line stores even and odd pixels in two separate parts, and each part has space for one more
    // vector at its end. `count` can be larger than the number of values in a part, but by less than a
    // vector.
    let count = (step.computed + step.channels) / 2 + step.channels
    let first = step.firstComputed / arithmetic.bytes
    for half in 0..<2 {
      let start = first + half * step.odd
      for i in start..<start + count { line[i] = mean(line[i], other[i]) }
    }
  }

  /// Returns the mean of two integers, rounded up if it is not a whole number. The averages in the inner
  /// loops are rounded in the same way.
  @inline(__always)
  private static func mean(_ a: UInt16, _ b: UInt16) -> UInt16 {
    UInt16(truncatingIfNeeded: (UInt32(a) &+ UInt32(b) &+ 1) >> 1)
  }

  /// Halves the first and the last pixel of an image row if these pixels count only half, because they belong
  /// to two repetitions of the image. `line` is the result of downsampling the image vertically.
  fileprivate func halveEnds(of line: UnsafeMutableRawPointer) {
    // SAFETY: `halved.values` contains only indices of values that the line holds.
    for i in halved.values.indices {
      let value = halved.values[i]
      switch arithmetic {
      case .fixed:
        let values = line.assumingMemoryBound(to: UInt16.self)
        values[value] = Self.mean(values[value], 0)
      case .float: line.assumingMemoryBound(to: Float.self)[value] /= 2
      }
    }
  }

  /// Fills the pixels of a line to the left and to the right of its level with the pixels that the edge mode
  /// defines there. The line stores all even pixels first, and then all odd pixels.
  fileprivate func fill(_ line: UnsafeMutableRawPointer, of level: Int) {
    switch arithmetic {
    case .fixed: fillWords(line.assumingMemoryBound(to: UInt16.self), of: level)
    case .float: fillFloats(line.assumingMemoryBound(to: Float.self), of: level)
    }
  }

  // Lines of integers and lines of floats are filled by separate functions. If one function handled both
  // types, the compiler would copy the `PaddedLine` for each row and retain its arrays each time.

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
