import BlurMeasurement
import BlurRecords

/// The times of one pass through a scene, in nanoseconds.
struct FrameTimes {
  private(set) var all: [Double] = []

  mutating func add(_ nanoseconds: Double) { all.append(nanoseconds) }

  /// The mean.
  var mean: Double { all.reduce(0, +) / Double(max(1, all.count)) }

  /// What a record says of the pass.
  func figures() -> FrameFigures { FrameFigures(times: all) }
}
