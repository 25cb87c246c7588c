import Foundation
import Testing

@Suite("The library from another package")
struct ImportTests {
  /// What README shows: a package elsewhere names this one by path, imports Blur, and runs.
  @Test("A program that imports Blur by path builds and blurs", .timeLimit(.minutes(30)))
  func importByPath() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let folder = FileManager.default.temporaryDirectory.appending(path: "import-blur-\(UUID())")
    let sources = folder.appending(path: "Sources/soften")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.manifest(package).write(
      to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
    try Self.program.write(to: sources.appending(path: "main.swift"), atomically: true, encoding: .utf8)
    let output = try Tool.run("swift", ["run", "--quiet", "soften"], in: folder)
    #expect(output.split(separator: "\n").last == "0 255")
  }

  static func manifest(_ package: URL) -> String {
    """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "soften",
      dependencies: [.package(name: "BlurBench", path: "\(package.path)")],
      targets: [
        .executableTarget(name: "soften", dependencies: [.product(name: "Blur", package: "BlurBench")])
      ])
    """
  }

  /// Blurs a step from black to white; its far ends must stay black and white.
  static let program = """
    import Blur
    let layout = try ImageLayout(.gray8, width: 64, height: 4)
    let step = (0..<4).flatMap { _ in (0..<64).map { UInt8($0 < 32 ? 0 : 255) } }
    let image = try Image(layout, copying: step.span.bytes)
    let plan = try BlurPlan(
      Registry.kernel(named: "simd"), for: layout, BlurParameters(sigma: Sigma(3), edge: .mirror))
    var result = try Image(layout)
    try plan.blur(image, into: &result)
    result.withView { view in
      print(view.base.load(as: UInt8.self), view.base.load(fromByteOffset: 63, as: UInt8.self))
    }
    """
}
