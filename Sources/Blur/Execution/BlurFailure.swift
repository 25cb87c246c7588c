import Synchronization

/// The error of the blur that runs, if it has one. It leaves by the buffers, not by the plan, so that a plan
/// that wraps another one cannot forget it.
final class BlurFailure: Sendable {
  /// Blurs that do not fail, as nearly all, ask this and take no lock.
  private let exists = Atomic(false)
  private let first = Lock<BlurError?>(nil)

  /// Keeps the first error. Any thread may call this.
  func report(_ error: BlurError) {
    first.withLock { if $0 == nil { $0 = error } }
    exists.store(true, ordering: .releasing)
  }

  /// The error, once all threads are done; the next blur begins without one.
  func take() -> BlurError? {
    guard exists.load(ordering: .acquiring) else { return nil }
    exists.store(false, ordering: .relaxed)
    return first.withLock { $0.take() }
  }
}
