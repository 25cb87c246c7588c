import BlurRecords

/// Samples during which no other program had the core.
public enum QuietSample {
  /// Wall time of an iteration in nanoseconds, the mean of so many, after some that are not timed: another process may
  /// have had the caches.
  ///
  /// Of several attempts the one that was interrupted least counts, whatever its time.
  ///
  /// - Parameter attempts: how often a sample is taken at most, while the system gives the core to another program.
  public static func nanoseconds(_ task: TimedTask, iterations: Int, attempts: Int = 5)
    throws(MeasurementError)
    -> Double
  {
    for _ in 0..<(iterations + 7) / 8 { task.iterate() }
    var best = (interruptions: Int.max, time: Double.infinity)
    for _ in 0..<attempts {
      let before = Interruptions.count
      let time = try GoogleBenchmark().time(task, iterations: iterations)
      let interruptions = Interruptions.count - before
      if interruptions < best.interruptions { best = (interruptions, time) }
      if interruptions == 0 { break }
    }
    return best.time
  }
}
