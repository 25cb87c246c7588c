import Foundation
import Testing

// The tags of slow tests. `Tests/run` leaves them out. `Tests/run --ci`, `Tests/run --all` and filtered runs
// include them. A test with one of these tags also has the trait `.slow`, or the trait `.complete` if
// `Tests/run --ci` leaves it out as well.
extension Tag {
  /// A tag for tests that compute for several seconds in a debug build.
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
  private static let name = ProcessInfo.processInfo.environment["BLURBENCH_TESTS"]

  /// Whether slow tests run. These compute for long, build other packages, or need emulators or a browser.
  public static let includesSlowTests = name == "all" || name == "ci"

  /// Whether tests try all of their inputs, as in `Tests/run --all` and in a run with a filter. In the other
  /// runs, tests with many inputs try only some of them.
  public static let isAll = name == "all"

  /// Whether this build has the inner loops of all instruction sets. `Tests/run` builds those of the baseline
  /// only.
  public static let hasAllLoops = ProcessInfo.processInfo.environment["BLURBENCH_BUILD"] != "baseline"

  /// The arguments of the command `env` with which a test builds a package. Unless ``isAll`` is true, the
  /// package has the inner loops of the baseline only.
  public static let buildOfPackages = isAll ? ["-u", "BLURBENCH_BUILD"] : ["BLURBENCH_BUILD=baseline"]

  /// The words for `env` with which a test builds a package with the inner loops of all instruction sets.
  /// Unless ``isAll`` is true, the loops are not unrolled.
  public static let buildWithAllLoops = isAll ? ["-u", "BLURBENCH_BUILD"] : ["BLURBENCH_BUILD=quick"]

  /// Returns all inputs if ``isAll`` is true, and otherwise the first one and every `step`-th one after it.
  ///
  /// - Parameter allInCI: Whether `Tests/run --ci` tries all inputs, too. Inputs may be slow only in a debug
  ///   build, for example because each of them starts a program.
  public static func some<Input>(of inputs: [Input], every step: Int = 3, allInCI: Bool = false) -> [Input] {
    isAll || allInCI && includesSlowTests
      ? inputs : stride(from: 0, to: inputs.count, by: step).map { inputs[$0] }
  }
}

extension Trait where Self == ConditionTrait {
  /// Leaves the test out of `Tests/run`.
  public static var slow: Self {
    .enabled(if: Tiers.includesSlowTests, "slow: Tests/run --ci runs it, and so does Tests/run --filter")
  }
  /// Leaves the test out of `Tests/run` and `Tests/run --ci`.
  public static var complete: Self {
    .enabled(if: Tiers.isAll, "long: Tests/run --all runs it, and so does Tests/run --filter")
  }
  /// Leaves the test out of builds that have the inner loops of the baseline only.
  public static var allLoops: Self {
    .enabled(if: Tiers.hasAllLoops, "this build has the loops of the baseline only; Tests/run --ci has all")
  }
}
