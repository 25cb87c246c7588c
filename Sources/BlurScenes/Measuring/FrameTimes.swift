import BlurMeasurement
import BlurRecords

/// The times of all frames of a scene that was played once from beginning to end, in nanoseconds.
struct FrameTimes {
  private(set) var all: [Double] = []

  mutating func add(_ nanoseconds: Double) { all.append(nanoseconds) }

  /// The mean time of a frame, in nanoseconds.
  var mean: Double { all.reduce(0, +) / Double(max(1, all.count)) }

  /// Returns the frame times together with the figures that are computed from them, such as the percentiles
  /// and the longest time. A record stores all of these values.
  func figures() -> FrameFigures { FrameFigures(times: all) }
}
