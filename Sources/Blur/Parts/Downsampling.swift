import BlurLoopTable

/// The first step of a blur with a pyramid. A pyramid consists of smaller and smaller versions of an image,
/// called levels, each half as large as the one before. This step halves the image several times, until rows
/// of the smallest (coarsest) level are complete.
///
/// The rows of each level in between are computed two at a time, when the next coarser level needs them. A
/// ring buffer keeps only the last few rows of such a level, so that these rows stay in the cache.
struct Downsampling {
  private let plan: PyramidPlan
  private let buffers: PhaseContext
  /// For each level, the index of the row to compute next.
  private let next: UnsafeMutablePointer<Int>
  private let addresses: UnsafeMutablePointer<UnsafeRawPointer>
  /// Memory for four lines of intermediate values. Vertical downsampling writes two lines, and horizontal
  /// downsampling turns each of them into a row of the next coarser level.
  ///
  /// In the edge mode `mirror`, the image and its mirror image share the row at which the image is mirrored.
  /// Therefore the first and the last row of the image may have to count only half. Vertical downsampling is
  /// then repeated without them. It writes the other two lines, which are averaged with the first two.
  private let lines: UnsafeMutableRawPointer
  private let lineBytes: Int
  /// The start of the ring buffers that keep the last few rows of each level. The ring buffer of level 1
  /// comes first. The ring buffers of the coarser levels follow it in memory.
  private let rings: UnsafeMutableRawPointer

  /// The number of elements in each of the arrays `next` and `addresses`, which are stored in scratch memory.
  /// It is larger than the number of levels, and larger than the number of source rows that the downsampling
  /// loop reads in one call.
  private static let most = 32

  /// Prepares to downsample the image, so that rows of its coarsest (smallest) level can be computed.
  ///
  /// - Parameter first: The index of the first row to compute on the coarsest level.
  init(_ plan: PyramidPlan, from first: Int, _ buffers: PhaseContext) {
    self.plan = plan
    self.buffers = buffers
    // SAFETY: the scratch memory holds, one after the other, `next` and `addresses` with `most` elements of 8
    // bytes each, four lines of `lineBytes` bytes, and the ring buffers. `scratchBytes` reserves space for
    // all of them.
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

  /// Computes all rows of the coarsest level up to and including row `last`. Rows that have already been
  /// computed are skipped.
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

  /// Computes all rows of `level` up to and including row `last`. Rows that have already been computed are
  /// skipped.
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

  /// Computes row `y` of `level` from rows of the next finer level, or from rows of the image if `level` is
  /// 1. If `count` is 2, it also computes row `y + 1`.
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
      // rows that only the second line needs may not exist. Therefore their addresses are replaced by the
      // address of an existing row, which is safe to read.
      addresses[step.order + 1] = addresses[step.order]
      addresses[step.order + 2] = addresses[step.order]
    }
    let line = lines + step.lead
    sum(step, into: line)
    if level == 1, plan.halved.rows, dropEnds(from: first) {
      // In the edge mode `mirror`, the image is mirrored at its first and its last row, so each of these two
      // rows belongs to the image and to a mirror image. They must therefore count with only half their
      // weight. To achieve this, the source rows are summed a second time without these two rows, and the
      // mean of the two sums is taken.
      let other = line + 2 * lineBytes
      sum(step, into: other)
      plan.average(line, other)
      plan.average(line + lineBytes, other + lineBytes)
    }
    for i in 0..<count { continueEnds(of: line + i * lineBytes, level) }
    for i in 0..<count { downsample(line + i * lineBytes, step, to: y + i, of: level) }
  }

  /// Downsamples vertically: combines the source rows whose addresses are in `addresses` into two lines of
  /// intermediate values. Horizontal downsampling later turns each line into one output row.
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

  /// Downsamples one line of intermediate values horizontally, and stores the result as row `y` of `level`.
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

  /// Removes the first and the last row of the image from the sums that vertical downsampling computes. To do
  /// so, the function replaces their addresses in the array `addresses` by the address of a row of zeros. It
  /// returns false if neither of these two rows is in the array.
  ///
  /// - Parameter first: The index of the image row to which the first address in the array belongs.
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
  /// Averages two lines of intermediate values, which are both results of vertical downsampling. Each value
  /// of `line` is replaced by the mean of this value and the value at the same index in `other`.
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
    // SAFETY: a line stores even and odd pixels in two separate parts, and both parts have spare space at the
    // end. The loop accesses at most two pixels after the last pixel of a part, which lie in the spare space.
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

  /// Halves the first and the last pixel of a line if these pixels must get only half their weight. This can
  /// happen in the edge mode `mirror`, because the image and its mirror image share the pixel at which the
  /// image is mirrored. `line` is the result of downsampling the image vertically.
  fileprivate func halveEnds(of line: UnsafeMutableRawPointer) {
    // SAFETY: `halved.values` lists only indices of values that are inside the line.
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

  /// Fills the part of a line that lies to the left and to the right of the pixels of `level`, so that
  /// horizontal downsampling can read beyond the ends. The edge mode defines these pixels. The line stores
  /// all even pixels first, and then all odd pixels.
  fileprivate func fill(_ line: UnsafeMutableRawPointer, of level: Int) {
    switch arithmetic {
    case .fixed: fillWords(line.assumingMemoryBound(to: UInt16.self), of: level)
    case .float: fillFloats(line.assumingMemoryBound(to: Float.self), of: level)
    }
  }

  // Lines of integers and lines of floats are filled by separate functions. If one function handled both
  // types, the compiler would copy the `PaddedLine` (the layout of a line) for each row, and retain its
  // arrays each time.

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
