import Foundation

extension TimedTask {
  /// The same task, slower by a share of its time: a slowdown of a known size, for experiments.
  ///
  /// Each iteration is followed by a wait, awake and on the calling thread, of that share of what it took. So
  /// anything can be slowed by any share, whatever it is made of and on however many threads. Helper threads
  /// fall asleep during a long wait, and waking them comes on top.
  ///
  /// - Parameter clock: seconds since some moment. What reading it costs counts towards the wait.
  func slowed(
    by share: Double, clock: @escaping () -> Double = { SystemClocks.seconds(CLOCK_MONOTONIC) }
  ) -> TimedTask {
    let reading = Self.reading(clock)
    return TimedTask(name: name, threads: threads, evict: evict) { [iterate] in
      let start = clock()
      iterate()
      let took = clock() - start - reading
      // The last reading is late by half of one on average; two more are made before the wait.
      let end = start + (1 + share) * took - 1.5 * reading
      while clock() < end {}
    }
  }

  /// Seconds from one reading of the clock to the next, the least of some.
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
