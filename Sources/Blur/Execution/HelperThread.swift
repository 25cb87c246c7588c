import Synchronization

/// A thread that does its work each time it is called.
///
/// The thread sleeps between calls. But if its work reports that the next call will come soon, the thread
/// stays awake for a while: for as long as waking it would take. A call during this time costs next to
/// nothing.
final class HelperThread: Sendable {
  /// The approximate time that it takes to wake a thread, in nanoseconds. A helper that waits for a call in
  /// vain wastes no more time than this.
  static let wakeTime: UInt64 = 40_000
  /// The longest time for which a helper occupies a thread of the system, in nanoseconds. The whole program
  /// shares only a few such threads. After this time, the helper therefore releases its thread, and waits in
  /// a queue until a thread is free again.
  static let turn: UInt64 = 10_000_000

  private let wakeState: WakeState
  private let signal: WakeSignal

  /// Whether the platform has threads other than the caller's.
  static var exists: Bool { WakeSignal.exists }

  /// Creates a helper thread, which sleeps until it is called for the first time.
  ///
  /// - Parameters:
  ///   - now: A clock in nanoseconds.
  ///   - work: The work to do at each call. It returns whether the next call comes soon.
  init(now: @escaping @Sendable () -> UInt64, _ work: @escaping @Sendable () -> Bool) {
    let wakeState = WakeState()
    self.wakeState = wakeState
    signal = WakeSignal { wakeState.serve(now: now, work) }
  }

  /// Calls the thread, which may start its work a little later. Several calls before the work starts cause
  /// the work to be done only once.
  func call() { if wakeState.add() { signal.send() } }

  /// Whether the helper is awake, so that it notices a call without having to be woken.
  var isAwake: Bool { wakeState.isAwake }
}

/// The state of a helper: whether it was called, and whether it must be woken.
///
/// No call is lost. Each call sets the state to `called`. What happens next depends on the state that the
/// call replaces:
/// - `asleep`: The helper has returned from its loop, or is about to return without looking at the state
///   again. Only one call finds this state, and this call sends the signal. The signal stays pending until a
///   thread of the system serves it, which happens after the helper has returned.
/// - `awake`: The helper can only fall asleep by exchanging `awake` for `asleep`. That exchange now fails, so
///   the helper replaces `called` by `awake` and works once more.
/// - `called`: An earlier call is still pending. It has made sure that the helper works again. That work has
///   not begun yet, so it serves the new call as well.
///
/// The helper replaces `called` by `awake` before its work begins, never after it. A call that arrives during
/// the work is therefore noticed when the work ends. A helper whose turn is over leaves `called` in place and
/// puts itself into the queue again.
private final class WakeState: Sendable {
  private enum State {
    static let asleep = 0, awake = 1, called = 2
  }

  private let state = PaddedAtomic(State.asleep)

  var isAwake: Bool { state.count.load(ordering: .relaxed) != State.asleep }

  /// Calls the helper, and returns whether the helper must be woken. The helper's work sees everything that
  /// the caller did before the call.
  func add() -> Bool {
    state.count.exchange(State.called, ordering: .acquiringAndReleasing) == State.asleep
  }

  /// Runs the loop of a helper thread, which calls `work` once for each call to the helper. Returns false
  /// when the helper falls asleep, because no call is waiting. Returns true if the helper has run for its
  /// maximum time (``HelperThread/turn``) and another call is already waiting.
  func serve(now: () -> UInt64, _ work: () -> Bool) -> Bool {
    let start = now()
    while true {
      // The state is set by an exchange, because a plain store would not read the old state. The old state
      // was written by the latest call to this helper. By reading it, the helper is certain to see everything
      // that the caller did before the call.
      _ = state.count.exchange(State.awake, ordering: .acquiringAndReleasing)
      if work() { wait(now: now) }
      let (isAsleep, _) = state.count.compareExchange(
        expected: State.awake, desired: State.asleep, ordering: .acquiringAndReleasing)
      if isAsleep { return false }
      if now() &- start > HelperThread.turn { return true }
    }
  }

  /// Waits for a call, but no longer than waking the thread would take.
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
/// two lines as a pair. If other data shared a line with the counter, threads that change the counter would
/// slow down threads that read those data.
struct PaddedAtomic: ~Copyable {
  private let before = SIMD8<Int64>()
  let count: Atomic<Int>
  private let after = SIMD8<Int64>()

  init(_ count: Int) { self.count = Atomic(count) }
}
