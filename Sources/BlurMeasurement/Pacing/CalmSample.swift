/// Samples during which nobody else had the core.
enum CalmSample {
  /// How often a sample is taken again during which the system gave the core to somebody else.
  private static let mostAttempts = 5

  /// Wall time of an iteration in nanoseconds, the mean of so many, after some that are not timed: another process may
  /// have had the caches.
  ///
  /// Of several attempts the one that was interrupted least counts, whatever its time.
  static func nanoseconds(_ task: TimedTask, iterations: Int) throws(MeasurementError) -> Double {
    for _ in 0..<(iterations + 7) / 8 { task.iterate() }
    var best: (interruptions: Int, time: Double)?
    for _ in 0..<mostAttempts {
      let before = Interruptions.count
      let time = try GoogleBenchmark().time(task, iterations: iterations)
      let interruptions = Interruptions.count - before
      if interruptions < best?.interruptions ?? .max { best = (interruptions, time) }
      if interruptions == 0 { break }
    }
    return best!.time
  }
}
