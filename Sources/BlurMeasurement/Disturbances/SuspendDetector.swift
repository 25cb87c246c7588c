import BlurRecords
import Dispatch
import Synchronization

/// Notices that this process stood still: the computer slept, or the process was stopped and continued.
///
/// A beat every quarter of a second must not come more than a second late. That costs nothing while samples
/// are taken, and a busy machine does not delay it so long.
public final class SuspendDetector: Sendable {
  /// Seconds between beats, and how late one may be.
  static let period = 0.25, tolerance = 1.0
  /// The process's own.
  public static let shared = SuspendDetector()

  /// Why there is no measurement where ``undisturbed(attempts:_:)`` has none.
  public static let reason = "the computer slept or the process was stopped, each time it was measured"

  private struct State {
    var last: Double
    /// Seconds of standing still since it was last asked.
    var stillness = 0.0
  }

  /// A clock in seconds that goes on while the computer sleeps.
  private let clock: @Sendable () -> Double
  private let state: Mutex<State>
  // SAFETY: Dispatch's sources may be used from any thread; this one is only made and cancelled.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  /// - Parameter clock: seconds since any moment; must go on while the computer sleeps.
  init(clock: @escaping @Sendable () -> Double = { GoogleBenchmark().now }) {
    self.clock = clock
    state = Mutex(State(last: clock()))
    timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + Self.period, repeating: Self.period)
    timer.setEventHandler { [weak self] in self?.beat() }
    timer.activate()
  }

  deinit { timer.cancel() }

  /// Does `work`, and again as long as the process stood still meanwhile.
  ///
  /// - Parameter attempts: how often at most.
  /// - Returns: the result; nil where the process stood still during every attempt.
  public func undisturbed<Result, Failure: Error>(
    attempts: Int = 5, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    _ = takeStillness()
    for _ in 0..<attempts {
      let result = try work()
      if takeStillness() == 0 { return result }
    }
    return nil
  }

  func beat() { look { _ in } }

  /// Seconds of standing still since the last call.
  func takeStillness() -> Double {
    look { state in
      defer { state.stillness = 0 }
      return state.stillness
    }
  }

  private func look<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let now = clock()
      let late = now - state.last - Self.period
      if late > Self.tolerance { state.stillness += late }
      state.last = now
      return body(&state)
    }
  }
}
