import Foundation

/// Measures how long a server has been busy with a step, such as planning or one blur, in wall time and in
/// CPU time. Wall time alone would not suffice: if other processes occupy the CPUs, a step may take long
/// although the kernel does not hang. A step that waits for something else uses no CPU time.
struct StepTime {
  private let process: pid_t
  private let timeout: Double
  private let start = ContinuousClock.now
  private let computed: Double

  /// The smallest fraction of the wall time that a step must spend on a CPU. A step that spends less is
  /// waiting for something other than a free CPU, so it counts as hanging after the timeout.
  private static let alive = 0.01
  /// The largest multiple of the timeout that a step may take, however busy the machine is.
  private static let patience = 10.0

  /// Starts to measure a step.
  ///
  /// - Parameters:
  ///   - process: The process that runs the step.
  ///   - timeout: The number of seconds that the step may take.
  init(of process: pid_t, timeout: Double) {
    (self.process, self.timeout) = (process, timeout)
    computed = Self.timeOnCPU(of: process) ?? 0
  }

  /// Whether the step, such as planning or one blur, counts as hanging. After the timeout, a step counts as
  /// hanging if its CPU time is almost as long as the timeout, or if it has used hardly any CPU time. Between
  /// the two, the machine is busy, and the step gets more time. After ten times the timeout, every step
  /// counts as hanging.
  var isOver: Bool {
    let time = (ContinuousClock.now - start) / .seconds(1)
    guard time <= Self.patience * timeout else { return true }
    // A process whose CPU time cannot be read has ended, so it is not stuck.
    guard time > timeout, let all = Self.timeOnCPU(of: process) else { return false }
    let used = all - computed
    return used >= 0.9 * timeout || used < Self.alive * time
  }

  /// Returns the CPU time of all threads of a process in seconds, or nil if the process has ended.
  private static func timeOnCPU(of process: pid_t) -> Double? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
