/// What a record of a scene says beside the mean time of its frames. Times are in nanoseconds; missing values are nil.
public struct FrameFigures: Equatable, Sendable {
  /// Percentiles of the frames of one pass, and the longest.
  public var p50: Double?, p90: Double?, p99: Double?, longest: Double?
  /// From planning to the end of the first frame.
  public var first: Double?
  /// The 99th percentile as a share of the time that a frame has at 60 and at 120 Hz.
  public var share60: Double?, share120: Double?
  /// How many frames took longer than they have.
  public var over60: Int?, over120: Int?
  /// Bytes asked for by all frames after the first.
  public var allocatedBytes: Int?
  /// How far a pixel's change from one frame to the next is from the truth's own change, in levels, at most.
  public var flickerLevels: Double?
  /// How far a snapshot is from what it stands for by now, in levels, at most.
  public var staleLevels: Double?

  /// No figures.
  public init() {}

  /// Nanoseconds that a frame has at so many frames a second.
  public static func budget(_ rate: Double) -> Double { 1e9 / rate }
}
