import Blur
import BlurRecords

/// Takes times on a target by its own clock: how long images travel does not count.
public struct TargetStopwatch: Stopwatch {
  private let clock: () -> UInt64
  private let here = GoogleBenchmark()

  public let copy: Kernel
  public var isHere: Bool { false }
  public var now: Double { here.now }
  public var probe: Double { .nan }

  /// - Parameters:
  ///   - kernel: any of the target: with sigma 0, all copy.
  ///   - clock: nanoseconds that blurs took there so far.
  public init(_ kernel: Kernel, clock: @escaping () -> UInt64) {
    self.clock = clock
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

  /// Blurs until the target has worked for some seconds, or the way there took many times as long.
  private func sample(_ task: TimedTask, _ repetition: Int, seconds: Double) -> Sample {
    let (begin, start) = (clock(), now)
    var iterations = 0
    repeat {
      task.iterate()
      iterations += 1
    } while Double(clock() - begin) < seconds * 1e9 && now - start < 20 * seconds
    let time = Double(clock() - begin) / Double(iterations)
    return Sample(
      name: task.name, repetition: repetition, iterations: iterations, realTime: time, cpuTime: time,
      failure: time > 0 ? nil : "the target took no time")
  }
}
