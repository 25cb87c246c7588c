/// The frame times in one repetition, and figures such as the percentiles of these times. A record holds
/// these figures in addition to its overall time.
///
/// Only interface scenes and blurs that run once per frame of a screen have such figures. Times are in
/// nanoseconds. A missing figure is nil.
public struct FrameFigures: Codable, Equatable, Sendable {
  /// The frame times in one repetition, in order, rounded to 0.1 microseconds.
  public var times: [Double] = []
  /// The percentiles of the frame times, and the longest frame time. If a blur runs once per frame, its time
  /// is counted from the moment when the frame was due.
  public var p50: Double?, p90: Double?, p99: Double?, longest: Double?
  /// The difference between the 99th percentile and the median of the frame times, in nanoseconds. Only blurs
  /// that run once per frame of a screen have this value.
  public var jitter: Double?
  /// The time in nanoseconds from the start of planning to the end of the first frame.
  public var first: Double?
  /// The 99th percentile of the frame times, divided by the duration of a frame at 60 Hz and at 120 Hz. If a
  /// value is above 1, more than one frame in a hundred is too slow for a screen with this frame rate.
  public var share60: Double?, share120: Double?
  /// The number of frames that are too slow for a 60 Hz screen, and the number that are too slow for a 120 Hz
  /// screen.
  public var over60: Int?, over120: Int?
  /// The total number of bytes that were allocated during all frames except the first one.
  public var allocatedBytes: Int?
  /// The number of bytes that the scene keeps allocated for its images, plans and scratch memory.
  public var heldBytes: Int?
  /// A measure of flicker, in levels. From one frame to the next, a pixel changes by some amount in the
  /// measured scene, and by some amount in the exact reference. The flicker is the largest difference between
  /// these two amounts.
  public var flickerLevels: Double?
  /// The largest change of any pixel of the blurred backdrop from one frame to the next, in levels. A large
  /// change is visible as a flash.
  public var jumpLevels: Double?
  /// The change of the exact reference, in levels, between the two frames in which ``jumpLevels`` was found.
  /// If this value is as large as ``jumpLevels``, the sudden change is part of the scene and not an error of
  /// the blur.
  public var truthJumpLevels: Double?
  /// The error of a stored blur that is outdated, in levels. Some scenes blur an image once, store it, and
  /// show it again in later frames. This value is the largest difference between the stored image and a new
  /// blur of the current frame. It is nil for scenes that store no blurred image.
  public var staleLevels: Double?

  /// Creates empty figures, for a record without timed frames.
  public init() {}

  /// Computes the percentiles and the figures that depend only on the frame times, which are in nanoseconds.
  public init(times: [Double]) {
    guard let longest = times.max() else { return }
    self.times = times.map { ($0 / 100).rounded() * 100 }
    let sorted = times.sorted()
    // Percentiles are computed by the nearest-rank method. The result is always the time of an actual frame:
    // the shortest time such that at least the given percentage of frames took no longer.
    let percentile = { (percent: Int) in sorted[(sorted.count * percent + 99) / 100 - 1] }
    let p99 = percentile(99)
    (p50, p90, self.p99) = (percentile(50), percentile(90), p99)
    self.longest = longest
    share60 = p99 / Self.budget(60)
    share120 = p99 / Self.budget(120)
    over60 = times.count { $0 > Self.budget(60) }
    over120 = times.count { $0 > Self.budget(120) }
  }

  /// Returns the duration of one frame, in nanoseconds, at the given number of frames per second.
  public static func budget(_ rate: Double) -> Double { 1e9 / rate }
}
