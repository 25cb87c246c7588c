import Foundation

/// How long a worker has been at a step, in time and in time on a CPU: where other processes take the CPUs, a
/// slow kernel is not a hanging one. A step that waits takes no time on a CPU.
struct StepTime {
  private let worker: pid_t
  private let timeout: Double
  private let since = GoogleBenchmark().now
  private let computed: Double

  /// A step with this share of the time on a CPU waits for nothing but other processes.
  private static let alive = 0.01
  /// Times the timeout that a step gets at most, however busy the machine is.
  private static let patience = 10.0

  /// Begins a step.
  ///
  /// - Parameters:
  ///   - worker: the process; started.
  ///   - timeout: seconds that the step may take.
  init(of worker: Process, timeout: Double) {
    (self.worker, self.timeout) = (worker.processIdentifier, timeout)
    computed = Self.timeOnCPU(of: worker.processIdentifier) ?? 0
  }

  /// Whether the step takes longer than the timeout allows.
  var isOver: Bool {
    let time = GoogleBenchmark().now - since
    guard time <= Self.patience * timeout else { return true }
    // A worker that has ended is not stuck.
    guard time > timeout, let all = Self.timeOnCPU(of: worker) else { return false }
    let used = all - computed
    return used >= 0.9 * timeout || used < Self.alive * time
  }

  /// Seconds that all threads of a process have run; nil where it has ended.
  private static func timeOnCPU(of process: pid_t) -> Double? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
