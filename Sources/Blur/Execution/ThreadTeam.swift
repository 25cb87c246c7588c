import Synchronization

/// A team of threads that work together on one job after another: the calling thread and some helpers.
/// Running a job allocates no memory. On a platform without threads, the calling thread does the jobs alone.
///
/// No thread waits for a helper that has not started. A helper that wakes too late finds that the job is
/// over, and goes back to sleep. When a thread starts, it calls two more helpers. The last of N threads
/// therefore starts after a chain of about log2(N) wake-ups instead of N.
///
/// If a job comes soon after the previous job, the next one may come soon, too. The helpers then stay awake
/// for a moment. After a single job, they go to sleep at once. They also do so if there are more threads than
/// CPUs, because waiting helpers would take CPU time from threads that have work.
///
/// A short job is shared only if it comes soon after the previous job, and if there are enough CPUs. Helpers
/// that are asleep are woken for it, because they then stay awake for the jobs that may follow.
final class ThreadTeam<Job: Sendable>: Sendable {
  /// Lets a thread take part in a job, until no work is left to claim.
  let work: @Sendable (_ thread: Int, Job) -> Void
  private let latch = Latch<Job>()
  private let now: @Sendable () -> UInt64
  private let hasCPUs: Bool
  private let isWoken: Bool
  // SAFETY: only `run` uses this property, and `run` is called for one job at a time.
  nonisolated(unsafe) private var lastEnd: UInt64?
  /// The helper threads that the calling thread starts directly at the beginning of each job. There are at
  /// most two of them. Each helper then starts at most two further helpers in the same way, and so on, until
  /// the whole team is working.
  let helpers: [HelperThread]

  /// Creates a team of `threads` threads, including the calling thread. On a platform without threads, the
  /// team is the calling thread alone.
  ///
  /// - Parameters:
  ///   - cpus: The number of CPUs that the threads share.
  ///   - isWoken: Whether every job may wake the helpers. If this is false, the helpers take part only in
  ///     jobs that follow each other quickly. Waking them for a single short job would cost more time than it
  ///     saves.
  ///   - now: A clock in nanoseconds.
  ///   - work: A function that each thread calls to take part in a job. It returns when no work is left to
  ///     claim. Thread 0 is the calling thread.
  init(
    threads: Int, cpus: @autoclosure () -> Int = Platform.cpus, isWoken: Bool = true,
    now: @escaping @Sendable () -> UInt64 = { Platform.nanoseconds },
    _ work: @escaping @Sendable (_ thread: Int, Job) -> Void
  ) {
    self.work = work
    self.now = now
    self.isWoken = isWoken
    let threads = WakeSignal.exists ? threads : 1
    hasCPUs = threads > 1 && threads <= cpus()
    let latch = latch
    func helpers(of caller: Int) -> [HelperThread] {
      (2 * caller + 1...2 * caller + 2).filter { $0 < threads }.map { thread in
        let next = helpers(of: thread)
        return HelperThread(now: now) {
          latch.serve { job in
            for helper in next { helper.call() }
            work(thread, job)
          }
        }
      }
    }
    self.helpers = helpers(of: 0)
  }

  /// Does the job, and returns when no thread is working on it any more. Only one job may run at a time.
  func run(_ job: Job) {
    guard !helpers.isEmpty else { return work(0, job) }
    defer { lastEnd = now() }
    let cameSoon = lastEnd.map { now() &- $0 < HelperThread.wakeTime } ?? false
    let staysAwake = hasCPUs && cameSoon
    guard isWoken || staysAwake else { return work(0, job) }
    latch.open(job, nextComesSoon: staysAwake)
    for helper in helpers { helper.call() }
    work(0, job)
    latch.close()
  }
}

/// A latch that lets helpers join a job. The calling thread opens the latch when it begins a job, and closes
/// the latch when no work is left. Helpers can join the job only while the latch is open.
private final class Latch<Job: Sendable>: Sendable {
  /// The number of helpers that are working on the job. In addition, the sign bit is set as long as more
  /// helpers may join the job.
  private let state = PaddedAtomic(0)
  private static var isOpen: Int { .min }
  // SAFETY: only the calling thread writes the job, and only while the latch is closed and no helper is
  // working on a job. A helper reads the job only after joining it and before leaving it. The atomic
  // operations on `state` order the writes and the reads.
  nonisolated(unsafe) private var job: Job?
  // SAFETY: only the calling thread writes this flag, and only while the latch is closed and no helper is
  // working on a job. A helper reads the flag only after joining a job and before leaving it. The atomic
  // operations on `state` order the writes and the reads.
  nonisolated(unsafe) private var nextComesSoon = false

  func open(_ job: Job, nextComesSoon: Bool) {
    self.job = job
    self.nextComesSoon = nextComesSoon
    state.count.store(Self.isOpen, ordering: .releasing)
  }

  /// Takes part in the job as one of the helpers, unless the job is already over. Returns true if the helper
  /// took part and the next job is expected soon.
  func serve(_ work: (Job) -> Void) -> Bool {
    guard enter() else { return false }
    // The subtraction below tells the caller that this helper has finished. By then, the helper must have
    // released its reference to the job. The reference therefore exists only in this line.
    if let job { work(job) }
    let nextComesSoon = nextComesSoon
    state.count.subtract(1, ordering: .releasing)
    return nextComesSoon
  }

  /// Lets this helper join the job, if the latch is still open. Returns whether the helper has joined.
  private func enter() -> Bool {
    var seen = state.count.load(ordering: .relaxed)
    while seen < 0 {
      let (entered, current) = state.count.weakCompareExchange(
        expected: seen, desired: seen + 1, successOrdering: .acquiring, failureOrdering: .relaxed)
      if entered { return true }
      seen = current
    }
    return false
  }

  /// Ends the job: lets no more helpers join, waits until all helpers that joined are done, and releases the
  /// job.
  func close() {
    state.count.bitwiseAnd(~Self.isOpen, ordering: .relaxed)
    spin { state.count.load(ordering: .acquiring) != 0 }
    job = nil
  }
}

/// Waits in a busy loop for threads that are already running and will soon be done.
@inline(__always)
func spin(while isBusy: () -> Bool) {
  var count = 0
  while isBusy() {
    count &+= 1
    if count % 64 == 0 { Platform.yield() } else { Platform.pause() }
  }
}
