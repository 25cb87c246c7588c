import Foundation
import Testing

/// Programs that the tests build and run, and where things are.
struct Program {
  let code: Int32
  let output: String

  static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let fixtures = package.appending(path: "Tests/BlurCTests/Fixtures")
  /// Where this test bundle is, and the library beside it.
  static let buildFolder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  #if os(macOS)
    static let library = buildFolder.appending(path: "libBlurC.dylib").path
  #else
    static let library = buildFolder.appending(path: "libBlurC.so").path
  #endif

  /// Runs a program; both its streams are the output.
  init(_ words: [String], in folder: URL = package, environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    code = process.terminationStatus
    #expect(process.terminationReason == .exit, "\(words) ended by a signal: \(output)")
  }

  /// Builds a program with the library; gives its path. A warning is an error.
  static func build(_ sources: [URL], _ compiler: [String], into folder: URL) throws -> String {
    let program = folder.appending(path: "program").path
    let includes = ["Sources/CBlur/include", "Sources/CBlurPlugin/include", Self.counter]
      .flatMap { ["-I", package.appending(path: $0).path] }
    let build = try Program(
      compiler + ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"] + includes + sources.map(\.path)
        + ["-o", program, "-L", buildFolder.path, "-lBlurC", "-lpthread", "-lm"]
        + ["-Wl,-rpath,\(buildFolder.path)"])
    try #require(build.code == 0, "\(build.output)")
    return program
  }

  /// The header of the example that counts allocations.
  static let counter = "docs/Examples/Swift/Sources/AllocationCount/include"

  static func exists(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  static let hasNumpy = (try? Program(["python3", "-c", "import numpy"]).code) == 0

  /// Calls `body` with a new folder that is removed afterwards.
  static func folder<R>(_ body: (URL) throws -> R) throws -> R {
    let url = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url)
  }
}
