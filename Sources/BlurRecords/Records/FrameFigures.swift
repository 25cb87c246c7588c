/// What a record of frames, a scene's or those of blurs once a frame, says beside their mean time. Times are
/// in nanoseconds; missing values are nil.
public struct FrameFigures: Equatable, Sendable {
  /// The frames of one pass in order, to a tenth of a microsecond.
  public var times: [Double] = []
  /// Percentiles of the frames, and the longest. Of blurs once a frame: from the moment when the
  /// frame was due.
  public var p50: Double?, p90: Double?, p99: Double?, longest: Double?
  /// How far the 99th percentile is above the median, of blurs once a frame.
  public var jitter: Double?
  /// From planning to the end of the first frame.
  public var first: Double?
  /// The 99th percentile as a share of the time that a frame has at 60 and at 120 Hz.
  public var share60: Double?, share120: Double?
  /// How many frames took longer than they have.
  public var over60: Int?, over120: Int?
  /// Bytes asked for by all frames after the first.
  public var allocatedBytes: Int?
  /// Bytes that the scene holds: its pictures, plans and scratch.
  public var heldBytes: Int?
  /// How far a pixel's change from one frame to the next is from the truth's own change, in levels, at most.
  public var flickerLevels: Double?
  /// How far the backdrop changes from one frame to the next, in levels, at most: a flash, where it is much.
  public var jumpLevels: Double?
  /// How far the truth's backdrop changes between the same two frames.
  public var truthJumpLevels: Double?
  /// How far a snapshot is from what it stands for by now, in levels, at most.
  public var staleLevels: Double?

  /// No figures.
  public init() {}

  /// The figures of frames that took these times in nanoseconds.
  public init(times: [Double]) {
    guard let longest = times.max() else { return }
    self.times = times.map { ($0 / 100).rounded() * 100 }
    let sorted = times.sorted()
    // The time of a frame that was seen, which that percentage of the frames does not exceed: the nearest
    // rank.
    let percentile = { (percent: Int) in sorted[(sorted.count * percent + 99) / 100 - 1] }
    let p99 = percentile(99)
    (p50, p90, self.p99) = (percentile(50), percentile(90), p99)
    self.longest = longest
    share60 = p99 / Self.budget(60)
    share120 = p99 / Self.budget(120)
    over60 = times.count { $0 > Self.budget(60) }
    over120 = times.count { $0 > Self.budget(120) }
  }

  /// Nanoseconds that a frame has at that many frames a second.
  public static func budget(_ rate: Double) -> Double { 1e9 / rate }
}
