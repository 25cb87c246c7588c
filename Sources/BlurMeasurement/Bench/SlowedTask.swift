import Foundation

extension TimedTask {
  /// Returns a task that does the same work but takes longer by a known fraction. Experiments use such a task
  /// to find out whether a comparison detects the slowdown.
  ///
  /// After each iteration, the calling thread spins until the extra time has passed. In this way any task can
  /// be slowed down, whatever it does and however many threads it uses. If the thread spins for long, helper
  /// threads fall asleep meanwhile, and the next iteration also needs the time to wake them.
  ///
  /// - Parameters:
  ///   - share: The slowdown as a fraction of the task's time.
  ///   - clock: Returns the seconds since a fixed moment. The time for reading the clock counts as part of
  ///     the extra time.
  func slowed(
    by share: Double, clock: @escaping () -> Double = { SystemClocks.seconds(CLOCK_MONOTONIC) }
  ) -> TimedTask {
    let reading = Self.reading(clock)
    return TimedTask(name: name, threads: threads, evict: evict) { [iterate] in
      let start = clock()
      iterate()
      let took = clock() - start - reading
      // The end is set 1.5 clock readings too early, because reading the clock takes time as well. On
      // average, the loop below notices half a reading too late that the end has passed. One more reading is
      // spent outside the interval from `start` to `end`: a part of the first reading before `start`, and a
      // part of the last reading after `end`.
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
