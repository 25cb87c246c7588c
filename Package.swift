// swift-tools-version: 6.2
import PackageDescription

/// For Tests/run a debug build is compiled as a release build is, whole modules at once, on which the
/// compiler remarks each time: what modules import is read once for each, and types are checked once. No
/// index is made of what they import.
let strict: [SwiftSetting] =
  [.swiftLanguageMode(.v6)]
  + (Context.environment["BLURBENCH_TESTS"] == nil
    ? []
    : [
      .unsafeFlags(
        [
          "-whole-module-optimization", "-disable-batch-mode", "-num-threads", "2",
          "-no-emit-module-separately-wmo", "-index-ignore-system-modules",
        ], .when(configuration: .debug))
    ])
/// Functions begin at cache lines: where they may not, other code moves the loops of a function across them,
/// and the same code takes up to 20 % longer.
let alignment = "-align-all-functions=6"
/// Of what computes long: a debug build optimises it too, for loops would be hundreds of times slower
/// otherwise.
let fast: [SwiftSetting] =
  strict + [
    .unsafeFlags(["-Xllvm", alignment]),
    .unsafeFlags(["-O"], .when(configuration: .debug)),
  ]

/// One folder of inner loops is compiled once for each instruction set, and chosen from at run time. The
/// folders of the wider sets are links to BlurLoops. Their flags count for x86-64 alone: `#if arch` in a
/// manifest would ask the machine that builds, not the one that is built for. Elsewhere these targets are the
/// baseline again, and unused.
let allWideSets: [(target: String, flags: [String])] = [
  ("BlurLoopsAVX2", ["-mavx2", "-mfma"]),
  ("BlurLoopsAVX512", ["-march=x86-64-v4", "-mprefer-vector-width=512"]),
]

/// With `BLURBENCH_LOOPS=baseline`, a build has the loops of the baseline only. Tests/run builds this way,
/// because compiling the loops three times takes a third of a debug build; CI tests all instruction sets.
let hasWideSets = Context.environment["BLURBENCH_LOOPS"] != "baseline"
let wideSets = hasWideSets ? allWideSets : []

/// What all those folders import.
let loopDependencies: [Target.Dependency] = ["BlurLoopTable", "CBlurVectors"]

/// What `--version` says of the flags.
let flags = ([alignment] + wideSets.map { "\($0.target) \($0.flags.joined(separator: " "))" })
  .joined(separator: "; ")

/// A product that only the measuring program needs. Where the trait is off, SwiftPM doesn't even fetch its
/// package.
func bench(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Bench"]))
}

