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

/// How much is tried.
public enum Tiers {
  /// Whether this is `Tests/run --all`, or a run with a filter: tests that take samples otherwise take all.
  public static let isAll = ProcessInfo.processInfo.environment["BLURBENCH_TESTS"] == "all"
}

extension Trait where Self == ConditionTrait {
  /// A test that `Tests/run` leaves to `Tests/run --all`.
  public static var onlyInAll: Self { .enabled(if: Tiers.isAll, "left to Tests/run --all") }
}
