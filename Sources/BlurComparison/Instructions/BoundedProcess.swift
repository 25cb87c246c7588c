import BlurMeasurement
import BlurRecords
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
    // Nothing is written to this pipe. It stays open as long as this process lives, and a worker ends when
    // the pipe is closed (see ParentWatch).
    process.standardInput = Pipe()
    process.standardOutput = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    let log = folder.appending(path: "errors")
    do {
      try Data().write(to: log)
      process.standardError = try FileHandle(forWritingTo: log)
      try process.run()
    } catch { throw .failed("\(words[0]) could not be started: \(error.localizedDescription)") }
    let isInTime = ended.wait(timeout: .now() + timeout) == .success
    if !isInTime {
      kill(process.processIdentifier, SIGKILL)
      ended.wait()
    }
    let code = process.terminationStatus
    ending = !isInTime ? .killed : process.terminationReason == .exit ? .exit(code: code) : .signal(code)
    errors = String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
  }
}
