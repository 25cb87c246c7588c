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
  private let line: UnsafeMutableRawPointer
  /// The ring of level 1; those of the others follow.
  private let rings: UnsafeMutableRawPointer

  /// More than there are levels, and rows that one step reads and asks for.
  private static let most = 32

  init(_ plan: PyramidPlan, _ buffers: BlurBuffers) {
    self.plan = plan
    self.buffers = buffers
    // SAFETY: `scratchBytes` reserves these one after the other.
    next = buffers.scratch.assumingMemoryBound(to: Int.self)
    addresses = (buffers.scratch + Self.most * 8).assumingMemoryBound(to: UnsafeRawPointer.self)
    line = buffers.scratch + Self.most * 16
    rings = line + Self.lineBytes(plan)
  }

  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    most * 16 + lineBytes(plan) + plan.storedRings[plan.levels.count] * plan.arithmetic.bytes
  }

  private static func lineBytes(_ plan: PyramidPlan) -> Int {
    PyramidLevel.stride(2 * plan.levels.reduce(0) { max($0, $1.oddHalf) }) * plan.arithmetic.bytes
  }

  /// Makes the coarsest level's rows `units`, counted from its first.
  func run(_ units: Range<Int>) {
    let count = plan.levels.count
    next[count] = plan.coarsest.y.stored.lowerBound + units.lowerBound
    for level in (1..<count).reversed() { next[level] = firstRow(of: level, for: next[level + 1]) }
    advance(count, to: plan.coarsest.y.stored.lowerBound + units.upperBound - 1)
  }

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
    let bytes = level == 1 ? plan.format.component.bytes : plan.arithmetic.bytes
    let skipped = (step.computedColumns.lowerBound - step.columns.stored.lowerBound) * step.channels * bytes
    let first = 2 * y - step.order / 2
    if level == 1 {
      plan.imageRows.put(first..<first + step.order + 3, of: buffers.source, skipping: skipped, in: addresses)
    } else {
      for i in 0..<step.order + 3 {
        let y = step.rows.stored.nearest(to: first + i)
        addresses[i] = UnsafeRawPointer(ringRow(y, of: level - 1) + skipped)
      }
    }
    let valueBytes = plan.arithmetic.bytes
    let line = line + step.lead * valueBytes
    plan.loops.downsampleVertical(
      (
        rows: UnsafePointer(addresses), bytes: bytes, channels: step.channels, order: step.order,
        line: line + step.firstComputed * valueBytes, odd: step.oddHalf, count: step.computed
      ))
    plan.fill(line, of: level - 1)
    plan.loops.downsampleHorizontal(
      (
        line: UnsafeRawPointer(line + step.firstDownsampled * valueBytes), odd: step.oddHalf,
        channels: step.channels,
        order: step.order,
        target: level == plan.levels.count ? plan.storedRow(y, buffers) : ringRow(y, of: level),
        count: step.nextColumns.stored.count * step.channels
      ))
  }

  private func ringRow(_ y: Int, of level: Int) -> UnsafeMutableRawPointer {
    let step = plan.levels[level]
    // SAFETY: each ring holds `ringRows` rows, a power of two.
    return rings
      + (plan.storedRings[level] + (y & (step.ringRows - 1)) * step.storedStride) * plan.arithmetic.bytes
  }
}

extension PyramidPlan {
  /// Continues a line of even and odd pixels beyond the ends of its level.
  fileprivate func fill(_ line: UnsafeMutableRawPointer, of level: Int) {
    let order = LineOrder.halves(odd: levels[level].oddHalf)
    switch arithmetic {
    case .fixed:
      lines[level].fill(line.assumingMemoryBound(to: UInt16.self), order, channels: format.channels) {
        UInt16(edge.constant($0, in: format)) << (format.component == .uint8 ? 8 : 0)
      }
    case .float:
      lines[level].fill(line.assumingMemoryBound(to: Float.self), order, channels: format.channels) {
        edge.constant($0, in: format)
      }
    }
  }
}
