// swift-tools-version: 6.2
import PackageDescription

// The test of BlurApple on Apple's systems. On Linux, Tests/ports/run builds it without this package.
let package = Package(
  name: "BlurAppleTest",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "BlurBench", path: "../../..", traits: [])],
  targets: [
    .executableTarget(
      name: "blur-apple",
      dependencies: [
        .product(name: "Blur", package: "BlurBench"), .product(name: "BlurApple", package: "BlurBench"),
      ],
      path: "Sources")
  ]
)
