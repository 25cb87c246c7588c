import BlurRecords
import Foundation

extension Stopwatch {
  /// Times all tasks alternately. The pace says when each blur begins. If blurs follow each other directly
  /// (pace `warm`), many blurs are timed together. If the caches are emptied before each blur, or if each
  /// blur waits for the next frame, every blur is timed by itself.
  func time(
    _ tasks: [TimedTask], _ settings: TimingSettings, at pace: Pace
  ) throws(MeasurementError) -> [Sample] {
    guard pace != .warm else { return try time(tasks, settings) }
    var samples: [Sample] = []
    for repetition in 0..<settings.repetitions {
      for task in tasks.shuffled() {
        var sample = PacedSample(self, task, pace)
        samples.append(sample.taken(repetition, seconds: settings.minTime))
      }
    }
    return samples
  }
}

extension Stopwatch {
  /// Prepares the next blur and returns the moment at which it is due. Depending on the pace, this method
  /// empties the caches or waits for the next frame.
  ///
  /// - Parameter first: The moment at which the first frame was due.
  func begin(_ task: TimedTask, at pace: Pace, since first: Double) -> Double {
    if pace == .cold { task.evict() }
    guard let rate = pace.frameRate else { return now }
    // The next blur is due with the first frame that begins after this moment. If the previous blur took
    // longer than one frame, the frames that it missed are skipped.
    let due = first + (((now - first) * rate).rounded(.down) + 1) / rate
    wait(until: due)
    return due
  }
}

/// Takes one sample by timing each blur separately.
private struct PacedSample<Watch: Stopwatch> {
  private let watch: Watch
  private let task: TimedTask
  private let pace: Pace
  /// The time that each blur took (`times`), and the time from the moment when the blur was due until it was
  /// done (`delays`). Both are in nanoseconds.
  private var times: [Double] = [], delays: [Double] = []
  private var cpuTime = 0.0
  /// The moment at which the first frame was due.
  private let first: Double

  /// The smallest number of frames in a sample. Percentiles of fewer frames would be meaningless.
  private static var fewest: Int { 30 }

  init(_ watch: Watch, _ task: TimedTask, _ pace: Pace) {
    (self.watch, self.task, self.pace) = (watch, task, pace)
    first = watch.now
  }

  mutating func taken(_ repetition: Int, seconds: Double) -> Sample {
    // The first blur is not timed, because it touches new memory pages and starts threads.
    task.iterate()
    let beginning = watch.disturbances?.begin(threads: task.threads)
    while times.count < Self.fewest || watch.now - first < seconds { blur() }
    var sample = Sample(
      name: task.name, repetition: repetition, iterations: times.count,
      realTime: Statistics.median(times) ?? 0, cpuTime: cpuTime / Double(times.count))
    sample.disturbance = beginning.flatMap { watch.disturbances?.end($0, threads: task.threads) }
    if pace.frameRate != nil {
      sample.frames = FrameFigures(times: delays)
      sample.frames.jitter = sample.frames.p99.flatMap { p99 in sample.frames.p50.map { p99 - $0 } }
    }
    return sample
  }

  private mutating func blur() {
    let due = watch.begin(task, at: pace, since: first)
    let (start, cpuStart) = (watch.now, SystemClocks.seconds(CLOCK_PROCESS_CPUTIME_ID))
    task.iterate()
    let end = watch.now
    cpuTime += (SystemClocks.seconds(CLOCK_PROCESS_CPUTIME_ID) - cpuStart) * 1e9
    times.append((end - start) * 1e9)
    delays.append((end - due) * 1e9)
  }
}
