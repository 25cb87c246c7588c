// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

/// One folder of inner loops is compiled once for each instruction set, and chosen from at run time. The folders of the
/// wider sets are links to BlurLoops. Their flags count for x86-64 alone: `#if arch` in a manifest would ask the machine
/// that builds, not the one that is built for. Elsewhere these targets are the baseline again, and unused.
let wideSets: [(target: String, flags: [String])] = [
  ("BlurLoopsAVX2", ["-mavx2", "-mfma"]),
  ("BlurLoopsAVX512", ["-march=x86-64-v4", "-mprefer-vector-width=512"]),
]

let package = Package(
  name: "BlurBench",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Blur", targets: ["Blur", "BlurWisdom"]),
    .library(name: "BlurC", type: .dynamic, targets: ["BlurC"]),
    .library(name: "BlurCStatic", type: .static, targets: ["BlurC"]),
    .executable(name: "blurbench", targets: ["blurbench"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    .package(url: "https://github.com/swiftcsv/SwiftCSV", from: "0.10.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    // `swift package generate-documentation`; no target depends on it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    // The library: the toolchain alone.
    .target(name: "CBlurVectors"),
    .target(name: "BlurLoopTable", dependencies: ["CBlurVectors"], swiftSettings: strict),
    .target(name: "BlurLoops", dependencies: ["BlurLoopTable"], swiftSettings: strict),
    .target(
      name: "Blur",
      dependencies: ["CBlurVectors", "BlurLoopTable", "BlurLoops"] + wideSets.map { .target(name: $0.target) },
      swiftSettings: strict),

    // Measured choices: found by the library when linked.
    .target(name: "BlurWisdom", dependencies: ["Blur", "CBlurVectors"], swiftSettings: strict),

    // The same for C.
    .target(name: "CBlur"),
    .target(name: "BlurC", dependencies: ["Blur", "BlurWisdom", "CBlur"], swiftSettings: strict),

    // Image files.
    .systemLibrary(
      name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
    .target(name: "PNGShim", dependencies: ["CPNG"]),
    .target(name: "BlurImageIO", dependencies: ["Blur", "PNGShim"], swiftSettings: strict),

    // Other people's kernels.
    .target(name: "CBlurPlugin"),
    .target(name: "BlurPlugin", dependencies: ["Blur", "CBlurPlugin"], swiftSettings: strict),

    // Right, then fast.
    .target(name: "BlurText", swiftSettings: strict),
    .target(name: "BlurVerification", dependencies: ["Blur", "BlurText"], swiftSettings: strict),
    .systemLibrary(
      name: "CGoogleBenchmark", pkgConfig: "benchmark",
      providers: [.apt(["libbenchmark-dev"]), .brew(["google-benchmark"])]),
    .target(
      name: "GoogleBenchmarkShim", dependencies: ["CGoogleBenchmark"], path: "Bench/GoogleBenchmarkShim"),
    .target(name: "CLinux"),
    // Cases, records and what follows from them: data, and no C++.
    .target(
      name: "BlurRecords",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom",
        .product(name: "Yams", package: "Yams"),
        .product(name: "SwiftCSV", package: "SwiftCSV"),
      ],
      swiftSettings: strict),
    .target(
      name: "BlurComparison", dependencies: ["Blur", "BlurText", "BlurVerification", "BlurRecords"],
      swiftSettings: strict),
    // What takes times.
    .target(
      name: "BlurMeasurement",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurVerification", "BlurRecords", "GoogleBenchmarkShim",
        "CLinux",
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
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      swiftSettings: strict),
    .target(
      name: "BlurReport",
      dependencies: [
        "Blur", "BlurText", "BlurImageIO", "BlurVerification", "BlurRecords", "BlurComparison",
        .product(name: "SwiftCSV", package: "SwiftCSV"),
      ],
      resources: ["html", "css", "js"].map { .embedInCode("Page/page.\($0)") } + [
        .embedInCode("Page/plot.js")
      ], swiftSettings: strict),

    .executableTarget(
      name: "blurbench",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurImageIO", "BlurPlugin", "BlurVerification", "BlurRecords",
        "BlurMeasurement", "BlurComparison", "BlurTrials", "BlurScenes", "BlurReport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),

    .testTarget(name: "BlurTests", dependencies: ["Blur"], swiftSettings: strict),
    .testTarget(name: "BlurWisdomTests", dependencies: ["BlurWisdom"], swiftSettings: strict),
    .testTarget(
      name: "BlurCTests", dependencies: ["Blur", "BlurC", "BlurVerification"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(name: "BlurImageIOTests", dependencies: ["BlurImageIO"], swiftSettings: strict),
    .testTarget(
      name: "BlurVerificationTests", dependencies: ["BlurVerification"], exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(name: "BlurRecordsTests", dependencies: ["BlurRecords"], swiftSettings: strict),
    .testTarget(name: "BlurMeasurementTests", dependencies: ["BlurMeasurement"], swiftSettings: strict),
    .testTarget(name: "BlurComparisonTests", dependencies: ["BlurComparison"], swiftSettings: strict),
    .testTarget(
      name: "BlurTrialsTests", dependencies: ["BlurTrials", "BlurVerification"], swiftSettings: strict),
    .testTarget(
      name: "BlurScenesTests", dependencies: ["BlurScenes", "BlurVerification"], swiftSettings: strict),
    .testTarget(
      name: "BlurReportTests", dependencies: ["BlurReport"], exclude: ["Browser"], swiftSettings: strict),
    .testTarget(
      name: "BlurbenchTests", dependencies: ["blurbench", "BlurTrials"], exclude: ["Fixtures"],
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
        "Blur", "BlurText", "BlurImageIO", "BlurRecords", "BlurMeasurement", "BlurVerification",
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
      name: set.target, dependencies: ["BlurLoopTable"], swiftSettings: strict + [.unsafeFlags(flags)]))
}
