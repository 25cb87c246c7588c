import Foundation
import Testing

// Which tests run when. `Tests/run` leaves out what has one of these tags, `Tests/run --all` runs everything,
// and so does `Tests/run` with a filter. A test that has a tag has `.onlyInAll` beside it.
extension Tag {
  /// Computes for some ten seconds.
  @Tag public static var long: Self
  /// Builds other packages.
  @Tag public static var packages: Self
  /// Runs programs in emulators, under valgrind, or against tools of other languages.
  @Tag public static var system: Self
  /// Opens a browser.
  @Tag public static var browser: Self
}

/// How much of its inputs a test tries.
public enum Tiers {
  /// Whether tests try all of their inputs, as in `Tests/run --all` and in a run with a filter. In the other
  /// runs, tests with many inputs try only some of them.
  public static let isAll = ProcessInfo.processInfo.environment["BLURBENCH_TESTS"] == "all"

  /// Returns all inputs if ``isAll`` is true, and otherwise the first one and every `step`-th one after it.
  public static func some<Input>(of inputs: [Input], every step: Int = 3) -> [Input] {
    isAll ? inputs : stride(from: 0, to: inputs.count, by: step).map { inputs[$0] }
  }
}

extension Trait where Self == ConditionTrait {
  /// A test that `Tests/run` leaves to `Tests/run --all`.
  public static var onlyInAll: Self { .enabled(if: Tiers.isAll, "left to Tests/run --all") }
}
