import BlurLoopTable

/// Makes rows of a pyramid's coarsest level when they are upsampled, and keeps the last few of them, before
/// and after the window: they stay in the cache, where a whole level would not.
struct RollingLevel {
  private let plan: PyramidPlan
  private let buffers: PhaseContext
  private let downsampling: Downsampling
  /// The next row after the window.
  private let next: UnsafeMutablePointer<Int>

  /// How many rows the window filters at once.
  private static let rowsAtOnce = 2 * FilterLoops.rowsPerBlock
  /// How many rows upsampling reads for one at most.
  private static let upsampledRows = 6

  /// - Parameters:
  ///   - next: the first row after the window that is made; counted on.
  ///   - buffers: with scratch of ``scratchBytes(_:)``.
  init(_ plan: PyramidPlan, next: UnsafeMutablePointer<Int>, _ buffers: PhaseContext) {
    self.plan = plan
    self.next = next
    next.pointee = max(next.pointee, plan.coarsest.y.blurred.lowerBound)
    downsampling = Downsampling(
      plan, from: plan.coarsest.y.stored.nearest(to: next.pointee - plan.coarsest.radius), buffers)
    // SAFETY: `scratchBytes` reserves what downsampling takes, and the window's scratch after it.
    self.buffers = buffers.with(
      shared: buffers.shared, scratch: buffers.scratch + Downsampling.scratchBytes(plan))
  }

  /// A multiple of a cache line, for the rows come after it.
  static func scratchBytes(_ plan: PyramidPlan) -> Int {
    AlignedBuffer.roundedUp(Downsampling.scratchBytes(plan) + plan.window.scratchBytes)
  }

  /// How many rows are kept before and after the window, where it reads `radius` above and below one.
  static func kept(radius: Int) -> (before: Int, after: Int) {
    (2 * radius + rowsAtOnce, upsampledRows + rowsAtOnce)
  }

  /// Makes the rows up to `last` that do not exist yet, and some more.
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
