import Blur
import BlurRecords

/// A stopwatch for kernels that run on another system, the target. It uses the target's clock, so the time
/// for sending images to the target does not count.
public struct TargetStopwatch: Stopwatch {
  private let time: (_ turns: Int, _ body: () -> Void) -> UInt64
  private let here = GoogleBenchmark()

  public let copy: Kernel
  public var isHere: Bool { false }
  public var now: Double { here.now }
  public var probe: Double { .nan }

  /// Creates a stopwatch for kernels that run on another system, the target.
  ///
  /// - Parameters:
  ///   - kernel: Any kernel of the target. It is used to make plain copies of images, because every kernel
  ///     copies its input if sigma is 0.
  ///   - time: Runs `body`, in which the target repeats each blur `turns` times, and returns the total time
  ///     in nanoseconds.
  public init(_ kernel: Kernel, time: @escaping (_ turns: Int, _ body: () -> Void) -> UInt64) {
    self.time = time
    copy = Kernel(name: Case.memcpy, summary: "a plain copy", promise: .exact()) {
      (problem) throws(BlurError) in
      var problem = problem
      problem.sigma = try Sigma(0)
      return try kernel.plan(problem)
    }
  }

  public func time(_ tasks: [TimedTask], _ settings: TimingSettings) throws(MeasurementError) -> [Sample] {
    for task in tasks { _ = sample(task, 0, seconds: settings.warmUp) }
    return (0..<settings.repetitions).flatMap { repetition in
      tasks.shuffled().map { sample($0, repetition, seconds: settings.minTime) }
    }
  }

  /// Takes one sample that lasts about `seconds` seconds. The number of blurs is computed from the time of
  /// two blurs.
  private func sample(_ task: TimedTask, _ repetition: Int, seconds: Double) -> Sample {
    let few = Double(max(1, time(2, task.iterate))) / 2
    let turns = Int(min(max(1, seconds * 1e9 / few), 1e6))
    let each = Double(time(turns, task.iterate)) / Double(turns)
    return Sample(
      name: task.name, repetition: repetition, iterations: turns, realTime: each, cpuTime: each,
      failure: each > 0 ? nil : "the clock of the target showed no elapsed time")
  }
}
