import Blur
import BlurRecords
import Foundation

/// A piece of work whose time is measured.
public struct TimedTask {
  /// The name of the task. Every sample of the task has this name too.
  public let name: String
  /// The number of threads that work on an iteration.
  public let threads: Int
  /// Runs the task once. This is the work that is timed.
  public let iterate: () -> Void
  /// Removes the data that an iteration reads and writes from all CPU caches.
  let evict: () -> Void

  /// Creates a task that is timed by calling `iterate` repeatedly.
  public init(
    name: String, threads: Int = 1, evict: @escaping () -> Void = {}, iterate: @escaping () -> Void
  ) {
    self.name = name
    self.threads = threads
    self.evict = evict
    self.iterate = iterate
  }
}

/// The measured time of one repetition.
public struct Sample: Equatable, Sendable {
  /// The name of the task.
  public var name: String
  /// The index of the repetition, starting at 0.
  public var repetition: Int
  /// The number of iterations in the repetition.
  public var iterations: Int
  /// The wall time per iteration in nanoseconds.
  public var realTime: Double
  /// The CPU time of all threads per iteration in nanoseconds.
  public var cpuTime: Double
  /// The times of the single frames, for blurs that run once per frame of a screen.
  public var frames = FrameFigures()
  /// The reason why the sample has no time, or nil if the sample has a time.
  public var failure: String?
  /// What disturbed the sample, or nil if disturbances were not recorded.
  public var disturbance: Disturbance?

  /// Creates a sample.
  public init(
    name: String, repetition: Int, iterations: Int, realTime: Double, cpuTime: Double, failure: String? = nil
  ) {
    self.name = name
    self.repetition = repetition
    self.iterations = iterations
    self.realTime = realTime
    self.cpuTime = cpuTime
    self.failure = failure
  }
}

/// Something that measures times: Google Benchmark, the clock of a target, or a simulated clock in a test.
public protocol Stopwatch {
  /// The number of seconds since a fixed moment, for planning times and progress.
  var now: Double { get }
  /// Detects that the process was suspended, for example because the computer slept. Measurements that were
  /// interrupted in this way are discarded.
  var heartbeat: SuspendDetector { get }
  /// Reports how other programs disturbed each sample, or nil if disturbances are not recorded.
  var disturbances: DisturbanceWatch? { get }
  /// Sleeps until `now` has reached `moment`, or slightly longer.
  func wait(until moment: Double)
  /// The time in nanoseconds of a loop whose work never changes, see ``CoreProbe/meanTime``.
  var probe: Double { get }
  /// Whether the kernels run on this machine. If they do, their energy and cache misses can be read here.
  var isHere: Bool { get }
  /// Whether the stopwatch can empty the caches before a blur. This is necessary for timing cold blurs.
  var canEvict: Bool { get }
  /// The kernel that makes plain copies of images, for comparison with blurs. It runs on the same machine as
  /// the other kernels.
  var copy: Kernel { get }
  /// Times all tasks, interleaved, and returns the samples of all repetitions.
  func time(_ tasks: [TimedTask], _ settings: TimingSettings) throws(MeasurementError) -> [Sample]
}

extension Stopwatch {
  public var heartbeat: SuspendDetector { .shared }
  public var disturbances: DisturbanceWatch? { nil }
  public var isHere: Bool { true }
  public var canEvict: Bool { CacheEviction.isAvailable }
  public var copy: Kernel { MemcpyRuns.kernel }
  public func wait(until moment: Double) { Thread.sleep(forTimeInterval: max(0, moment - now)) }
  public var probe: Double { CoreProbe.meanTime }
}
