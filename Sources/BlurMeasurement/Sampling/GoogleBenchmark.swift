import BlurRecords
import GoogleBenchmarkShim
import Synchronization

/// Access to the Google Benchmark library, which times many iterations of a task together, without a pause
/// between them.
enum GoogleBenchmark {
  /// The lock that allows only one run at a time. It is necessary because Google Benchmark has a single
  /// global list of benchmarks.
  private static let registry = Mutex(())

  /// Times `iterations` iterations of a task together. Returns the wall time per iteration and the CPU time
  /// of the whole process per iteration, in nanoseconds.
  static func time(
    _ task: TimedTask, _ iterations: Int
  ) throws(MeasurementError) -> (real: Double, cpu: Double) {
    let call = Call(task.iterate)
    var times = gbs_times()
    withExtendedLifetime(call) {
      Self.registry.withLock { _ in
        // SAFETY: the context is `call`, which stays alive until the run has ended.
        times = gbs_measure(
          { $0.map { Unmanaged<Call>.fromOpaque($0).takeUnretainedValue().iterate() } },
          Unmanaged.passUnretained(call).toOpaque(), Int64(iterations))
      }
    }
    guard Int(times.iterations) == iterations else {
      throw .failed("Google Benchmark reported no time for \(task.name)")
    }
    return (times.real_time, times.cpu_time)
  }

  /// An object that holds the closure to time. The C code that calls Google Benchmark gets a pointer to this
  /// object.
  private final class Call {
    let iterate: () -> Void
    init(_ iterate: @escaping () -> Void) { self.iterate = iterate }
  }
}
