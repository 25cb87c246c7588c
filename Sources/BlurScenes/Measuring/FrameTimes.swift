import BlurMeasurement
import BlurRecords

/// The times of one pass through a scene, in nanoseconds.
struct FrameTimes {
  private(set) var all: [Double] = []

  mutating func add(_ nanoseconds: Double) { all.append(nanoseconds) }

  /// The mean.
  var mean: Double { all.reduce(0, +) / Double(max(1, all.count)) }

  /// What a record says of the pass.
  func figures() -> FrameFigures {
    var figures = FrameFigures()
    guard let longest = all.max() else { return figures }
    let sorted = all.sorted()
    // The time of a frame that was seen, which so many percent of the frames do not exceed: the nearest rank.
    let percentile = { (percent: Int) in sorted[(sorted.count * percent + 99) / 100 - 1] }
    let p99 = percentile(99)
    (figures.p50, figures.p90, figures.p99) = (percentile(50), percentile(90), p99)
    figures.longest = longest
    figures.share60 = p99 / FrameFigures.budget(60)
    figures.share120 = p99 / FrameFigures.budget(120)
    figures.over60 = all.count { $0 > FrameFigures.budget(60) }
    figures.over120 = all.count { $0 > FrameFigures.budget(120) }
    return figures
  }
}
