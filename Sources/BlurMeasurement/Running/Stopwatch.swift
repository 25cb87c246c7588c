import Blur
import BlurRecords
import Foundation

/// Something to time.
public struct TimedTask {
  /// The name under which its samples come back.
  public let name: String
  /// How many threads work on an iteration.
  public let threads: Int
  /// One iteration.
  public let iterate: () -> Void
  /// Drops what an iteration reads and writes from all caches.
  let evict: () -> Void

  /// Makes a task.
  public init(
    name: String, threads: Int = 1, evict: @escaping () -> Void = {}, iterate: @escaping () -> Void
  ) {
    self.name = name
    self.threads = threads
    self.evict = evict
    self.iterate = iterate
  }
}

/// One repetition's time.
public struct Sample: Equatable, Sendable {
  /// The name of the task.
  public var name: String
  /// Which repetition, from 0.
  public var repetition: Int
  /// How many iterations it had.
  public var iterations: Int
  /// Wall time in nanoseconds per iteration.
  public var realTime: Double
  /// CPU time of all threads in nanoseconds per iteration.
  public var cpuTime: Double
  /// The times of frames, where there was one blur for each.
  public var frames = FrameFigures()
  /// Why there is no time, if so.
  public var failure: String?
  /// What disturbed it, where that was watched.
  public var disturbance: Disturbance?

  /// Makes a sample.
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

/// What takes the time: Google Benchmark, or a test's simulated clock.
public protocol Stopwatch {
  /// Seconds since some moment, for plans and progress.
  var now: Double { get }
  /// What notices that the process stood still: measurements from that time are discarded.
  var heartbeat: SuspendDetector { get }
  /// What says of samples what disturbed them; nil where nothing does.
  var disturbances: DisturbanceWatch? { get }
  /// Sleeps until `now` is that moment, or until a little later.
  func wait(until moment: Double)
  /// Nanoseconds of a loop that always does the same, see ``CoreProbe/meanTime``.
  var probe: Double { get }
  /// Whether kernels run on this machine, so that what they consume can be read here.
  var isHere: Bool { get }
  /// Whether caches can be emptied, as cold blurs need it.
  var canEvict: Bool { get }
  /// The plain copy that runs where kernels do.
  var copy: Kernel { get }
  /// Times all tasks, interleaved.
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
