import Blur
import Synchronization

/// Decides which check of a property makes a long series of blurs, which would take too long in every check.
/// For each component type, only the first check that asks makes the series. The property `threads` searches
/// for rare races in this series, and the property `repeat` blurs 300 times with one plan.
final class LongSeries: Sendable {
  /// The number of blurs in which the property `threads` searches for races, for each component type. Assume
  /// that a race spoils one blur in a thousand. The probability that n blurs reveal this race is 1 − 0.999ⁿ,
  /// which is 50 % for 700 blurs and 95 % for 3000.
  let blurs: Int
  /// The time in seconds after which the search for races ends early, because the kernel is very slow.
  let seconds: Double
  private let begun = Mutex<Set<PixelFormat.Component>>([])

  /// Creates an instance. No check has made the series for any component type yet.
  init(isThorough: Bool = false) {
    blurs = isThorough ? 3000 : 700
    seconds = isThorough ? .infinity : 3
  }

  /// Returns whether the calling check must also run the long series of blurs for a component type. One such
  /// series per component type is enough, so the result is true for the first caller and false for all later
  /// callers.
  func begins(_ component: PixelFormat.Component) -> Bool {
    begun.withLock { $0.insert(component).inserted }
  }
}
