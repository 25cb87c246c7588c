import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// A program that is run to its end, or killed after a timeout.
struct BoundedProcess {
  /// How it ended.
  enum Ending: Equatable {
    case exit(code: Int32)
    case signal(Int32)
    case killed
  }

  let ending: Ending
  /// What it wrote to standard error.
  let errors: String

  /// Runs `words`, the first of which is looked for in the PATH; standard output is not read.
  ///
  /// - Parameters:
  ///   - folder: where a file for the standard error may be made.
  ///   - timeout: seconds after which the program is killed.
  /// - Throws: ``MeasurementError/failed(_:)`` where it cannot be started.
  init(
    _ words: [String], environment: [String: String] = [:], folder: URL, timeout: Double
  ) throws(MeasurementError) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // Open as long as this process lives: see ParentWatch.
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
