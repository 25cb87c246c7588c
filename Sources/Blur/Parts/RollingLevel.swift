import BlurLoopTable

/// The coarsest level of a pyramid, if its rows are computed only when upsampling needs them. Only the last
/// few rows are kept, both before and after the blur window is applied. These rows stay in the cache, while
/// the whole level would not fit.
struct RollingLevel {
  private let plan: PyramidPlan
  private let buffers: PhaseContext
  private let downsampling: Downsampling
  /// The index of the row of the blurred level that is computed next.
  private let next: UnsafeMutablePointer<Int>

  /// The number of rows of the blurred level that are computed in one call of the blur window's filter.
  private static let rowsAtOnce = 2 * FilterLoops.rowsPerBlock
  /// The largest number of rows of the blurred level that upsampling may need to make one row.
  private static let upsampledRows = 6

  /// Prepares to compute rows of the coarsest level.
  ///
  /// - Parameters:
  ///   - next: The address of a row index, which is the next row of the blurred level to compute. The index
  ///     increases whenever rows have been computed.
  ///   - buffers: The memory for one call of the plan, with at least ``scratchBytes(_:)`` bytes of scratch
  ///     memory.
  init(_ plan: PyramidPlan, next: UnsafeMutablePointer<Int>, _ buffers: PhaseContext) {
    self.plan = plan
    self.next = next
    next.pointee = max(next.pointee, plan.coarsest.y.blurred.lowerBound)
    downsampling = Downsampling(
      plan, from: plan.coarsest.y.stored.nearest(to: next.pointee - plan.coarsest.radius), buffers)
    // SAFETY: `scratchBytes` reserves the scratch memory for downsampling, followed by the scratch memory of
    // the window filter.
    self.buffers = buffers.with(
      shared: buffers.shared, scratch: buffers.scratch + Downsampling.scratchBytes(plan))
  }

  /// Returns the number of scratch bytes for computing rows. It is rounded up to whole cache lines, because
  /// the rows of the coarsest level are stored directly after it.
  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    AlignedBuffer.roundedUp(Downsampling.scratchBytes(plan) + plan.window.scratchBytes)
  }

  /// Returns how many rows of the level are kept in memory. The window reads `radius` rows above and `radius`
  /// rows below each output row. `before` is the number of kept rows to which the window has not been applied
  /// yet, and `after` is the number of kept rows that are already blurred.
  static func kept(radius: Int) -> (before: Int, after: Int) {
    (2 * radius + rowsAtOnce, upsampledRows + rowsAtOnce)
  }

  /// Computes all rows of the blurred level up to and including row `last`, except those that already exist.
  /// It may also compute a few rows after `last`.
  func make(to last: Int) {
    let (y, radius) = (plan.coarsest.y, plan.coarsest.radius)
    let last = min(last, y.blurred.upperBound - 1)
    while next.pointee <= last {
      let rows = next.pointee..<min(next.pointee + Self.rowsAtOnce, y.blurred.upperBound)
      downsampling.run(to: y.stored.nearest(to: rows.upperBound - 1 + radius))
      plan.filter(rows, buffers)
      next.pointee = rows.upperBound
    }
  }
}
