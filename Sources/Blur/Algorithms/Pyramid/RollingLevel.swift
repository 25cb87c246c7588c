import BlurLoopTable

/// The smallest level of an image pyramid, which is the smallest version of the image. Each of its rows is
/// computed only when upsampling needs it. Two ring buffers keep only the last few rows: one holds rows that
/// are not blurred yet, and the other holds blurred rows. These few rows stay in the cache, whereas the whole
/// level would not fit in it.
struct RollingLevel {
  private let plan: PyramidPlan
  private let buffers: PhaseContext
  private let downsampling: Downsampling
  /// A pointer to the index of the next row of the smallest level to blur. All rows before it that are needed
  /// have already been blurred.
  private let next: UnsafeMutablePointer<Int>

  /// The number of rows of the smallest level that are blurred together.
  private static let rowsAtOnce = 2 * FilterLoops.rowsPerBlock
  /// The maximum number of blurred rows of the smallest level that upsampling needs at the same time.
  private static let upsampledRows = 6

  /// Prepares to compute rows of the smallest level of a pyramid.
  ///
  /// - Parameters:
  ///   - next: A pointer to the index of the first row that is not blurred yet. ``make(to:)`` increases this
  ///     index.
  ///   - buffers: The memory for one call of the plan, with at least ``scratchBytes(_:)`` bytes of scratch
  ///     memory.
  init(_ plan: PyramidPlan, next: UnsafeMutablePointer<Int>, _ buffers: PhaseContext) {
    self.plan = plan
    self.next = next
    next.pointee = max(next.pointee, plan.coarsest.blurred.rows.lowerBound)
    downsampling = Downsampling(
      plan, from: plan.coarsest.stored.rows.nearest(to: next.pointee - plan.coarsest.radius), buffers)
    // SAFETY: the scratch memory has at least `scratchBytes` bytes. This is enough for downsampling, which
    // uses the first bytes, and for the blur filter, which uses the bytes after them.
    self.buffers = buffers.with(
      shared: buffers.shared, scratch: buffers.scratch + Downsampling.scratchBytes(plan))
  }

  /// Returns the number of bytes of scratch memory for downsampling and blurring rows. It is rounded up to
  /// whole cache lines, because the rows of the smallest level are stored directly after this memory.
  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    AlignedBuffer.roundedUp(Downsampling.scratchBytes(plan) + plan.window.scratchBytes)
  }

  /// Returns how many rows of the smallest level must be kept in memory. `before` is the number of rows that
  /// are not blurred yet, and `after` is the number of blurred rows. `radius` is the number of rows that the
  /// blur reads above and below each output row.
  static func kept(radius: Int) -> (before: Int, after: Int) {
    // Rows are downsampled in pairs, so there can be one more row that is not blurred yet.
    (2 * radius + rowsAtOnce + 1, upsampledRows + rowsAtOnce)
  }

  /// Computes and blurs the rows of the smallest level up to and including row `last`, except those that
  /// already exist. Rows are computed in groups, so a few rows after `last` may be computed too.
  func make(to last: Int) {
    let (stored, blurred) = (plan.coarsest.stored.rows, plan.coarsest.blurred.rows)
    let last = min(last, blurred.upperBound - 1)
    while next.pointee <= last {
      let rows = next.pointee..<min(next.pointee + Self.rowsAtOnce, blurred.upperBound)
      downsampling.run(to: stored.nearest(to: rows.upperBound - 1 + plan.coarsest.radius))
      plan.filter(rows, buffers)
      next.pointee = rows.upperBound
    }
  }
}
