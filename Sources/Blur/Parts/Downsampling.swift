import BlurLoopTable

/// The first phase of a pyramid: downsamples the image to rows of the coarsest level.
///
/// Rows of a level are made two at a time, whenever the next level needs them, and kept in a ring: the levels
/// between the image and the coarsest exist a few rows at a time, in the cache.
struct Downsampling {
  private let plan: PyramidPlan
  private let buffers: PhaseContext
  /// The next row of each level.
  private let next: UnsafeMutablePointer<Int>
  private let addresses: UnsafeMutablePointer<UnsafeRawPointer>
  /// Two lines, and two more to take means with.
  private let lines: UnsafeMutableRawPointer
  private let lineBytes: Int
  /// The ring of level 1; those of the others follow.
  private let rings: UnsafeMutableRawPointer

  /// More than there are levels, and rows that one step reads and asks for.
  private static let most = 32

  /// - Parameter first: the first row of the coarsest level that is made.
  init(_ plan: PyramidPlan, from first: Int, _ buffers: PhaseContext) {
    self.plan = plan
    self.buffers = buffers
    // SAFETY: `scratchBytes` reserves these one after the other.
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

  /// Makes the coarsest level's rows up to `last` that do not exist yet.
  func run(to last: Int) { advance(plan.levels.count, to: last) }

  /// The first and last rows of `level` that make row `y` of the next.
  private func firstRow(of level: Int, for y: Int) -> Int {
    let step = plan.levels[level]
    return step.rows.stored.nearest(to: 2 * y - (step.order + 1) / 2)
  }

  private func lastRow(of level: Int, for y: Int) -> Int {
    let step = plan.levels[level]
    return step.rows.stored.nearest(to: 2 * y + step.order / 2)
  }

  /// Makes the rows of `level` up to `last` that do not exist yet.
  private func advance(_ level: Int, to last: Int) {
    // Of the coarsest level, those beyond `last` may be another thread's.
    let end = level == plan.levels.count ? last + 1 : plan.levels[level].rows.stored.upperBound
    while next[level] <= last {
      let count = min(2, end - next[level])
      if level > 1 { advance(level - 1, to: lastRow(of: level - 1, for: next[level] + count - 1)) }
      make(next[level], count, of: level)
      next[level] += count
    }
  }

  /// Makes row `y` of `level`, and the next if `count` is 2, from rows of the finer one.
  private func make(_ y: Int, _ count: Int, of level: Int) {
    let step = plan.levels[level - 1]
    let (first, lead) = (2 * y - (step.order + 1) / 2, step.firstRead)
    if level == 1 {
      plan.imageRows.put(first..<first + step.order + 7, of: buffers.source, skipping: lead, in: addresses)
    } else {
      step.storedRows.put(first, step.order + 7, in: rings, skipping: lead, addresses)
    }
    if count == 1 {
      // The second line is not used, and what it would read may not be there.
      addresses[step.order + 1] = addresses[step.order]
      addresses[step.order + 2] = addresses[step.order]
    }
    let line = lines + step.lead
    sum(step, into: line)
    if level == 1, plan.halved.rows, dropEnds(from: first) {
      // With the first and the last row of the image, and without: half of them is half-way.
      let other = line + 2 * lineBytes
      sum(step, into: other)
      plan.average(line, other)
      plan.average(line + lineBytes, other + lineBytes)
    }
    for i in 0..<count { continueEnds(of: line + i * lineBytes, level) }
    for i in 0..<count { downsample(line + i * lineBytes, step, to: y + i, of: level) }
  }

  /// Sums the addressed rows downwards into two lines.
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

  /// Downsamples a line across into row `y` of `level`.
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

  /// Takes nothing instead of the image's first and last rows, of the addressed rows from `first` on. False
  /// if there are none of them.
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

// MARK: Lines

extension PyramidPlan {
  /// Replaces a line of the image by its mean with another.
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
    // SAFETY: both halves of both lines hold as many values, and have room for a vector more.
    let count = (step.computed + step.channels) / 2 + step.channels
    let first = step.firstComputed / arithmetic.bytes
    for half in 0..<2 {
      let start = first + half * step.odd
      for i in start..<start + count { line[i] = mean(line[i], other[i]) }
    }
  }

  /// Rounded up, as the loops' averages are.
  @inline(__always)
  private static func mean(_ a: UInt16, _ b: UInt16) -> UInt16 {
    UInt16(truncatingIfNeeded: (UInt32(a) &+ UInt32(b) &+ 1) >> 1)
  }

  /// Halves the pixels at the ends of a line of the image that count half.
  fileprivate func halveEnds(of line: UnsafeMutableRawPointer) {
    // SAFETY: the line holds them.
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

  /// Continues a line of even and odd pixels beyond the ends of its level.
  fileprivate func fill(_ line: UnsafeMutableRawPointer, of level: Int) {
    switch arithmetic {
    case .fixed: fillWords(line.assumingMemoryBound(to: UInt16.self), of: level)
    case .float: fillFloats(line.assumingMemoryBound(to: Float.self), of: level)
    }
  }

  // Two functions: in one, the compiler copies the line, and retains its arrays for each row.

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
