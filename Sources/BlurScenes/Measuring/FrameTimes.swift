import BlurMeasurement
import BlurRecords
import Foundation
import Histogram

/// The times of one pass through a scene, in nanoseconds.
struct FrameTimes {
  private(set) var all: [Double] = []
  /// Up to a minute, to three digits: HdrHistogram is made for tails of latencies.
  private var histogram = Histogram<UInt32>(
    highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)

  mutating func add(_ nanoseconds: Double) {
    all.append(nanoseconds)
    _ = histogram.record(UInt64(min(max(1, nanoseconds), 60e9)))
  }

  /// The mean.
  var mean: Double { all.reduce(0, +) / Double(max(1, all.count)) }

  /// What a record says of the pass.
  func figures() -> FrameFigures {
    var figures = FrameFigures()
    guard let longest = all.max() else { return figures }
    let percentile = { (share: Double) in min(Double(histogram.valueAtPercentile(share)), longest) }
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
