// swift-tools-version: 6.2
import PackageDescription

/// The environment variable `BLURBENCH_BUILD` makes builds faster, and programs slower. With `quick`, the
/// inner loops are not unrolled, because compiling them takes longer than everything else. Float results may
/// then differ in their last bits. Modules with little computation are not optimised, either. With
/// `baseline`, the build also lacks the loops for the wider instruction sets.
let kind = Context.environment["BLURBENCH_BUILD"] ?? ""
let isQuick = kind == "quick" || kind == "baseline"
/// Code that is not optimised calls the standard library to access memory, where sanitizers see nothing. So
/// builds for Tests/fuzz are optimised, except for verification and statistics, which no fuzz target tests.
let isFuzzed = Context.environment["BLURBENCH_FUZZ"] != nil

/// The settings of targets that a release build does not optimise. Without the last flag, the compiler would
/// check the types of each module twice, to emit the module before its code.
let notOptimised: [SwiftSetting] = [
  .unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))
]

/// The settings of targets with little computation. Tests/run sets the environment variable
/// `BLURBENCH_TESTS`. A debug build then compiles whole modules at once, as a release build does, although
/// the compiler prints a remark about this each time. The modules that a module imports are then read only
/// once for all of its files, and types are checked only once. The build makes no index of system modules.
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
  + (isQuick && !isFuzzed ? notOptimised : [])
/// Every function begins at the start of a cache line. Otherwise, a change of other code could move the loops
/// of a function across cache lines, and the same code would take up to 20 % longer.
let alignment = "-align-all-functions=6"
/// The settings of targets that compute much. They are optimised in debug and quick builds too, because their
/// loops would otherwise be hundreds of times slower.
let fast: [SwiftSetting] = strict + [.unsafeFlags(["-Xllvm", alignment, "-O"])]

/// The settings of targets that compute much, but whose speed does not matter in a quick release build. Quick
/// release builds are made for planted bugs, for fuzzing, and for packages that use the library.
let fastUnlessQuick: [SwiftSetting] = fast + (isQuick ? notOptimised : [])

/// The settings of most test targets. They have few loops of their own, so optimising them would take more
/// time than it saves, even in a release build.
let tests: [SwiftSetting] = strict + notOptimised

/// The targets for the wider instruction sets. One folder of inner loops is compiled once for each
/// instruction set, and one of the results is chosen at run time. The folders of these targets are links to
/// BlurLoops.
///
/// The flags apply only to x86-64 (`-Xarch_x86_64`). An `#if arch` in the manifest would test the
/// architecture of the machine that builds, instead of the architecture that the program is built for. On
/// other architectures, these targets contain the baseline again, and are not used.
let allWideSets: [(target: String, flags: [String])] = [
  ("BlurLoopsAVX2", ["-mavx2", "-mfma"]),
  ("BlurLoopsAVX512", ["-march=x86-64-v4", "-mprefer-vector-width=512"]),
]

let wideSets = kind == "baseline" ? [] : allWideSets
let loopSettings = fast + (isQuick ? [.define("BLUR_ROLLED")] : [])

/// The modules that each folder of inner loops imports.
let loopDependencies: [Target.Dependency] = ["BlurLoopTable", "CBlurVectors"]

/// The compiler flags that `blurbench --version` prints.
let flags = ([alignment] + wideSets.map { "\($0.target) \($0.flags.joined(separator: " "))" })
  .joined(separator: "; ")

/// Returns a dependency on a product that only the measuring program needs. If the trait `Bench` is off,
/// SwiftPM does not even fetch the package of this product.
func bench(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Bench"]))
}

