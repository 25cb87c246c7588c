import BlurLoopTable

/// The first phase of a pyramid: downsamples the image to rows of the coarsest level.
///
/// Rows of a level are made one after the other, whenever the next level needs them, and kept in a ring: the
/// levels between the image and the coarsest exist a few rows at a time, in the cache.
struct Downsampling {
  private let plan: PyramidPlan
  private let buffers: BlurBuffers
  /// The next row of each level.
  private let next: UnsafeMutablePointer<Int>
  private let addresses: UnsafeMutablePointer<UnsafeRawPointer>
  /// Two lines.
  private let line: UnsafeMutableRawPointer
  /// The ring of level 1; those of the others follow.
  private let rings: UnsafeMutableRawPointer

  /// More than there are levels, and rows that one step reads and asks for.
  private static let most = 32

  /// - Parameter first: the first row of the coarsest level that is made.
  init(_ plan: PyramidPlan, from first: Int, _ buffers: BlurBuffers) {
    self.plan = plan
    self.buffers = buffers
    // SAFETY: `scratchBytes` reserves these one after the other.
    next = buffers.scratch.assumingMemoryBound(to: Int.self)
    addresses = (buffers.scratch + Self.most * 8).assumingMemoryBound(to: UnsafeRawPointer.self)
    line = buffers.scratch + Self.most * 16
    rings = line + 2 * Self.lineBytes(plan)
    let count = plan.levels.count
    next[count] = first
    for level in (1..<count).reversed() { next[level] = firstRow(of: level, for: next[level + 1]) }
  }

  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    AlignedBuffer.roundedUp(
      most * 16 + 2 * lineBytes(plan) + plan.levels[plan.levels.count - 1].storedRows.end)
  }

  private static func lineBytes(_ plan: PyramidPlan) -> Int {
    PyramidLevel.stride(plan.lines.reduce(0) { max($0, $1.stride) }) * plan.arithmetic.bytes
  }

  /// Makes the coarsest level's rows up to `last` that do not exist yet.
  func run(to last: Int) { advance(plan.levels.count, to: last) }

  /// The first and last rows of `level` that make row `y` of the next.
  private func firstRow(of level: Int, for y: Int) -> Int {
    let step = plan.levels[level]
    return step.rows.stored.nearest(to: 2 * y - step.order / 2)
  }

  private func lastRow(of level: Int, for y: Int) -> Int {
    let step = plan.levels[level]
    return step.rows.stored.nearest(to: 2 * y + step.order / 2)
  }

  /// Makes the rows of `level` up to `last` that do not exist yet.
  private func advance(_ level: Int, to last: Int) {
    while next[level] <= last {
      if level > 1 { advance(level - 1, to: lastRow(of: level - 1, for: next[level])) }
      make(next[level], of: level)
      next[level] += 1
    }
  }

  /// Makes row `y` of `level` from rows of the finer one.
  private func make(_ y: Int, of level: Int) {
    let step = plan.levels[level - 1]
    let first = 2 * y - step.order / 2
    if level == 1 {
      plan.imageRows.put(
        first..<first + step.order + 3, of: buffers.source, skipping: step.firstRead, in: addresses)
    } else {
      step.storedRows.put(first, step.order + 3, in: rings, skipping: step.firstRead, addresses)
    }
    let line = line + step.lead
    sum(step, into: line)
    if level == 1, plan.halvesEnds.y, dropEnds(around: 2 * y, step.order, step.firstRead) {
      // With the first and the last row of the image, and without: half of them is half-way.
      let other = line + Self.lineBytes(plan)
      sum(step, into: other)
      plan.average(line, other)
    }
    if level == 1, plan.halvesEnds.x { plan.halveEnds(of: line) }
    plan.fill(line, of: level - 1)
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

  /// Sums the addressed rows downwards into a line.
  @inline(__always)
  private func sum(_ step: PyramidLevel, into line: UnsafeMutableRawPointer) {
    plan.loops.downsampleVertical(
      (
        rows: UnsafePointer(addresses), bytes: step.readBytes, channels: step.channels, order: step.order,
        line: line + step.firstComputed, odd: step.odd, count: step.computed
      ))
  }

  /// Takes nothing instead of the image's first and last rows, of the rows around row `y`. False if there are
  /// none of them.
  private func dropEnds(around y: Int, _ order: Int, _ skipped: Int) -> Bool {
    var hasEnds = false
    for end in [0, plan.levels[0].rows.stored.upperBound - 1] where abs(end - y) <= order / 2 {
      addresses[end - y + order / 2] = plan.imageRows.row(at: -1, of: buffers.source) + skipped
      hasEnds = true
    }
    return hasEnds
  }
}

// MARK: Lines

extension PyramidPlan {
  /// Replaces a line of the image by its mean with another.
  fileprivate func average(_ line: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) {
    let step = levels[0]
    // SAFETY: both halves of both lines hold as many values, and have room for a vector more.
    let count = (step.computed + step.channels) / 2 + step.channels
    let first = step.firstComputed / arithmetic.bytes
    for half in [first, first + step.odd] {
      for i in half..<half + count {
        switch arithmetic {
        case .fixed:
          let values = line.assumingMemoryBound(to: UInt16.self)
          values[i] = Self.mean(values[i], other.assumingMemoryBound(to: UInt16.self)[i])
        case .float:
          let values = line.assumingMemoryBound(to: Float.self)
          values[i] = values[i] / 2 + other.assumingMemoryBound(to: Float.self)[i] / 2
        }
      }
    }
  }

  /// Rounded up, as the loops' averages are.
  private static func mean(_ a: UInt16, _ b: UInt16) -> UInt16 { UInt16((UInt32(a) + UInt32(b) + 1) / 2) }

  /// Halves the first and the last pixel of the image in a line, where it holds them.
  fileprivate func halveEnds(of line: UnsafeMutableRawPointer) {
    let (step, place) = (levels[0], lines[0])
    for end in [0, step.columns.stored.upperBound - 1] where place.columns.contains(end) {
      for c in 0..<step.channels {
        let i = place.index(of: end, c)
        switch arithmetic {
        case .fixed:
          let values = line.assumingMemoryBound(to: UInt16.self)
          values[i] = Self.mean(values[i], 0)
        case .float: line.assumingMemoryBound(to: Float.self)[i] /= 2
        }
      }
    }
  }

  /// Continues a line of even and odd pixels beyond the ends of its level.
  fileprivate func fill(_ line: UnsafeMutableRawPointer, of level: Int) {
    switch arithmetic {
    case .fixed:
      lines[level].fill(line.assumingMemoryBound(to: UInt16.self)) {
        UInt16(edge.constant($0, in: format)) << (format.component == .uint8 ? 8 : 0)
      }
    case .float:
      lines[level].fill(line.assumingMemoryBound(to: Float.self)) {
        edge.constant($0, in: format)
      }
    }
  }
}
