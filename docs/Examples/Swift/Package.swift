// swift-tools-version: 6.2
import PackageDescription

let blur = Target.Dependency.product(name: "Blur", package: "BlurBench")

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "BlurBench", path: "../../..", traits: [])],
  targets: [
    .executableTarget(name: "soften", dependencies: [blur]),
    .target(name: "AllocationCount"),
    .executableTarget(name: "video", dependencies: [blur, "AllocationCount"]),
    .executableTarget(name: "server", dependencies: [blur]),
    .executableTarget(
      name: "photo", dependencies: [blur, .product(name: "BlurFiles", package: "BlurBench")]),
  ]
)
