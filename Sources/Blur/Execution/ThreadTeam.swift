import Synchronization

/// The caller and some helpers that do a job together, again and again, without allocating. Where there are no other
/// threads, the caller alone.
///
/// A helper that comes late finds the job done and goes to sleep again; one that never comes is not missed.
final class ThreadTeam<Job: Sendable>: Sendable {
  private let work: @Sendable (_ thread: Int, Job) -> Void
  private let latch = Latch<Job>()
  private let helpers: [HelperThread]

  /// Makes a team of at most `threads`, the caller's included.
  ///
  /// - Parameter work: what each thread does for a job; it returns when nothing is left to begin. Thread 0 is the
  ///   caller's.
  init(threads: Int, _ work: @escaping @Sendable (_ thread: Int, Job) -> Void) {
    self.work = work
    let latch = latch
    helpers = (1..<max(1, HelperThread.exists ? threads : 1)).map { thread in
      HelperThread {
        guard let job = latch.enter() else { return }
        work(thread, job)
        latch.leave()
      }
    }
  }

  /// Does the job, and returns when no thread is at it any more. One job at a time.
  func run(_ job: Job) {
    guard !helpers.isEmpty else { return work(0, job) }
    latch.open(job)
    for helper in helpers { helper.wake() }
    work(0, job)
    latch.close()
  }
}

/// Lets helpers in while a job lasts.
private final class Latch<Job: Sendable>: Sendable {
  /// How many are inside, and the sign bit while the latch is open.
  private let state = Atomic(0)
  private static var isOpen: Int { .min }
  // SAFETY: written while the latch is closed and no helper inside, read only inside; `state` orders the two.
  nonisolated(unsafe) private var job: Job?

  func open(_ job: Job) {
    self.job = job
    state.store(Self.isOpen, ordering: .releasing)
  }

  /// The job, or nil if there is none any more. A helper that got one leaves when done with it.
  func enter() -> Job? {
    var seen = state.load(ordering: .relaxed)
    while seen < 0 {
      let (entered, current) = state.weakCompareExchange(
        expected: seen, desired: seen + 1, successOrdering: .acquiring, failureOrdering: .relaxed)
      if entered { return job }
      seen = current
    }
    return nil
  }

  func leave() { state.subtract(1, ordering: .releasing) }

  /// Lets no helper in any more, waits for those inside to finish what they have begun, and forgets the job.
  func close() {
    state.bitwiseAnd(~Self.isOpen, ordering: .relaxed)
    spin { state.load(ordering: .acquiring) != 0 }
    job = nil
  }
}

/// Waits for threads that run already, which will not be long.
@inline(__always)
func spin(while isBusy: () -> Bool) {
  var turns = 0
  while isBusy() {
    turns += 1
    if turns % 1024 == 0 { Platform.yield() }
  }
}
