import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// One case of one program under callgrind.
struct CallgrindRun {
  private let item: Case
  private let executable: String
  private let folder: URL
  private let timeout: Double
  /// Copies of the program and its plug-ins that Valgrind can read.
  private let program: String
  private let plugins: [String]
  private let environment: [String: String]

  /// Seconds after which the copying of a program is given up.
  private static let patienceForCopies = 60.0

  /// Makes the copies.
  ///
  /// - Parameters:
  ///   - folder: where files may be made.
  ///   - timeout: seconds after which a run is given up.
  /// - Throws: ``MeasurementError/file(path:reason:)`` for what is not a program or library.
  init(
    _ item: Case, _ executable: String, libraries: [String], folder: URL, timeout: Double
  ) throws(MeasurementError) {
    self.item = item
    self.executable = executable
    self.folder = folder
    self.timeout = timeout
    guard FileManager.default.isExecutableFile(atPath: executable) else {
      throw .file(path: executable, reason: "is not a program that can be run")
    }
    program = try Self.readable(executable, folder.appending(path: "program").path, folder)
    var plugins: [String] = []
    for (number, library) in libraries.enumerated() {
      plugins.append(try Self.readable(library, folder.appending(path: "\(number).so").path, folder))
    }
    self.plugins = plugins
    let system = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { [$0] } ?? []
    let origins = ([executable] + libraries).map { URL(filePath: $0).deletingLastPathComponent().path }
    environment = [
      // Hash seeds differ between processes, and with them the number of collisions.
      "SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no",
      // What lies beside the originals is not beside the copies.
      "LD_LIBRARY_PATH": (system + origins).joined(separator: ":"),
    ]
  }

  /// Copies a program without its debug information: that of Swift makes old Valgrinds give up (3.19 does).
  private static func readable(_ path: String, _ copy: String, _ folder: URL) throws(MeasurementError)
    -> String
  {
    let strip = try BoundedProcess(
      ["strip", "--strip-debug", "-o", copy, path], folder: folder, timeout: patienceForCopies)
    guard strip.ending == .exit(code: 0) else {
      throw .file(path: path, reason: "strip cannot read it: \(lastLine(strip.errors))")
    }
    return copy
  }

  /// Instructions of a process that blurs so many times, its start and end included.
  ///
  /// - Throws: ``MeasurementError/failed(_:)``.
  func instructions(iterations: Int) throws(MeasurementError) -> Int {
    let file = folder.appending(path: "callgrind.out")
    try? FileManager.default.removeItem(at: file)
    let process = try BoundedProcess(
      ["valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=\(file.path)", program]
        + ["worker", "count", item.name, String(iterations)] + plugins.flatMap { ["--plugin", $0] },
      environment: environment, folder: folder, timeout: timeout)
    if let failure = failure(process) { throw .failed(failure) }
    guard let text = try? String(contentsOf: file, encoding: .utf8),
      let count = CallgrindFile.instructions(text)
    else { throw .failed("\(item.name): callgrind left no count") }
    return count
  }

  /// Why there is no count, in one line.
  private func failure(_ process: BoundedProcess) -> String? {
    switch process.ending {
    case .exit(code: 0): nil
    case .exit(code: 64):
      "\(executable) cannot count instructions: \(Self.lastLine(process.errors)); is it an older build?"
    case .exit: Self.lastLine(process.errors)
    case .signal(SIGILL): "\(item.name): has instructions that Valgrind does not know"
    case .signal(let code): "\(item.name): crashed under callgrind with signal \(code)"
    case .killed: "\(item.name): callgrind took longer than \(timeout) s"
    }
  }

  /// What the program said last, without its name; else what Valgrind did.
  static func lastLine(_ errors: String) -> String {
    let lines = errors.split(whereSeparator: \.isNewline)
    let line = lines.last { !$0.hasPrefix("==") } ?? lines.last ?? "it said nothing"
    return line.hasPrefix("blurbench: ") ? String(line.dropFirst(11)) : String(line)
  }
}
