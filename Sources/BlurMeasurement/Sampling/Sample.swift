import Blur
import BlurRecords
import BlurText

/// The measured time of one repetition.
public struct Sample: Equatable, Sendable {
  /// The number of iterations in the repetition.
  public var iterations: Int
  /// The wall time per iteration in nanoseconds.
  public var realTime: Double
  /// The CPU time of all threads per iteration in nanoseconds.
  public var cpuTime: Double
  /// The times of the individual frames, for blurs that run once per frame of a screen.
  public var frames = FrameFigures()
  /// The disturbances during the sample, or nil if they were not recorded.
  public var disturbance: Disturbance?
}

/// The times of iterations that were timed one by one.
public struct IterationTimes {
  /// The wall time of each iteration in nanoseconds.
  public private(set) var times: [Double] = []
  /// For each iteration, the time in nanoseconds from the moment it was due to the moment it ended.
  private var delays: [Double] = []
  /// The total CPU time of all threads over all iterations, in nanoseconds.
  private var cpuTime = 0.0

  /// Adds the times of one more iteration. All arguments are in seconds.
  mutating func add(time: Double, delay: Double, cpuTime: Double) {
    times.append(time * 1e9)
    delays.append(delay * 1e9)
    self.cpuTime += cpuTime * 1e9
  }

  /// Combines the iterations into one sample. The sample's wall time is the median of the iterations' wall
  /// times.
  ///
  /// - Parameter hasFrames: Whether each iteration belonged to a frame of a screen. The sample then also
  ///   contains the times from the beginning of each frame to the end of its iteration.
  func sample(hasFrames: Bool) -> Sample {
    var sample = Sample(
      iterations: times.count, realTime: Statistics.median(times) ?? 0,
      cpuTime: cpuTime / Double(times.count))
    guard hasFrames else { return sample }
    sample.frames = FrameFigures(times: delays)
    sample.frames.jitter = sample.frames.p99.flatMap { p99 in sample.frames.p50.map { p99 - $0 } }
    return sample
  }
}

extension Record {
  /// Returns a copy of this record that also contains the results of one repetition. The times come from
  /// `sample`.
  func with(
    _ sample: Sample, repetition: Int, _ layout: ImageLayout, _ baseline: MemcpyBaseline?
  ) -> Record {
    var record = self
    let seconds = sample.realTime / 1e9
    record.repetition = repetition
    record.iterations = sample.iterations
    record.disturbance = sample.disturbance ?? Disturbance()
    record.realTime = sample.realTime.finite
    record.cpuTime = sample.cpuTime.finite
    record.bytesPerSecond = (Double(2 * layout.rowBytes * layout.height) / seconds).finite
    record.itemsPerSecond = (Double(layout.pixelCount) / seconds).finite
    record.megapixelsPerSecond = record.itemsPerSecond.map { $0 / 1e6 }
    record.frames = sample.frames
    baseline?.measure(&record)
    record.ceilingShare = baseline.flatMap { ($0.fastest / sample.realTime).finite }
    return record
  }
}
