import Synchronization

/// Stores the first error that is reported during a blur, if there is any.
///
/// A plan reports errors through its ``PhaseContext``, not through a property of the plan. A plan that wraps
/// another plan therefore cannot forget to pass on the errors of the inner plan.
final class BlurFailure: Sendable {
  /// Whether an error was reported. Nearly all blurs succeed. For a successful blur, it is enough to read
  /// this flag, and the lock need not be taken.
  private let exists = Atomic(false)
  private let first = Lock<BlurError?>(nil)

  /// Keeps `error` if it is the first error of the blur. Any thread may call this method.
  func report(_ error: BlurError) {
    first.withLock { if $0 == nil { $0 = error } }
    exists.store(true, ordering: .releasing)
  }

  /// Returns the stored error and clears it, so that the next blur begins without an error. Call this method
  /// only when all threads are done.
  func take() -> BlurError? {
    guard exists.load(ordering: .acquiring) else { return nil }
    exists.store(false, ordering: .relaxed)
    return first.withLock { $0.take() }
  }
}
