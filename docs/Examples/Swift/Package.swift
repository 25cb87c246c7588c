// swift-tools-version: 6.2
import PackageDescription

let blur = Target.Dependency.product(name: "Blur", package: "BlurBench")

// The examples use no unsafe constructs, so they compile without warnings even with this check.
let safe: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "BlurBench", path: "../../..", traits: [])],
  targets: [
    .executableTarget(name: "soften", dependencies: [blur], swiftSettings: safe),
    .target(name: "AllocationCount"),
    .executableTarget(name: "video", dependencies: [blur, "AllocationCount"], swiftSettings: safe),
    .executableTarget(name: "server", dependencies: [blur], swiftSettings: safe),
    .executableTarget(
      name: "photo", dependencies: [blur, .product(name: "BlurFiles", package: "BlurBench")],
      swiftSettings: safe),
  ]
)
