import BlurRecords
import GoogleBenchmarkShim
import Synchronization

/// A stopwatch that uses Google Benchmark. It measures wall time and the CPU time of the process, interleaves
/// the tasks at random, and keeps every repetition.
public struct GoogleBenchmark: Stopwatch {
  /// The lock that allows only one run at a time. It is necessary because Google Benchmark has a single
  /// global list of benchmarks.
  private static let registry = Mutex(())
  private static let start = ContinuousClock.now

  public let disturbances: DisturbanceWatch?

  /// Creates a stopwatch.
  ///
  /// - Parameter watch: Reports for each sample how other programs disturbed it. By default, disturbances are
  ///   not recorded.
  public init(watch: DisturbanceWatch? = nil) { disturbances = watch }

  public var now: Double { (ContinuousClock.now - Self.start) / .seconds(1) }

  public func time(
    _ tasks: [TimedTask], _ settings: TimingSettings
  ) throws(MeasurementError) -> [Sample] {
    try time(
      tasks,
      gbs_settings(
        repetitions: Int32(settings.repetitions), min_time: settings.minTime, warm_up: settings.warmUp,
        iterations: 0))
  }

  /// Returns the mean wall time of `iterations` iterations, in nanoseconds.
  func time(_ task: TimedTask, iterations: Int) throws(MeasurementError) -> Double {
    let settings = gbs_settings(repetitions: 1, min_time: 0, warm_up: 0, iterations: Int64(iterations))
    let samples = try time([task], settings)
    if let failure = samples[0].failure { throw .failed(failure) }
    return samples[0].realTime
  }

  private func time(_ tasks: [TimedTask], _ settings: gbs_settings) throws(MeasurementError) -> [Sample] {
    guard !tasks.isEmpty else { return [] }
    let calls = tasks.map { Call($0, self.disturbances) }
    let samples = Samples()
    Self.registry.withLock { _ in
      for (task, call) in zip(tasks, calls) { Self.register(task.name, call, settings) }
      gbs_run_all(true, Samples.receive, Unmanaged.passUnretained(samples).toOpaque())
    }
    let disturbances = Dictionary(
      zip(tasks, calls).map { ($0.name, Array($1.disturbances.suffix(Int(settings.repetitions)))) },
      uniquingKeysWith: { first, _ in first })
    let expected = tasks.count * Int(settings.repetitions)
    guard samples.all.count == expected else {
      throw .failed("Google Benchmark reported \(samples.all.count) of \(expected) repetitions")
    }
    return samples.all.sorted { $0.repetition < $1.repetition }.map { sample in
      var sample = sample
      let all = disturbances[sample.name] ?? []
      if all.indices.contains(sample.repetition) { sample.disturbance = all[sample.repetition] }
      return sample
    }
  }

  private static func register(_ name: String, _ call: Call, _ settings: gbs_settings) {
    // SAFETY: the context is `call`, which the caller keeps alive until the run has ended.
    gbs_register(
      name, { $0.map { Unmanaged<Call>.fromOpaque($0).takeUnretainedValue().task.iterate() } },
      { isEnd, context in
        context.map { Unmanaged<Call>.fromOpaque($0).takeUnretainedValue().reachBoundary(isEnd: isEnd) }
      },
      Unmanaged.passUnretained(call).toOpaque(), settings)
  }
}

/// An object that holds a task and a list of what disturbed each run of the task. The C code that calls
/// Google Benchmark gets a pointer to this object.
private final class Call {
  let task: TimedTask
  private(set) var disturbances: [Disturbance] = []
  private let watch: DisturbanceWatch?
  private var beginning: DisturbanceWatch.Beginning?

  init(_ task: TimedTask, _ watch: DisturbanceWatch?) { (self.task, self.watch) = (task, watch) }

  func reachBoundary(isEnd: Bool) {
    if isEnd, let watch, let beginning {
      disturbances.append(watch.end(beginning, threads: task.threads))
    }
    beginning = isEnd ? nil : watch?.begin(threads: task.threads)
  }
}

/// The samples that the C++ code has reported so far.
private final class Samples {
  var all: [Sample] = []

  static let receive: gbs_report = { run, context in
    guard let run = run?.pointee, let context else { return }
    let sample = Sample(
      name: String(cString: run.name), repetition: Int(run.repetition_index), iterations: Int(run.iterations),
      realTime: run.real_time, cpuTime: run.cpu_time,
      failure: run.error_occurred ? String(cString: run.error_message) : nil)
    // SAFETY: the context is the object that was passed to `gbs_run_all`, and that call keeps it alive.
    Unmanaged<Samples>.fromOpaque(context).takeUnretainedValue().all.append(sample)
  }
}
