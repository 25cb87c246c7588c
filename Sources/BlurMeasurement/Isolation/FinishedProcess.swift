import BlurRecords
import Foundation

/// A program that was run to its end.
public struct FinishedProcess {
  /// Its exit code, or the number of the signal that ended it.
  public let code: Int32
  /// What it printed.
  public let output: String
  /// Whether it ended by itself and well.
  public let isGood: Bool

  /// Runs `words`, the first of which is looked for in the PATH.
  ///
  /// - Parameter keepsErrors: whether its standard error is part of the output.
  /// - Throws: ``MeasurementError/failed(_:)`` where it cannot be started.
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
