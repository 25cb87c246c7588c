import BlurLoopTable

/// Computes the coarsest level of an image pyramid, which is its smallest version of the image, row by row. A
/// row is computed only when upsampling needs it. Two buffers keep only the last few rows: one holds rows
/// that are not blurred yet, and the other holds blurred rows. These rows stay in the cache, while the whole
/// level would not fit.
struct RollingLevel {
  private let plan: PyramidPlan
  private let buffers: PhaseContext
  private let downsampling: Downsampling
  /// The address of a row number: the next row of the blurred coarsest level that must be computed.
  private let next: UnsafeMutablePointer<Int>

  /// The number of rows of the coarsest level that are blurred together.
  private static let rowsAtOnce = 2 * FilterLoops.rowsPerBlock
  /// The largest number of blurred rows of the coarsest level that upsampling may need at a time.
  private static let upsampledRows = 6

  /// Prepares to compute rows of the coarsest level of a pyramid, which is the smallest version of the image.
  ///
  /// - Parameters:
  ///   - next: The address of a row number, which is the next blurred row to compute. The number increases
  ///     whenever rows have been computed.
  ///   - buffers: The memory for one call of the plan, with at least ``scratchBytes(_:)`` bytes of scratch
  ///     memory.
  init(_ plan: PyramidPlan, next: UnsafeMutablePointer<Int>, _ buffers: PhaseContext) {
    self.plan = plan
    self.next = next
    next.pointee = max(next.pointee, plan.coarsest.y.blurred.lowerBound)
    downsampling = Downsampling(
      plan, from: plan.coarsest.y.stored.nearest(to: next.pointee - plan.coarsest.radius), buffers)
    // SAFETY: the scratch memory has at least `scratchBytes` bytes. Downsampling uses its beginning. The
    // filter that blurs uses the bytes after that, and `scratchBytes` counts them too.
    self.buffers = buffers.with(
      shared: buffers.shared, scratch: buffers.scratch + Downsampling.scratchBytes(plan))
  }

  /// Returns the number of bytes of scratch memory for downsampling and blurring rows. It is rounded up to
  /// whole cache lines, because the rows of the coarsest level are stored directly after this memory.
  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    AlignedBuffer.roundedUp(Downsampling.scratchBytes(plan) + plan.window.scratchBytes)
  }

  /// Returns how many rows of the coarsest level are kept in memory. `before` is the number of rows that are
  /// not blurred yet. It depends on the radius of the blur, which reads `radius` rows above and below each
  /// output row. `after` is the number of rows that are already blurred.
  static func kept(radius: Int) -> (before: Int, after: Int) {
    (2 * radius + rowsAtOnce, upsampledRows + rowsAtOnce)
  }

  /// Computes all blurred rows of the coarsest level up to and including row `last`. Rows that have already
  /// been computed are skipped. Rows are computed in groups, so a few rows after `last` may be computed too.
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
