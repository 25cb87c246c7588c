/// The times of the frames in one repetition, and figures such as the percentiles of these times. A record
/// holds these figures in addition to its overall time.
///
/// Only interface scenes and blurs that run once per frame of a screen have such figures. Times are in
/// nanoseconds. A missing figure is nil.
public struct FrameFigures: Codable, Equatable, Sendable {
  /// The times of the frames in one repetition, in order, rounded to 0.1 microseconds.
  public var times: [Double] = []
  /// The percentiles of the frame times, and the longest time. The time of a blur that runs once per frame is
  /// counted from the moment when the frame was due.
  public var p50: Double?, p90: Double?, p99: Double?, longest: Double?
  /// The difference between the 99th percentile and the median of the frame times, in nanoseconds. Only blurs
  /// that run once per frame of a screen have this value.
  public var jitter: Double?
  /// The time in nanoseconds from the start of planning to the end of the first frame.
  public var first: Double?
  /// The 99th percentile of the frame times, divided by the duration of a frame at 60 Hz and at 120 Hz. A
  /// value above 1 means that more than one frame in a hundred is too slow for a screen with this rate.
  public var share60: Double?, share120: Double?
  /// The number of frames that are too slow for a screen with 60 Hz, and the number of frames that are too
  /// slow for 120 Hz.
  public var over60: Int?, over120: Int?
  /// The total number of bytes that were allocated during all frames except the first one.
  public var allocatedBytes: Int?
  /// The number of bytes that the scene keeps allocated for its images, plans and scratch memory.
  public var heldBytes: Int?
  /// A measure of flicker, in levels: the largest difference between the change of a pixel from one frame to
  /// the next in the measured scene and the change of the same pixel in the exact reference.
  public var flickerLevels: Double?
  /// The largest change of the blurred backdrop from one frame to the next, in levels. A large change is
  /// visible as a flash.
  public var jumpLevels: Double?
  /// The change of the backdrop in the exact reference, in levels, between the two frames in which
  /// ``jumpLevels`` was found. If it is as large as ``jumpLevels``, the sudden change is part of the scene
  /// and not an error of the blur.
  public var truthJumpLevels: Double?
  /// The largest difference, in levels, between a blurred image that the scene has stored and shows again,
  /// and a new blur of the current frame. Only scenes that store blurred images have this value.
  public var staleLevels: Double?

  /// Creates the figures of a record for which no frames were timed.
  public init() {}

  /// Computes the percentiles and the other figures from the times of the frames, in nanoseconds.
  public init(times: [Double]) {
    guard let longest = times.max() else { return }
    self.times = times.map { ($0 / 100).rounded() * 100 }
    let sorted = times.sorted()
    // Percentiles are computed by the nearest-rank method: the result is the time of an actual frame, namely
    // the smallest time that the given percentage of frames does not exceed.
    let percentile = { (percent: Int) in sorted[(sorted.count * percent + 99) / 100 - 1] }
    let p99 = percentile(99)
    (p50, p90, self.p99) = (percentile(50), percentile(90), p99)
    self.longest = longest
    share60 = p99 / Self.budget(60)
    share120 = p99 / Self.budget(120)
    over60 = times.count { $0 > Self.budget(60) }
    over120 = times.count { $0 > Self.budget(120) }
  }

  /// Returns the duration of a frame in nanoseconds at the given number of frames per second.
  public static func budget(_ rate: Double) -> Double { 1e9 / rate }
}
