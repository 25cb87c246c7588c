import Foundation
import Testing

/// A program that has run and ended.
public struct Program: Sendable {
  public let code: Int32
  /// The text that the program printed to its standard output. `errors` is the text from its standard error.
  public let output: String
  public let errors: String
  /// The text from standard output, followed by the text from standard error.
  public var printed: String { output + errors }

  /// The folder of this package.
  public static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  /// The folder that contains the built tests and the products that they test.
  public static let buildFolder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

  /// Returns whether the search path contains a program with this name.
  public static func exists(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }

  /// Runs a program and waits until it ends.
  ///
  /// - Parameters:
  ///   - words: the name of the program and its arguments.
  ///   - folder: the working directory.
  ///   - environment: variables that are added to those of this process.
  ///   - input: the bytes that the program reads from its standard input.
  public init(
    _ words: [String], in folder: URL = package, environment: [String: String] = [:], input: Data = Data()
  ) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    (output, errors) = try Scratch.folder { scratch in
      // The streams are files instead of pipes. So the program never has to wait for a reader, however much
      // it prints.
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

  /// Runs a program that must succeed, and returns what it printed to its standard output.
  ///
  /// - Throws: ``Failure`` if the exit code is not 0.
  public static func output(
    _ words: [String], in folder: URL = package, input: Data = Data()
  ) throws -> String {
    let program = try Program(words, in: folder, input: input)
    guard program.code == 0 else { throw Failure(words: words, program: program) }
    return program.output
  }

  /// The error for a program that ended with an exit code other than 0.
  public struct Failure: Error {
    let words: [String]
    let program: Program
  }
}
