import Foundation

/// Makes the threads of a blur wait for each other. A blur consists of phases, and several threads share the
/// work of a phase. No thread continues its work in a phase until all threads of this phase have begun to
/// work. All threads are then at work at the same time, even if there are fewer CPUs than threads.
///
/// The threads sleep while they wait. No thread waits for longer than two seconds, so that a faulty executor
/// cannot make the blur hang.
final class PhaseGate: @unchecked Sendable {
  private let condition = NSCondition()
  // SAFETY: a thread uses these numbers only while it holds the lock of `condition`.
  /// For each phase of the blur, the number of threads that have not begun to work in this phase.
  private var missing: [Int]

  private static let longestWait = 2.0

  /// Creates a gate at which the threads of one blur wait for each other.
  ///
  /// - Parameter threads: The number of threads that work in each phase.
  init(threads: [Int]) { missing = threads }

  /// Waits until all threads have begun to work in this phase, or for at most two seconds. Each thread calls
  /// this method before it does a part of the phase's work.
  func pass(_ phase: Int) {
    condition.lock()
    defer { condition.unlock() }
    missing[phase] -= 1
    let end = Date(timeIntervalSinceNow: Self.longestWait)
    while missing[phase] > 0, condition.wait(until: end) {}
    missing[phase] = min(0, missing[phase])
    condition.broadcast()
  }

  /// Calls `work` with each number from 0 to `count` − 1, each time on a different thread. Returns when all
  /// calls have returned.
  static func callOnThreads(_ count: Int, _ work: @escaping @Sendable (_ thread: Int) -> Void) {
    let others = DispatchGroup()
    for thread in 1..<max(1, count) {
      others.enter()
      Thread.detachNewThread {
        work(thread)
        others.leave()
      }
    }
    work(0)
    others.wait()
  }
}
