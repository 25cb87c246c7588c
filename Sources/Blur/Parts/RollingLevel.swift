import BlurLoopTable

/// The rows of a pyramid's coarsest level, which are made only when they are upsampled. The last few rows
/// before and after the window are kept. They stay in the cache, while a whole level would not.
struct RollingLevel {
  private let plan: PyramidPlan
  private let buffers: PhaseContext
  private let downsampling: Downsampling
  /// The index of the next row to make, after the window.
  private let next: UnsafeMutablePointer<Int>

  /// The number of rows to which the window is applied at once.
  private static let rowsAtOnce = 2 * FilterLoops.rowsPerBlock
  /// The largest number of rows that upsampling reads to make one row.
  private static let upsampledRows = 6

  /// Prepares to make rows of the coarsest level.
  ///
  /// - Parameters:
  ///   - next: The first row to make, after the window. The number is advanced as rows are made.
  ///   - buffers: The memory of the call, with at least ``scratchBytes(_:)`` bytes of scratch.
  init(_ plan: PyramidPlan, next: UnsafeMutablePointer<Int>, _ buffers: PhaseContext) {
    self.plan = plan
    self.next = next
    next.pointee = max(next.pointee, plan.coarsest.y.blurred.lowerBound)
    downsampling = Downsampling(
      plan, from: plan.coarsest.y.stored.nearest(to: next.pointee - plan.coarsest.radius), buffers)
    // SAFETY: `scratchBytes` reserves the scratch of downsampling, and the scratch of the window after it.
    self.buffers = buffers.with(
      shared: buffers.shared, scratch: buffers.scratch + Downsampling.scratchBytes(plan))
  }

  /// Returns the bytes of scratch, rounded up to whole cache lines because the rows of the level follow in
  /// memory.
  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    AlignedBuffer.roundedUp(Downsampling.scratchBytes(plan) + plan.window.scratchBytes)
  }

  /// Returns the number of rows to keep before and after the window, if the window reads `radius` rows above
  /// and below each row.
  static func kept(radius: Int) -> (before: Int, after: Int) {
    (2 * radius + rowsAtOnce, upsampledRows + rowsAtOnce)
  }

  /// Makes all rows up to `last` that do not exist yet, and possibly a few more.
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
