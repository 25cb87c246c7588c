import Foundation
import Testing

// Tags that decide when a test runs. `Tests/run` skips every test that has one of them. `Tests/run --all`
// runs all tests, and so does `Tests/run` with a filter. A test with a tag also has the trait `.slow`.
extension Tag {
  /// A tag for tests that compute for ten seconds or longer.
  @Tag public static var long: Self
  /// A tag for tests that build other packages.
  @Tag public static var packages: Self
  /// A tag for tests that run programs in emulators, under valgrind, or with tools of other languages.
  @Tag public static var system: Self
  /// A tag for tests that open a browser.
  @Tag public static var browser: Self
}

/// The setting that decides how many of its inputs a test tries.
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
  /// Skips the test in a plain `Tests/run` and leaves it to `Tests/run --all`.
  public static var onlyInAll: Self { .enabled(if: Tiers.isAll, "left to Tests/run --all") }
}