let package = Package(
  name: "BlurBench",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Blur", targets: ["Blur", "BlurWisdom"]),
    .library(name: "BlurCore", targets: ["Blur"]),
    .library(name: "BlurFiles", targets: ["BlurFiles"]),
    .library(name: "BlurApple", targets: ["BlurApple"]),
    .library(name: "BlurC", type: .dynamic, targets: ["BlurC"]),
    .library(name: "BlurCStatic", type: .static, targets: ["BlurC"]),
    .executable(name: "blurbench", targets: ["blurbench"]),
  ],
  traits: [
    .default(enabledTraits: ["Bench"]),
    .trait(name: "Bench", description: "The measuring program; the libraries do without."),
  ],
  // The versions are exact, because a benchmark must always be built from the same code. There is no
  // Package.resolved, because this file would not fit a mirror from which somebody fetches the same versions.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/swiftcsv/SwiftCSV", exact: "0.10.0"),
  ],
  targets: [
    // The library, which needs only the toolchain.
    .target(name: "CBlurVectors"),
    .target(name: "BlurLoopTable", dependencies: ["CBlurVectors"], swiftSettings: fast),
    .target(
      name: "BlurLoops", dependencies: loopDependencies,
      swiftSettings: loopSettings),
    .target(
      name: "Blur",
      dependencies: ["CBlurVectors", "BlurLoopTable", "BlurLoops"]
        + wideSets.map { .target(name: $0.target) },
      swiftSettings: fast + (wideSets.isEmpty ? [.define("BLUR_BASELINE_ONLY")] : [])),

    // Choices of kernels that were measured. The library finds this module if it is linked.
    .target(name: "BlurWisdom", dependencies: ["Blur", "CBlurVectors"], swiftSettings: strict),

    // The library as C functions. The C module also has the header for plug-ins.
    .target(name: "CBlur"),
    .target(name: "BlurC", dependencies: ["Blur", "BlurWisdom", "CBlur"], swiftSettings: fast),

    // The images of Apple's frameworks. On other systems, this module is empty.
    .target(name: "BlurApple", dependencies: ["Blur"], swiftSettings: strict),

    // Reading and writing of image files.
    .systemLibrary(
      name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
    .target(name: "PNGShim", dependencies: ["CPNG"]),
    .target(name: "BlurFiles", dependencies: ["Blur", "PNGShim"], swiftSettings: fast),

    // The verification of kernels, and the measurement of their speed.
    .target(name: "BlurText", swiftSettings: strict),
    // The functions of the system that Swift cannot call by itself, such as fault handlers.
    .target(name: "CLinux", cSettings: [.define("BUILD_FLAGS", to: "\"\(flags)\"")]),
    .target(
      name: "BlurVerification", dependencies: ["Blur", "BlurText", "CLinux"],
      swiftSettings: isFuzzed ? fastUnlessQuick : fast),
    .systemLibrary(
      name: "CGoogleBenchmark", path: "Bench/GoogleBenchmark/CGoogleBenchmark", pkgConfig: "benchmark",
      providers: [.apt(["libbenchmark-dev"]), .brew(["google-benchmark"])]),
    .target(
      name: "GoogleBenchmarkShim", dependencies: ["CGoogleBenchmark"], path: "Bench/GoogleBenchmark/Shim"),
    .target(
      name: "BlurSuites", path: "Bench/Suites",
      resources: [
        "compare", "once", "peers", "quick", "scenes", "standard", "tune", "variable",
      ].map { .embedInCode("\($0).yml") }, swiftSettings: strict),
    // Cases and records. This target works only with data, and needs no C++.
    .target(
      name: "BlurRecords",
      dependencies: [
        "Blur", "BlurSuites", "BlurText", "BlurWisdom",
        bench("Yams", "Yams"),
        bench("SwiftCSV", "SwiftCSV"),
      ],
      swiftSettings: strict),
    // Kernels in other processes: plug-ins, other builds and other machines. The folder Embedded is the part
    // that runs on other machines. It compiles in Embedded Swift, as the library does.
    .target(
      name: "BlurServer",
      dependencies: ["Blur", "BlurText", "BlurRecords", "CBlur", "CBlurVectors", "CLinux"],
      swiftSettings: fast),
    // The code that measures times.
    .target(
      name: "BlurMeasurement",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurVerification", "BlurRecords", "BlurServer",
        "GoogleBenchmarkShim", "CLinux",
      ],
      swiftSettings: strict),
    .target(name: "CSceneColours"),
    // The comparison of builds, kernels and records. The statistics compute much.
    .target(
      name: "BlurComparison",
      dependencies: [
        "Blur", "BlurText", "BlurVerification", "BlurRecords", "BlurServer", "BlurMeasurement",
      ],
      swiftSettings: fastUnlessQuick),
    .target(
      name: "BlurScenes",
      dependencies: [
        "Blur", "CSceneColours", "BlurText", "BlurVerification", "BlurRecords", "BlurMeasurement",
        "BlurFiles", "CLinux",
      ],
      swiftSettings: fastUnlessQuick),
    .target(
      name: "BlurReport",
      dependencies: [
        "Blur", "BlurText", "BlurFiles", "BlurVerification", "BlurRecords", "BlurComparison",
      ],
      resources: [
        "page.html", "page.css", "plot.js", "chart.js", "data.js", "figures.js", "changes.js", "kernels.js",
        "page.js", "site.js",
      ].map { .embedInCode("Page/\($0)") }, swiftSettings: strict),

    .executableTarget(
      name: "blurbench",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurFiles", "BlurServer", "BlurVerification", "BlurRecords",
        "BlurMeasurement", "BlurComparison", "BlurScenes", "BlurReport",
        bench("ArgumentParser", "swift-argument-parser"),
      ],
      swiftSettings: strict),

    // Tools for people who work on the kernels. No product contains this program. It is built together with
    // the tests, and by `Bench/build --product lab`.
    .executableTarget(
      name: "lab",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurVerification", "BlurRecords", "BlurMeasurement",
        "BlurComparison",
        bench("ArgumentParser", "swift-argument-parser"),
      ],
      path: "Bench/Lab/Sources", swiftSettings: strict),

    // Each test target names all modules that it imports. Otherwise, a change in one of them would not
    // rebuild the tests. The first test target contains code that the others share.
    .testTarget(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: tests),
    .testTarget(
      name: "BlurTests", dependencies: ["Blur", "BlurWisdom", "CLinux", "TestSupport"],
      exclude: ["PublicSurface.txt"], swiftSettings: tests),
    .testTarget(
      name: "BlurWisdomTests", dependencies: ["Blur", "BlurWisdom", "TestSupport"], swiftSettings: tests),
    .testTarget(
      name: "BlurCTests", dependencies: ["Blur", "BlurC", "BlurVerification", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "BlurFilesTests", dependencies: ["Blur", "BlurFiles", "TestSupport"], swiftSettings: tests),
    .testTarget(
      name: "BlurVerificationTests", dependencies: ["Blur", "BlurVerification", "TestSupport"],
      exclude: ["Fixtures"],
      swiftSettings: fast),
    .testTarget(
      name: "BlurRecordsTests", dependencies: ["Blur", "BlurText", "BlurRecords", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "BlurServerTests", dependencies: ["BlurRecords", "BlurServer", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "BlurMeasurementTests",
      dependencies: [
        "Blur", "BlurRecords", "BlurServer", "BlurVerification", "BlurWisdom", "CLinux", "BlurMeasurement",
        "TestSupport",
      ], swiftSettings: tests),
    .testTarget(
      name: "BlurComparisonTests",
      dependencies: [
        "Blur", "BlurRecords", "BlurVerification", "BlurMeasurement", "BlurComparison", "TestSupport",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "BlurScenesTests",
      dependencies: [
        "Blur", "BlurFiles", "BlurMeasurement", "BlurRecords", "CLinux", "CSceneColours", "BlurScenes",
        "BlurVerification", "TestSupport",
      ], swiftSettings: tests),
    .testTarget(
      name: "BlurReportTests",
      dependencies: ["Blur", "BlurFiles", "BlurRecords", "BlurVerification", "BlurReport", "TestSupport"],
      exclude: ["Browser"],
      swiftSettings: tests),
    .testTarget(
      name: "BlurbenchTests",
      dependencies: [
        "Blur", "BlurComparison", "BlurFiles", "BlurMeasurement", "BlurRecords", "BlurScenes", "blurbench",
        "BlurServer", "BlurWisdom", "TestSupport",
      ],
      exclude: ["Fixtures"],
      swiftSettings: tests),
    .testTarget(
      name: "LabTests",
      dependencies: [
        "Blur", "BlurComparison", "BlurMeasurement", "BlurRecords", "lab", "TestSupport",
      ],
      swiftSettings: tests),
  ],
  cxxLanguageStandard: .cxx17
)

// Only Tests/fuzz builds these targets, by setting this variable.
if isFuzzed {
  package.targets += [
    .executableTarget(
      name: "blurbench-fuzz",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurFiles", "BlurRecords", "BlurMeasurement", "BlurVerification",
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
      name: set.target, dependencies: loopDependencies, swiftSettings: loopSettings + [.unsafeFlags(flags)]))
}
