import Foundation
import Testing

/// A program that has run.
public struct Program: Sendable {
  public let code: Int32
  /// What it printed to each of its streams.
  public let output: String
  public let errors: String
  /// Both.
  public var printed: String { output + errors }

  /// The package's folder.
  public static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  /// Where the tests were built, and what they test.
  public static let buildFolder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

  /// Whether a program of that name can be run.
  public static func exists(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  /// Runs words of a command line.
  ///
  /// - Parameters:
  ///   - environment: variables beside those of this process.
  ///   - input: what the program reads.
  public init(
    _ words: [String], in folder: URL = package, environment: [String: String] = [:], input: Data = Data()
  ) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    (output, errors) = try Scratch.folder { scratch in
      // Files rather than pipes: whatever their length, nothing waits for a reader.
      let streams = ["input", "output", "errors"].map { scratch.appending(path: $0) }
      for (stream, data) in zip(streams, [input, Data(), Data()]) { try data.write(to: stream) }
      process.standardInput = try FileHandle(forReadingFrom: streams[0])
      process.standardOutput = try FileHandle(forWritingTo: streams[1])
      process.standardError = try FileHandle(forWritingTo: streams[2])
      try process.run()
      process.waitUntilExit()
      return try (
        String(contentsOf: streams[1], encoding: .utf8), String(contentsOf: streams[2], encoding: .utf8)
      )
    }
    code = process.terminationStatus
    #expect(process.terminationReason == .exit, "\(words): ended by a signal: \(errors)")
  }

  /// What a program that must succeed prints to its standard output.
  public static func output(
    _ words: [String], in folder: URL = package, input: Data = Data()
  ) throws -> String {
    let program = try Program(words, in: folder, input: input)
    guard program.code == 0 else { throw Failure(words: words, program: program) }
    return program.output
  }

  /// A program that failed.
  public struct Failure: Error {
    let words: [String]
    let program: Program
  }
}
