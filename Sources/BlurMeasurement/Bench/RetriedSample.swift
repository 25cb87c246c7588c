import BlurRecords

/// Samples during which no other program had the core.
public enum RetriedSample {
  /// How often a sample is taken at most, while the system gives the core to another program.
  private static let attempts = 5

  /// Wall time of an iteration in nanoseconds, the mean of `iterations`, after some that are not timed:
  /// another process may have had the caches.
  ///
  /// Of several attempts the one that others interrupted least counts, whatever its time. What threads of
  /// this process do to each other is no reason for another attempt: see ``SystemClocks/OutsideLoad``.
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

  /// The time of the attempt that others interrupted least, and what they took.
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
    guard let best else { throw .failed("no sample was taken") }
    return best
  }
}

/// A time with what disturbed it.
public struct BenchSample: Codable, Sendable {
  /// Wall time of an iteration, the mean of `iterations`.
  public var nanoseconds: Double
  /// What disturbed the sample and the attempts at it; nil from a build that does not say.
  public var disturbance: Disturbance?

  /// Makes a sample.
  public init(nanoseconds: Double, disturbance: Disturbance? = nil) {
    (self.nanoseconds, self.disturbance) = (nanoseconds, disturbance)
  }
}
