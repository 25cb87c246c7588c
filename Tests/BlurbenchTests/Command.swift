import Foundation
import Testing

/// The built `blurbench` or another program, run as a user runs it.
struct Command {
  let code: Int32
  let output: String
  let errors: String

  /// The folder of the build that these tests belong to.
  static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "blurbench").path
  static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Runs `blurbench` with arguments, behind other words such as an emulator's if need be.
  init(
    _ arguments: [String], behind words: [String] = [], in folder: URL = package,
    environment: [String: String] = [:]
  ) throws {
    try self.init(running: words + [Self.program] + arguments, in: folder, environment: environment)
  }

  /// Runs any program.
  init(running words: [String], in folder: URL = package, environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = folder
    let states = ["XDG_STATE_HOME": FileManager.default.temporaryDirectory.path + "/blurbench-states"]
    process.environment = ProcessInfo.processInfo.environment.merging(states) { $1 }
      .merging(environment) { $1 }
    // Files rather than pipes: whatever their length, nothing waits for a reader.
    let streams = try [Scratch.file(), Scratch.file()]
    defer { for stream in streams { try? FileManager.default.removeItem(at: stream) } }
    process.standardOutput = try FileHandle(forWritingTo: streams[0])
    process.standardError = try FileHandle(forWritingTo: streams[1])
    try process.run()
    process.waitUntilExit()
    code = process.terminationStatus
    output = try String(contentsOf: streams[0], encoding: .utf8)
    errors = try String(contentsOf: streams[1], encoding: .utf8)
    #expect(process.terminationReason == .exit, "\(words): ended by a signal: \(errors)")
  }

  static func exists(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }
}

/// Files of a test.
enum Scratch {
  static func file() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    try Data().write(to: url)
    return url
  }

  /// Calls `body` with a new folder that is removed afterwards.
  static func folder<R>(_ body: (URL) throws -> R) throws -> R {
    let url = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url)
  }
}
