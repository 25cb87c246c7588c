import Synchronization

/// The caller and some helpers that do a job together, again and again, without allocating. Where there are
/// no other threads, the caller alone.
///
/// A helper that comes late finds the job done and goes to sleep again; one that never comes is not missed.
/// Each thread that comes calls two more, so that the last of N is called after log2(N) wakes and not after
/// N.
///
/// Helpers stay awake for a moment after a job that came soon after the one before it, for the next may, too:
/// not after a lone job, and not where threads outnumber CPUs, for then they would take the time of those
/// with work. Short jobs are shared only then.
final class ThreadTeam<Job: Sendable>: Sendable {
  private let work: @Sendable (_ thread: Int, Job) -> Void
  private let latch = Latch<Job>()
  private let now: @Sendable () -> UInt64
  private let hasCPUs: Bool
  private let isWoken: Bool
  // SAFETY: used by `run` alone, which is called for one job at a time.
  nonisolated(unsafe) private var lastEnd: UInt64?
  /// Those that the caller calls.
  let helpers: [HelperThread]

  /// Makes a team of at most `threads`, the caller's included.
  ///
  /// - Parameters:
  ///   - cpus: how many the threads share.
  ///   - isWoken: whether a lone job is worth waking helpers.
  ///   - now: a clock in nanoseconds.
  ///   - work: what each thread does for a job; it returns when nothing is left to begin. Thread 0 is the
  ///     caller's.
  init(
    threads: Int, cpus: @autoclosure () -> Int = Platform.cpus, isWoken: Bool = true,
    now: @escaping @Sendable () -> UInt64 = { Platform.nanoseconds },
    _ work: @escaping @Sendable (_ thread: Int, Job) -> Void
  ) {
    self.work = work
    self.now = now
    self.isWoken = isWoken
    let threads = HelperThread.exists ? threads : 1
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

  /// Does the job, and returns when no thread is at it any more. One job at a time.
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

/// Lets helpers in while a job lasts.
private final class Latch<Job: Sendable>: Sendable {
  /// How many are inside, and the sign bit while the latch is open.
  private let state = PaddedAtomic(0)
  private static var isOpen: Int { .min }
  // SAFETY: written while the latch is closed and no helper inside, read only inside; `state` orders the two.
  nonisolated(unsafe) private var job: Job?
  // SAFETY: as `job`.
  nonisolated(unsafe) private var nextComesSoon = false

  func open(_ job: Job, nextComesSoon: Bool) {
    self.job = job
    self.nextComesSoon = nextComesSoon
    state.count.store(Self.isOpen, ordering: .releasing)
  }

  /// Does the job, if there still is one; returns whether there was and the next one comes soon.
  func serve(_ work: (Job) -> Void) -> Bool {
    guard enter() else { return false }
    // The job is not held any longer than this: the caller is told that it is over.
    if let job { work(job) }
    let nextComesSoon = nextComesSoon
    state.count.subtract(1, ordering: .releasing)
    return nextComesSoon
  }

  /// Goes in, if the latch is open.
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

  /// Lets no helper in any more, waits for those inside to finish what they have begun, and forgets the job.
  func close() {
    state.count.bitwiseAnd(~Self.isOpen, ordering: .relaxed)
    spin { state.count.load(ordering: .acquiring) != 0 }
    job = nil
  }
}

/// Waits for threads that run already, which will not be long.
@inline(__always)
func spin(while isBusy: () -> Bool) {
  var turns = 0
  while isBusy() {
    turns &+= 1
    if turns % 64 == 0 { Platform.yield() } else { Platform.pause() }
  }
}
