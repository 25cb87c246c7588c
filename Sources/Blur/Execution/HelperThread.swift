import Synchronization

/// A thread that runs a function, called its work, each time somebody calls the thread.
///
/// The thread sleeps between calls. But if the work returns true, the next call is expected soon. In this
/// case, the thread first stays awake for about as long as it would take to wake it. A call during this time
/// costs next to nothing.
final class HelperThread: Sendable {
  /// The approximate time that it takes to wake a thread, in nanoseconds. A helper waits no longer than this
  /// for its next call before it falls asleep.
  static let wakeTime: UInt64 = 40_000
  /// The longest time that a helper occupies a thread of the system, in nanoseconds. The whole program shares
  /// only a few system threads. So after this time, the helper releases its thread, and waits in a queue
  /// until a thread is free again.
  static let longestRun: UInt64 = 10_000_000

  private let wakeState: WakeState
  private let signal: WakeSignal

  /// Creates a helper thread, which sleeps until it is called for the first time.
  ///
  /// - Parameters:
  ///   - now: A clock in nanoseconds.
  ///   - work: The function to run at each call. It returns whether the next call is expected soon.
  init(now: @escaping @Sendable () -> UInt64, _ work: @escaping @Sendable () -> Bool) {
    let wakeState = WakeState()
    self.wakeState = wakeState
    signal = WakeSignal { wakeState.serve(now: now, work) }
  }

  /// Asks the thread to do its work, and returns without waiting for it. If this method is called several
  /// times before the work begins, the work is done only once.
  func call() { if wakeState.add() { signal.send() } }

  /// Whether the helper is awake, so that it notices a call without having to be woken.
  var isAwake: Bool { wakeState.isAwake }
}

/// The state of a helper thread: asleep, awake, or called (asked to do its work).
///
/// No call is lost. Each call sets the state to `called`. What happens next depends on the state before the
/// call:
/// - `asleep`: The helper has left its loop, or is about to leave it without reading the state again. The
///   caller sends a signal that starts the loop again. If several callers call at once, only the first of
///   them finds this state, so only one signal is sent. If the helper is still leaving its loop, the signal
///   waits until it has left.
/// - `awake`: The helper is in its loop. It can only fall asleep by changing the state from `awake` to
///   `asleep`. After the call, this change fails, because the state is `called`, so the helper works once
///   more.
/// - `called`: The helper has not yet begun the work for an earlier call. When it does this work, the new
///   call is answered as well.
///
/// The helper sets the state to `awake` before it begins its work. A call that arrives during the work is
/// therefore noticed when the work ends. A helper that has run for its longest allowed time
/// (``HelperThread/longestRun``) leaves the state at `called`, and asks the system to start its loop again
/// later.
private final class WakeState: Sendable {
  private enum State {
    static let asleep = 0, awake = 1, called = 2
  }

  private let state = PaddedAtomic(State.asleep)

  var isAwake: Bool { state.count.load(ordering: .relaxed) != State.asleep }

  /// Asks the helper thread to do its work once more. Returns true if the helper is asleep. In this case, the
  /// caller must wake it.
  ///
  /// Everything that the caller has written to memory before this call is visible to the helper when it does
  /// the work.
  func add() -> Bool {
    state.count.exchange(State.called, ordering: .acquiringAndReleasing) == State.asleep
  }

  /// Runs the loop of the helper thread: does the work, and does it again if the helper was called in the
  /// meantime. Returns false when the helper falls asleep because nobody has called. Returns true if a call
  /// is waiting, but the helper has run for its longest allowed time (``HelperThread/longestRun``).
  func serve(now: () -> UInt64, _ work: () -> Bool) -> Bool {
    let start = now()
    while true {
      // An exchange is used because it also reads the old state, unlike a plain store. The old state was
      // written by the latest call. Reading it guarantees that the helper sees everything that the caller
      // wrote to memory before the call.
      _ = state.count.exchange(State.awake, ordering: .acquiringAndReleasing)
      if work() { wait(now: now) }
      let (isAsleep, _) = state.count.compareExchange(
        expected: State.awake, desired: State.asleep, ordering: .acquiringAndReleasing)
      if isAsleep { return false }
      if now() &- start > HelperThread.longestRun { return true }
    }
  }

  /// Waits for the next call, but gives up after ``HelperThread/wakeTime``.
  private func wait(now: () -> UInt64) {
    let start = now()
    // Reading the clock takes as long as several pauses, so the loop reads the clock only once for every 16
    // pauses.
    repeat {
      for _ in 0..<16 {
        if state.count.load(ordering: .relaxed) == State.called { return }
        Platform.pause()
      }
    } while now() &- start < HelperThread.wakeTime
  }
}

/// A counter that shares its cache lines with no other data. A cache line has 64 bytes, and some CPUs treat
/// two lines as a pair. If the counter shared a line with other data, every change of the counter would slow
/// down the threads that read this data.
struct PaddedAtomic: ~Copyable {
  private let before = SIMD8<Int64>()
  let count: Atomic<Int>
  private let after = SIMD8<Int64>()

  init(_ count: Int) { self.count = Atomic(count) }
}
