import Foundation

/// Holds each thread at its first block of work in a phase, until all threads that can work in this phase
/// have begun a block. All threads are then at work at the same time, even if there are fewer CPUs than
/// threads.
///
/// The threads sleep while they wait. No thread waits for longer than two seconds, so that a faulty executor
/// cannot make the blur hang.
final class PhaseGate: @unchecked Sendable {
  private let condition = NSCondition()
  // SAFETY: these numbers are only used while the thread holds the lock of `condition`.
  /// For each phase, the number of threads that have not begun a block yet.
  private var missing: [Int]

  private static let longestWait = 2.0

  /// Creates a gate for one blur.
  ///
  /// - Parameter threads: The number of threads that work in each phase.
  init(threads: [Int]) { missing = threads }

  /// Waits for the other threads before a block of work of this phase. Returns at once if all threads have
  /// begun a block.
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
