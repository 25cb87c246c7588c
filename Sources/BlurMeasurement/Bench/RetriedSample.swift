import BlurRecords

/// Takes samples and repeats a sample that other programs have disturbed.
public enum RetriedSample {
  /// The largest number of attempts at one sample.
  private static let attempts = 5

  /// Times `iterations` iterations of a task. Returns their mean wall time, and a report of how other
  /// programs disturbed the sample. A few iterations run first without being timed, because another process
  /// may have filled the caches with its own data.
  ///
  /// If other programs disturb the sample, it is taken again, up to five times in total. The result is the
  /// attempt with the fewest interruptions by other programs, even if another attempt was faster.
  /// Interruptions that threads of this process cause each other do not count (see
  /// ``SystemClocks/OutsideLoad``).
  public static func take(
    _ task: TimedTask, iterations: Int, watch: DisturbanceWatch
  ) throws(MeasurementError) -> BenchSample {
    for _ in 0..<(iterations + 7) / 8 { task.iterate() }
    let beginning = watch.begin(threads: task.threads)
    let (time, load) = try least(
      task, iterations: iterations, attempts: Self.attempts, from: beginning.clocks, watch.clocks)
    return BenchSample(
      nanoseconds: time, disturbance: watch.disturbance(load, beginning, threads: task.threads))
  }

  /// Takes up to `attempts` samples and chooses the one with the fewest interruptions by other programs.
  /// Returns its mean time in nanoseconds, and the load from other programs while it was taken.
  static func least(
    _ task: TimedTask, iterations: Int, attempts: Int, from start: SystemClocks,
    _ clocks: () -> SystemClocks
  ) throws(MeasurementError) -> (time: Double, load: SystemClocks.OutsideLoad) {
    var start = start
    var best: (time: Double, load: SystemClocks.OutsideLoad)?
    for _ in 0..<attempts {
      let time = try GoogleBenchmark().time(task, iterations: iterations)
      let now = clocks()
      let load = now.load(since: start)
      start = now
      if load.disturbances < best?.load.disturbances ?? .max { best = (time, load) }
      if load.disturbances == 0 { break }
    }
    guard let best else { throw .failed("internal error: no sample was taken") }
    return best
  }
}

/// A measured time, and a report of how other programs disturbed the measurement.
public struct BenchSample: Codable, Sendable {
  /// The mean wall time of an iteration in nanoseconds.
  public var nanoseconds: Double
  /// A report of how other programs disturbed the sample, or nil if nothing is known about disturbances.
  public var disturbance: Disturbance?

  /// Creates a sample.
  public init(nanoseconds: Double, disturbance: Disturbance? = nil) {
    (self.nanoseconds, self.disturbance) = (nanoseconds, disturbance)
  }
}
