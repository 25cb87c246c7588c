import BlurRecords
import Foundation

/// The result of a program that has run and ended.
public struct FinishedProcess {
  /// The exit code of the program, or the number of the signal that ended it.
  public let code: Int32
  /// The text that the program printed.
  public let output: String
  /// Whether the program exited by itself with code 0.
  public let isGood: Bool

  /// Runs a program and waits until it ends.
  ///
  /// - Parameters:
  ///   - words: The program, which is looked up in the PATH, followed by its arguments.
  ///   - keepsErrors: Whether the output includes the program's standard error.
  /// - Throws: ``MeasurementError/failed(_:)`` if the program cannot be started.
  public init(_ words: [String], keepsErrors: Bool = false) throws(MeasurementError) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    let pipe = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = keepsErrors ? pipe : FileHandle.nullDevice
    do { try process.run() } catch {
      throw .failed("\(words[0]) cannot be started: \(error.localizedDescription)")
    }
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    code = process.terminationStatus
    output = String(decoding: bytes, as: UTF8.self)
    isGood = process.terminationReason == .exit && code == 0
  }
}
