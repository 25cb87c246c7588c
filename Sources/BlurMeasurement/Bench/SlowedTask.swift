import Foundation

extension TimedTask {
  /// Returns a task that does the same work but is slower by a known fraction of its time, for experiments.
  ///
  /// After each iteration, the calling thread spins for that fraction of the iteration's time. In this way
  /// any task can be slowed down by any fraction, whatever it does and however many threads it uses. If the
  /// wait is long, helper threads fall asleep, and the time to wake them comes on top.
  ///
  /// - Parameters:
  ///   - share: The slowdown as a fraction of the task's time.
  ///   - clock: Returns the seconds since a fixed moment. The time for reading the clock counts as part of
  ///     the wait.
  func slowed(
    by share: Double, clock: @escaping () -> Double = { SystemClocks.seconds(CLOCK_MONOTONIC) }
  ) -> TimedTask {
    let reading = Self.reading(clock)
    return TimedTask(name: name, threads: threads, evict: evict) { [iterate] in
      let start = clock()
      iterate()
      let took = clock() - start - reading
      // The wait is 1.5 clock readings shorter for two reasons. The loop below ends half a reading late on
      // average. In addition, a part of the first reading lies before `start` and a part of the last reading
      // lies after `end`, and these two parts together make one reading.
      let end = start + (1 + share) * took - 1.5 * reading
      while clock() < end {}
    }
  }

  /// Returns the shortest time in seconds between two successive readings of the clock, out of 100.
  private static func reading(_ clock: () -> Double) -> Double {
    var least = Double.infinity
    var last = clock()
    for _ in 0..<100 {
      let now = clock()
      (least, last) = (min(least, now - last), now)
    }
    return least
  }
}
