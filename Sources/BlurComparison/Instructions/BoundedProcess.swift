import BlurRecords
import BlurServer
import Foundation

/// The outcome of running a program that had a time limit. The program either ended by itself or was killed.
struct BoundedProcess {
  /// The way in which the program ended.
  enum Ending: Equatable {
    case exit(code: Int32)
    case signal(Int32)
    case killed
  }

  let ending: Ending
  /// The text that the program wrote to its standard error.
  let errors: String

  /// Runs a program and waits until it ends. Its standard output is discarded.
  ///
  /// - Parameters:
  ///   - words: The program, which is looked up in the PATH, followed by its arguments.
  ///   - environment: Environment variables that are set in addition to those of this process.
  ///   - folder: A folder in which a file for the standard error may be created.
  ///   - timeout: The number of seconds after which the program is killed.
  /// - Throws: ``MeasurementError/failed(_:)`` if the program cannot be started.
  init(
    _ words: [String], environment: [String: String] = [:], folder: URL, timeout: Double
  ) throws(MeasurementError) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let log = try ErrorLog(in: folder)
    process.standardError = log.handle
    let child = try ChildProcess(process, keepsOutput: false)
    let isInTime = child.ends(within: timeout)
    child.end()
    ending = isInTime ? child.exitCode.map { .exit(code: $0) } ?? .signal(child.signalNumber ?? 0) : .killed
    errors = log.text
  }
}
