import BlurRecords
import Dispatch
import Synchronization

/// Detects whether this process was suspended. This happens if the computer sleeps, or if the process is
/// stopped and continued.
///
/// A timer fires every quarter of a second. If it fires more than a second late, the process was suspended.
/// The timer does not disturb samples, and even a busy machine does not delay it by a whole second.
public final class SuspendDetector: Sendable {
  /// The time between two timer events is `period` seconds. If a timer event is more than `tolerance` seconds
  /// late, the process was suspended.
  static let period = 0.25, tolerance = 1.0
  /// The detector that the whole process shares.
  public static let shared = SuspendDetector()

  /// The error message for a case that could not be measured because the process was suspended during every
  /// attempt. See ``undisturbed(attempts:_:)``.
  public static let reason =
    "the computer slept or the process was suspended during every attempt to measure this case"

  private struct State {
    var last: Double
    /// The number of seconds for which the process was suspended since the last call of `takeStillness`.
    var stillness = 0.0
  }

  /// A clock in seconds that keeps running while the computer sleeps.
  private let clock: @Sendable () -> Double
  private let state: Mutex<State>
  // SAFETY: Dispatch sources may be used from any thread. This timer is created and activated in `init` and
  // cancelled in `deinit`, and nothing else uses it.
  private nonisolated(unsafe) let timer: any DispatchSourceTimer

  /// Creates a detector and starts its timer.
  init(clock: @escaping @Sendable () -> Double = { ContinuousClock.seconds }) {
    self.clock = clock
    state = Mutex(State(last: clock()))
    timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + Self.period, repeating: Self.period)
    timer.setEventHandler { [weak self] in self?.beat() }
    timer.activate()
  }

  deinit { timer.cancel() }

  /// Runs `work`, and repeats it if the process was suspended while it ran.
  ///
  /// - Parameter attempts: The maximum number of times to run `work`.
  /// - Returns: The result of the first attempt without a suspension, or nil if there was no such attempt.
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

  /// Returns how many seconds this process has been suspended since the last call of this method.
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