let package = Package(
  name: "BlurBench",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Blur", targets: ["Blur", "BlurWisdom"]),
    .library(name: "BlurCore", targets: ["Blur"]),
    .library(name: "BlurImageIO", targets: ["BlurImageIO"]),
    .library(name: "BlurC", type: .dynamic, targets: ["BlurC"]),
    .library(name: "BlurCStatic", type: .static, targets: ["BlurC"]),
    .executable(name: "blurbench", targets: ["blurbench"]),
  ],
  traits: [
    .default(enabledTraits: ["Bench"]),
    .trait(name: "Bench", description: "The measuring program; the libraries do without."),
  ],
  // Exact versions, because a benchmark pins what it is made of. There is no Package.resolved: it would not
  // hold for those who fetch the same versions from mirrors.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/swiftcsv/SwiftCSV", exact: "0.10.0"),
  ],
  targets: [
    // The library: the toolchain alone.
    .target(name: "CBlurVectors"),
    .target(name: "BlurLoopTable", dependencies: ["CBlurVectors"], swiftSettings: fast),
    .target(
      name: "BlurLoops", dependencies: loopDependencies,
      swiftSettings: fast + (hasWideSets ? [] : [.define("BLUR_ROLLED")])),
    .target(
      name: "Blur",
      dependencies: ["CBlurVectors", "BlurLoopTable", "BlurLoops"]
        + wideSets.map { .target(name: $0.target) },
      swiftSettings: fast + (hasWideSets ? [] : [.define("BLUR_BASELINE_ONLY")])),

    // Measured choices: found by the library when linked.
    .target(name: "BlurWisdom", dependencies: ["Blur", "CBlurVectors"], swiftSettings: strict),

    // The same for C.
    .target(name: "CBlur"),
    .target(name: "BlurC", dependencies: ["Blur", "BlurWisdom", "CBlur"], swiftSettings: fast),

    // Image files.
    .systemLibrary(
      name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
    .target(name: "PNGShim", dependencies: ["CPNG"]),
    .target(name: "BlurImageIO", dependencies: ["Blur", "PNGShim"], swiftSettings: fast),

    // External kernels: plug-ins.
    .target(name: "CBlurPlugin"),
    .target(name: "BlurPlugin", dependencies: ["Blur", "BlurWorker", "CBlurPlugin"], swiftSettings: fast),

    // Kernels on other machines: what runs there, and compiles in Embedded Swift as the library does.
    .target(name: "CBlurWorker"),
    .target(name: "BlurWorker", dependencies: ["Blur", "CBlurVectors", "CBlurWorker"], swiftSettings: fast),

    // Right, then fast.
    .target(name: "BlurText", swiftSettings: strict),
    // Words that processes share, and what one that dies of a fault writes there.
    .target(name: "CSharedWords"),
    .target(
      name: "BlurVerification", dependencies: ["Blur", "BlurText", "CSharedWords"], swiftSettings: fast),
    .systemLibrary(
      name: "CGoogleBenchmark", pkgConfig: "benchmark",
      providers: [.apt(["libbenchmark-dev"]), .brew(["google-benchmark"])]),
    .target(
      name: "GoogleBenchmarkShim", dependencies: ["CGoogleBenchmark"], path: "Bench/GoogleBenchmarkShim"),
    .target(name: "CLinux", cSettings: [.define("BUILD_FLAGS", to: "\"\(flags)\"")]),
    .target(
      name: "BlurSuites", path: "Bench/Suites",
      resources: [
        "compare", "constants", "full", "headroom", "peers", "quick", "scenes", "standard", "tune",
        "variable",
      ].map { .embedInCode("\($0).yml") }, swiftSettings: strict),
    // Cases, records and what follows from them: data, and no C++.
    .target(
      name: "BlurRecords",
      dependencies: [
        "Blur", "BlurSuites", "BlurText", "BlurWisdom",
        bench("Yams", "Yams"),
        bench("SwiftCSV", "SwiftCSV"),
      ],
      swiftSettings: strict),
    .target(
      name: "BlurComparison", dependencies: ["Blur", "BlurText", "BlurVerification", "BlurRecords"],
      swiftSettings: fast),
    // What takes times.
    .target(
      name: "BlurMeasurement",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurVerification", "BlurRecords", "GoogleBenchmarkShim",
        "CLinux", "CSharedWords",
      ],
      swiftSettings: strict),
    .target(name: "CSceneColours"),
    .target(
      name: "BlurTrials",
      dependencies: ["Blur", "BlurText", "BlurRecords", "BlurMeasurement", "BlurComparison"],
      swiftSettings: strict),
    .target(
      name: "BlurScenes",
      dependencies: [
        "Blur", "CSceneColours", "BlurText", "BlurVerification", "BlurRecords", "BlurMeasurement",
        "BlurImageIO", "CLinux",
      ],
      swiftSettings: fast),
    .target(
      name: "BlurReport",
      dependencies: [
        "Blur", "BlurText", "BlurImageIO", "BlurVerification", "BlurRecords", "BlurComparison",
        bench("SwiftCSV", "SwiftCSV"),
      ],
      resources: [
        "page.html", "page.css", "plot.js", "chart.js", "data.js", "figures.js", "changes.js", "kernels.js",
        "page.js", "site.js",
      ].map { .embedInCode("Page/\($0)") }, swiftSettings: strict),

    .executableTarget(
      name: "blurbench",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurImageIO", "BlurPlugin", "BlurWorker", "BlurVerification",
        "BlurRecords", "BlurMeasurement", "BlurComparison", "BlurTrials", "BlurScenes", "BlurReport",
        bench("ArgumentParser", "swift-argument-parser"),
      ],
      swiftSettings: strict),

    // Most tests have few loops of their own: optimising them takes longer than it saves. All that they
    // import is named, or a build would not compile them anew where it changed. What they share:
    .testTarget(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(
      name: "BlurTests", dependencies: ["Blur", "BlurWisdom", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "BlurWisdomTests", dependencies: ["Blur", "BlurWisdom", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "BlurCTests", dependencies: ["Blur", "BlurC", "BlurVerification", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "BlurImageIOTests", dependencies: ["Blur", "BlurImageIO", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "BlurVerificationTests", dependencies: ["Blur", "BlurVerification", "TestSupport"],
      exclude: ["Fixtures"],
      swiftSettings: fast),
    .testTarget(
      name: "BlurRecordsTests", dependencies: ["Blur", "BlurText", "BlurRecords", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "BlurMeasurementTests",
      dependencies: [
        "Blur", "BlurRecords", "BlurVerification", "BlurWisdom", "CLinux", "BlurMeasurement", "TestSupport",
      ], swiftSettings: strict),
    .testTarget(
      name: "BlurComparisonTests",
      dependencies: ["Blur", "BlurRecords", "BlurVerification", "BlurComparison", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "BlurTrialsTests",
      dependencies: [
        "Blur", "BlurComparison", "BlurMeasurement", "BlurRecords", "BlurTrials", "BlurVerification",
        "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "BlurScenesTests",
      dependencies: [
        "Blur", "BlurImageIO", "BlurMeasurement", "BlurRecords", "CLinux", "CSceneColours", "BlurScenes",
        "BlurVerification", "TestSupport",
      ], swiftSettings: strict),
    .testTarget(
      name: "BlurReportTests",
      dependencies: ["Blur", "BlurImageIO", "BlurRecords", "BlurVerification", "BlurReport", "TestSupport"],
      exclude: ["Browser"],
      swiftSettings: strict),
    .testTarget(
      name: "BlurbenchTests",
      dependencies: [
        "Blur", "BlurComparison", "BlurImageIO", "BlurMeasurement", "BlurRecords", "BlurScenes", "blurbench",
        "BlurTrials", "BlurWisdom", "BlurWorker", "TestSupport",
      ],
      exclude: ["Fixtures"],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)

// Tests/fuzz builds these; a normal build never sees them.
if Context.environment["BLURBENCH_FUZZ"] != nil {
  package.targets += [
    .executableTarget(
      name: "blurbench-fuzz",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurImageIO", "BlurRecords", "BlurMeasurement", "BlurVerification",
        "BlurReport",
      ],
      path: "Tests/fuzz/Targets", swiftSettings: strict),
    .executableTarget(
      name: "blurbench-threads", dependencies: ["Blur"], path: "Tests/fuzz/Threads", swiftSettings: strict),
  ]
}

for set in wideSets {
  let flags = ["-Xcc", "-Qunused-arguments"] + set.flags.flatMap { ["-Xcc", "-Xarch_x86_64", "-Xcc", $0] }
  package.targets.append(
    .target(
      name: set.target, dependencies: loopDependencies, swiftSettings: fast + [.unsafeFlags(flags)]))
}
