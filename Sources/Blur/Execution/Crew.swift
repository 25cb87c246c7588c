import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The caller and some helpers that do a job together, again and again, without allocating. The only place where
/// threads are made.
///
/// A helper is a dispatch source: it costs nothing while it sleeps, and waking it takes no memory, as
/// `DispatchQueue.concurrentPerform` does each time. One that comes late finds the job done and goes to sleep again;
/// one that never comes is not missed.
final class Crew<Job: Sendable>: Sendable {
  private let work: @Sendable (_ thread: Int, Job) -> Void
  private let gate = Gate<Job>()
  // SAFETY: sources of Dispatch may be used from any thread; the protocol just does not say so.
  nonisolated(unsafe) private let helpers: [any DispatchSourceUserDataAdd]

  /// Makes a crew of so many threads, the caller's included.
  ///
  /// - Parameter work: what each thread does for a job; it returns when nothing is left to begin. Thread 0 is the
  ///   caller's.
  init(threads: Int, _ work: @escaping @Sendable (_ thread: Int, Job) -> Void) {
    self.work = work
    let gate = gate
    helpers = (1..<max(1, threads)).map { thread in
      let helper = DispatchSource.makeUserDataAddSource(queue: .global(qos: .userInitiated))
      helper.setEventHandler {
        guard let job = gate.enter() else { return }
        work(thread, job)
        gate.leave()
      }
      helper.activate()
      return helper
    }
  }

  deinit { for helper in helpers { helper.cancel() } }

  /// Does the job, and returns when no thread is at it any more. One job at a time.
  func run(_ job: Job) {
    guard !helpers.isEmpty else { return work(0, job) }
    gate.open(job)
    for helper in helpers { helper.add(data: 1) }
    work(0, job)
    gate.close()
  }
}

/// Lets helpers in while a job lasts.
private final class Gate<Job: Sendable>: Sendable {
  /// How many are inside, and a bit that is set while the gate is open.
  private let state = Atomic(0)
  private static var isOpen: Int { 1 << 32 }
  // SAFETY: written while the gate is closed and nobody inside, read only inside; `state` orders the two.
  nonisolated(unsafe) private var job: Job?

  func open(_ job: Job) {
    self.job = job
    state.store(Self.isOpen, ordering: .releasing)
  }

  /// The job, or nil if there is none any more. Whoever got one leaves when done with it.
  func enter() -> Job? {
    var seen = state.load(ordering: .relaxed)
    while seen & Self.isOpen != 0 {
      let (entered, current) = state.weakCompareExchange(
        expected: seen, desired: seen + 1, successOrdering: .acquiring, failureOrdering: .relaxed)
      if entered { return job }
      seen = current
    }
    return nil
  }

  func leave() { state.subtract(1, ordering: .releasing) }

  /// Lets nobody in any more, and waits for those inside: they finish what they have begun.
  func close() {
    state.bitwiseAnd(~Self.isOpen, ordering: .relaxed)
    spin { state.load(ordering: .acquiring) != 0 }
  }
}

/// Waits for threads that run already, which will not be long.
@inline(__always)
func spin(while isBusy: () -> Bool) {
  var turns = 0
  while isBusy() {
    turns += 1
    if turns % 1024 == 0 { sched_yield() }
  }
}
