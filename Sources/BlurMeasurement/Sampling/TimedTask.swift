import BlurRecords

/// A piece of work whose time is measured.
public struct TimedTask {
  /// The name of the task, for error messages.
  public let name: String
  /// The number of threads that work on an iteration.
  public let threads: Int
  /// Does what must happen before each iteration that is timed by itself, such as emptying the caches. The
  /// time of this call does not count.
  let prepare: () -> Void
  /// Runs the task once. This is the work that is timed.
  public let iterate: () -> Void

  /// Creates a task that is timed by calling `iterate` repeatedly.
  public init(
    name: String, threads: Int = 1, prepare: @escaping () -> Void = {}, iterate: @escaping () -> Void
  ) {
    self.name = name
    self.threads = threads
    self.prepare = prepare
    self.iterate = iterate
  }

  /// Creates a task for iterations at a certain pace. Only if the pace is `cold`, `evict` removes the data of
  /// an iteration from all CPU caches before each iteration.
  init(
    name: String, threads: Int = 1, at pace: Pace, evict: @escaping () -> Void,
    iterate: @escaping () -> Void
  ) {
    self.init(name: name, threads: threads, prepare: pace == .cold ? evict : {}, iterate: iterate)
  }
}
