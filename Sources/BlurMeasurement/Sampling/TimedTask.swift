import BlurRecords
import Foundation

/// A piece of work whose time is measured.
public struct TimedTask {
  /// The name of the task, for error messages.
  public let name: String
  /// The number of threads that work on an iteration.
  public let threads: Int
  /// Prepares an iteration that is timed by itself, for example by emptying the caches. The time of this call
  /// does not count.
  let prepare: () -> Void
  /// Checks the result of the task after each sample. The argument is the time of the sample in seconds. The
  /// time of this call does not count.
  let inspect: (_ time: Double) -> Void
  /// Runs the task once. This is the work that is timed.
  public let iterate: () -> Void

  /// Creates a task that is timed by calling `iterate` repeatedly.
  public init(
    name: String, threads: Int = 1, prepare: @escaping () -> Void = {},
    inspect: @escaping (_ time: Double) -> Void = { _ in }, iterate: @escaping () -> Void
  ) {
    self.inspect = inspect
    self.name = name
    self.threads = threads
    self.prepare = prepare
    self.iterate = iterate
  }

  /// Creates a task whose iterations follow the given pace. If the pace requires empty caches, `evict` is
  /// called before each iteration. The closure must remove the data that an iteration uses from all CPU
  /// caches.
  init(
    name: String, threads: Int = 1, at pace: Pace, evict: @escaping () -> Void,
    inspect: @escaping (_ time: Double) -> Void = { _ in }, iterate: @escaping () -> Void
  ) {
    self.init(
      name: name, threads: threads, prepare: pace.emptiesCaches ? evict : {}, inspect: inspect,
      iterate: iterate)
  }
}

extension TimedTask {
  /// Returns a copy of this task that is slower by a known fraction. Experiments use such a task to find out
  /// whether a comparison detects the slowdown.
  ///
  /// After each iteration, the calling thread spins until the extra time has passed. Tasks that use several
  /// threads are slowed down too. However, if the calling thread spins for long, the helper threads of such a
  /// task fall asleep, and waking them makes the next iteration even slower.
  ///
  /// - Parameters:
  ///   - share: The slowdown as a fraction of the task's time.
  ///   - clock: Returns the seconds since a fixed moment. The time for reading the clock counts as part of
  ///     the extra time.
  func slowed(
    by share: Double, clock: @escaping () -> Double = { SystemClocks.seconds(CLOCK_MONOTONIC) }
  ) -> TimedTask {
    let reading = Self.reading(clock)
    return TimedTask(name: name, threads: threads, prepare: prepare, inspect: inspect) { [iterate] in
      let start = clock()
      iterate()
      let took = clock() - start - reading
      // The time for reading the clock must not add to the slowdown. A part of the first reading happens
      // before the moment `start`, and a part of the last reading happens after the moment `end`. Together,
      // these parts take about as long as one reading. In addition, the loop notices the end half a reading
      // late on average. The end is therefore set 1.5 readings early.
      let end = start + (1 + share) * took - 1.5 * reading
      while clock() < end {}
    }
  }

  /// Returns the time in seconds for reading the clock once, as the shortest of 100 measurements.
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
