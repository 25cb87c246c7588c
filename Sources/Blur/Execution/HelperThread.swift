import Synchronization

/// A thread that does its work each time it is called. Between calls it sleeps; where its work says that the
/// next call comes soon, it stays awake for as long as waking it would take, so that the call costs next to
/// nothing.
final class HelperThread: Sendable {
  /// About what waking a thread takes, in nanoseconds: one that waits in vain wastes no more.
  static let wakeTime: UInt64 = 40_000
  /// How long a helper keeps the system's thread, in nanoseconds, before it queues itself again: the whole
  /// program shares a few such threads.
  static let turn: UInt64 = 10_000_000

  private let wakeState: WakeState
  private let signal: WakeSignal

  /// Whether there are threads beside the caller's.
  static var exists: Bool { WakeSignal.exists }

  /// Makes a helper, asleep.
  ///
  /// - Parameters:
  ///   - now: a clock in nanoseconds.
  ///   - work: what it does when called; returns whether the next call comes soon.
  init(now: @escaping @Sendable () -> UInt64, _ work: @escaping @Sendable () -> Bool) {
    let wakeState = WakeState()
    self.wakeState = wakeState
    signal = WakeSignal { wakeState.serve(now: now, work) }
  }

  /// Calls the thread, which may come late. Calls before it comes count as one.
  func call() { if wakeState.add() { signal.send() } }

  /// Whether it would hear a call without being woken.
  var isAwake: Bool { wakeState.isAwake }
}

/// Whether a helper is called, and whether it has to be woken for that.
///
/// No call is missed. Each exchanges `called` for one of three states:
/// - `asleep`: the helper has left, or is about to, without looking again. The one call that finds this sends
///   the signal, which stays until a thread of the system has served it: after the helper has left, if it
///   has not yet.
/// - `awake`: the helper can fall asleep by an exchange of `awake` for `asleep` alone, and that fails now. So
///   it begins again, by taking `called` away.
/// - `called`: an earlier call is not yet taken away. It has made sure that the helper comes,
///   and the work that it comes to begins after this call, too.
///
/// `called` is taken away before the work begins, never after: a call during the work is found when it ends.
/// A helper whose turn is over leaves `called` behind, and queues itself.
private final class WakeState: Sendable {
  private enum State {
    static let asleep = 0, awake = 1, called = 2
  }

  private let state = PaddedAtomic(State.asleep)

  var isAwake: Bool { state.count.load(ordering: .relaxed) != State.asleep }

  /// Calls the helper; returns whether it must be woken. What the caller did before is seen by the helper's
  /// work.
  func add() -> Bool {
    state.count.exchange(State.called, ordering: .acquiringAndReleasing) == State.asleep
  }

  /// Does the work for each call until the helper falls asleep; returns whether it was called again when its
  /// turn was over.
  func serve(now: () -> UInt64, _ work: () -> Bool) -> Bool {
    let start = now()
    while true {
      // An exchange, not a store: it sees what was done before the latest of several calls.
      _ = state.count.exchange(State.awake, ordering: .acquiringAndReleasing)
      if work() { wait(now: now) }
      let (isAsleep, _) = state.count.compareExchange(
        expected: State.awake, desired: State.asleep, ordering: .acquiringAndReleasing)
      if isAsleep { return false }
      if now() &- start > HelperThread.turn { return true }
    }
  }

  /// Waits for a call, no longer than waking would take.
  private func wait(now: () -> UInt64) {
    let start = now()
    // A look at the clock takes as long as some pauses.
    repeat {
      for _ in 0..<16 {
        if state.count.load(ordering: .relaxed) == State.called { return }
        Platform.pause()
      }
    } while now() &- start < HelperThread.wakeTime
  }
}

/// A counter that shares its cache lines, 64 bytes or a pair of them, with nothing else: threads that change
/// it would slow down those that read its neighbours.
struct PaddedAtomic: ~Copyable {
  private let before = SIMD8<Int64>()
  let count: Atomic<Int>
  private let after = SIMD8<Int64>()

  init(_ count: Int) { self.count = Atomic(count) }
}
