// swift-tools-version: 6.2
import PackageDescription

/// One folder of inner loops, compiled once for each instruction set and chosen at run time.
/// Wider sets need compiler flags, which SwiftPM refuses in versioned dependencies: there the library has
/// the baseline alone (see README, "Use the library").
let isDependency = Context.packageDirectory.contains("/checkouts/")
#if arch(x86_64)
  let hasWideSets = !isDependency
#else
  let hasWideSets = false
#endif

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

/// The folders of the wider sets are links to BlurLanes.
let wideSets: [(target: String, flags: [String])] =
  hasWideSets
  ? [
    ("BlurLanesAVX2", ["-mavx2", "-mfma"]),
    ("BlurLanesAVX512", ["-march=x86-64-v4", "-mprefer-vector-width=512"]),
  ] : []

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
    .target(name: "BlurLanes", dependencies: ["CBlurVectors"], swiftSettings: strict),
    .target(
      name: "Blur",
      dependencies: ["CBlurVectors", "BlurLanes"] + wideSets.map { .target(name: $0.target) },
      swiftSettings: strict + (hasWideSets ? [.define("BLUR_WIDE_SETS")] : [])
    ),

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
    .target(
      name: "BlurMeasurement",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurVerification", "GoogleBenchmarkShim", "CLinux",
        .product(name: "Yams", package: "Yams"),
        .product(name: "SwiftCSV", package: "SwiftCSV"),
      ],
      swiftSettings: strict),

    .target(
      name: "BlurComparison",
      dependencies: [
        "Blur", "BlurText", "BlurVerification", "BlurMeasurement",
      ],
      swiftSettings: strict),
    .target(
      name: "BlurScenes",
      dependencies: [
        "Blur", "CBlurVectors", "BlurVerification", "BlurMeasurement", "BlurImageIO", "CLinux",
        .product(name: "Histogram", package: "hdrhistogram-swift"),
      ],
      swiftSettings: strict),
    .target(
      name: "BlurReport",
      dependencies: [
        "Blur", "BlurText", "BlurImageIO", "BlurVerification", "BlurMeasurement", "BlurComparison",
        .product(name: "SwiftCSV", package: "SwiftCSV"),
      ],
      resources: ["html", "css", "js"].map { .embedInCode("Page/page.\($0)") } + [
        .embedInCode("Page/plot.js")
      ], swiftSettings: strict),

    .executableTarget(
      name: "blurbench",
      dependencies: [
        "Blur", "BlurText", "BlurWisdom", "BlurImageIO", "BlurPlugin", "BlurVerification", "BlurMeasurement",
        "BlurComparison", "BlurScenes", "BlurReport",
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
    .testTarget(name: "BlurMeasurementTests", dependencies: ["BlurMeasurement"], swiftSettings: strict),
    .testTarget(name: "BlurComparisonTests", dependencies: ["BlurComparison"], swiftSettings: strict),
    .testTarget(
      name: "BlurScenesTests", dependencies: ["BlurScenes", "BlurVerification"], swiftSettings: strict),
    .testTarget(
      name: "BlurReportTests", dependencies: ["BlurReport"], exclude: ["Browser"], swiftSettings: strict),
    .testTarget(
      name: "BlurbenchTests", dependencies: ["blurbench", "BlurComparison"], exclude: ["Fixtures"],
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
        "Blur", "BlurText", "BlurWisdom", "BlurImageIO", "BlurMeasurement", "BlurVerification", "BlurReport",
      ],
      path: "Tests/fuzz/Targets", swiftSettings: strict),
    .executableTarget(
      name: "blurbench-threads", dependencies: ["Blur"], path: "Tests/fuzz/Threads", swiftSettings: strict),
  ]
}

for set in wideSets {
  let flags = set.flags.flatMap { ["-Xcc", $0] }
  package.targets.append(
    .target(
      name: set.target, dependencies: ["CBlurVectors"], swiftSettings: strict + [.unsafeFlags(flags)]))
}
