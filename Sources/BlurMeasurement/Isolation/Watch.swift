import Foundation

/// Notices that a step of a worker takes too long.
struct Watch {
  private let page: SharedPage
  private let worker: pid_t
  private let timeout: Double
  private var steps = -1
  private var since = GoogleBenchmark().now
  private var computed = 0.0
  private let heartbeat = Heartbeat()

  /// A step with this share of the time on a CPU waits for nothing but other processes.
  private static let alive = 0.01
  /// Times the timeout that a step gets at most, however busy the machine is.
  private static let patience = 10.0

  init(_ page: SharedPage, of worker: Process, _ timeout: Double) {
    (self.page, self.timeout, self.worker) = (page, timeout, worker.processIdentifier)
  }

  /// Whether the step that runs has taken longer than the timeout allows, in time and in time on a CPU: where
  /// other processes take the CPUs, a slow kernel is not a hanging one. A step that waits takes none.
  var isStuck: Bool {
    mutating get {
      // A computer that sleeps, or a run that is stopped by its user, is no hanging kernel.
      if page.steps != steps || page.current == 0 || heartbeat.takeStillness() > 0 {
        steps = page.steps
        since = GoogleBenchmark().now
        computed = Self.timeOnCPU(of: worker) ?? 0
      }
      let time = GoogleBenchmark().now - since
      guard time > timeout else { return false }
      // A worker that has ended is not stuck.
      guard let all = Self.timeOnCPU(of: worker) else { return false }
      let used = all - computed
      return time > Self.patience * timeout || used >= 0.9 * timeout || used < Self.alive * time
    }
  }

  /// Seconds that all threads of a process have run; nil where it has ended.
  private static func timeOnCPU(of process: pid_t) -> Double? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
