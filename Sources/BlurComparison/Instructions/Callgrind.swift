import Blur
import BlurMeasurement
import BlurRecords
import BlurServer
import Foundation

/// Counts instructions with Valgrind's tool callgrind. Callgrind is slow, but its counts are repeatable, and
/// it does not need hardware counters.
///
/// Fewer instructions do not always mean less time, because times also depend on memory accesses. The CPU
/// that Valgrind emulates has one core and supports AVX2 but not AVX-512.
struct Callgrind {
  /// The number of seconds after which a run of callgrind is killed. Each case needs two or three runs.
  let timeout: Double

  /// The smallest useful difference between the instruction counts of two runs.
  ///
  /// The instructions of one blur are computed from two runs with different numbers of blurs. The
  /// instructions for starting the program vary by some thousands from run to run, so the blurs must make a
  /// much larger difference.
  private static let leastDifference = 3e7

  /// Checks that the tools are installed.
  ///
  /// - Parameter path: The folders in which to look for the tools, separated by colons.
  /// - Throws: ``MeasurementError/failed(_:)`` with the name of the package to install if a tool is missing.
  init(timeout: Double = 120, path: String = Self.path) throws(MeasurementError) {
    self.timeout = timeout
    for (tool, package) in [("valgrind", "valgrind"), ("strip", "binutils")] {
      guard Self.isInstalled(tool, path) else {
        throw .failed("\(tool) is not installed: apt-get install \(package)")
      }
    }
  }

  /// Returns callgrind if it is installed. Returns nil if it is not installed, but the hardware counters can
  /// count the instructions of all the cases.
  ///
  /// - Parameters:
  ///   - hasCounters: Whether the CPU has hardware counters for instructions, which can count only cases with
  ///     one thread.
  ///   - path: The folders in which to look for the tools, separated by colons.
  /// - Throws: ``MeasurementError/failed(_:)`` if callgrind is needed but not installed.
  static func found(
    for cases: [Case], hasCounters: Bool = CounterGroup.canCountInstructions, path: String = Self.path
  ) throws(MeasurementError) -> Callgrind? {
    do { return try Callgrind(path: path) } catch {
      guard hasCounters, cases.allSatisfy({ $0.workload.threads == 1 }) else { throw error }
      return nil
    }
  }

  /// Counts the instructions of one blur of a case.
  ///
  /// - Parameters:
  ///   - name: The name of the requested case. The variant that ``countable(_:)`` returns is counted in its
  ///     place.
  ///   - executable: The path of a `blurbench` program of any revision.
  ///   - libraries: The paths of the plug-ins to load.
  /// - Returns: The name of the case that was actually counted, the number of user-space instructions in one
  ///   blur, and a note. The note says how the counted case differs from the requested case, and is nil if
  ///   they are equal.
  /// - Throws: A ``MeasurementError`` with one line of text if the instructions cannot be counted.
  func instructions(
    of name: String, executable: String, libraries: [String] = []
  ) throws(MeasurementError) -> (name: String, perBlur: Double, note: String?) {
    let (item, note) = Self.countable(try Case(name: name))
    let folder = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw .file(path: folder.path, reason: error.localizedDescription)
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try CallgrindRun(item, executable, libraries: libraries, folder: folder, timeout: timeout)
    let once = try run.instructions(iterations: 1)
    let perBlur = { (more: Int) throws(MeasurementError) -> Double in
      let many = try run.instructions(iterations: 1 + more)
      guard many > once else {
        throw .failed(
          "\(item.name): \(executable) does not seem to blur, because several blurs took no more "
            + "instructions than one")
      }
      return Double(many - once) / Double(more)
    }
    var result = try perBlur(2)
    if 2 * result < Self.leastDifference {
      result = try perBlur(Int(min(1000, (Self.leastDifference / result).rounded(.up))))
    }
    return (item.name, result, note)
  }

  /// Returns a variant of the case that callgrind can run, and a note on how it differs from the case. The
  /// variant has one thread, because Valgrind runs threads one at a time, and it uses AVX2 in place of
  /// AVX-512.
  static func countable(_ item: Case) -> (item: Case, note: String?) {
    var counted = item
    counted.workload.threads = 1
    counted.isa = min(item.isa, .avx2)
    let changes = zip(item.fields, counted.fields).filter { $0.value != $1.value }
      .map { "\($1.key)=\($1.value) instead of \($0.value)" }
    return (
      counted,
      changes.isEmpty ? nil : "instructions were counted with " + changes.joined(separator: " and ")
    )
  }

  /// Returns the number of executed instructions that an output file of callgrind reports, or nil if the text
  /// is not the content of such a file.
  ///
  /// Source: "Callgrind Format Specification" in the Valgrind manual. The line `events: Ir …` names the
  /// columns of all lines with costs. The line `totals:` holds the sums over the whole file, and a line
  /// `summary:` holds the sums over one part of it.
  static func instructions(in text: String) -> Int? {
    var values: [Substring: [Substring]] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      for key in ["events:", "totals:", "summary:"] where line.hasPrefix(key) {
        values[line.prefix(key.count)] = line.dropFirst(key.count).split(separator: " ")
      }
    }
    guard let column = values["events:"]?.firstIndex(of: "Ir"),
      let sums = values["totals:"] ?? values["summary:"], column < sums.count
    else { return nil }
    return Int(sums[column]).flatMap { $0 >= 0 ? $0 : nil }
  }

  /// Returns the last line of error output that the program itself wrote, without the program's name at the
  /// beginning. If the program wrote no such line, the last line that Valgrind wrote is returned.
  static func lastLine(_ errors: String) -> String {
    let lines = errors.split(whereSeparator: \.isNewline)
    let line = lines.last { !$0.hasPrefix("==") } ?? lines.last ?? "there is no error message"
    return line.hasPrefix("blurbench: ") ? String(line.dropFirst(11)) : String(line)
  }

  private static var path: String { ProcessInfo.processInfo.environment["PATH"] ?? "" }

  private static func isInstalled(_ tool: String, _ path: String) -> Bool {
    path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
  }
}

/// Runs one case of one program under callgrind.
private struct CallgrindRun {
  private let item: Case
  private let executable: String
  private let folder: URL
  private let timeout: Double
  /// The paths of copies of the program and its plug-ins. The copies have no debug information, so that
  /// Valgrind can read them.
  private let program: String
  private let plugins: [String]
  private let environment: [String: String]

  /// The number of seconds that the tool `strip` may take to copy a program without its debug information.
  /// After this time, it is killed and an error is thrown.
  private static let copyTimeout = 60.0

  /// Copies the program and its plug-ins (`libraries`) to `folder`. The runs of callgrind later write their
  /// files to this folder too.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if a file is not a program or library.
  init(
    _ item: Case, _ executable: String, libraries: [String], folder: URL, timeout: Double
  ) throws(MeasurementError) {
    self.item = item
    self.executable = executable
    self.folder = folder
    self.timeout = timeout
    guard FileManager.default.isExecutableFile(atPath: executable) else {
      throw .file(path: executable, reason: "is not an executable program")
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
      // By default, Swift uses a different random hash seed in every process. The number of hash collisions
      // would then vary, and so would the number of instructions. This variable prevents that.
      "SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no",
      // The program and the plug-ins run as copies in another folder. The original files may need libraries
      // from their own folders, so these folders are added to the search path.
      "LD_LIBRARY_PATH": (system + origins).joined(separator: ":"),
    ]
  }

  /// Copies a program without its debug information. Old versions of Valgrind, such as 3.19, fail when they
  /// read the debug information of Swift.
  private static func readable(_ path: String, _ copy: String, _ folder: URL) throws(MeasurementError)
    -> String
  {
    let strip = try run(
      ["strip", "--strip-debug", "-o", copy, path], folder: folder, timeout: copyTimeout)
    guard strip.process?.exitCode == 0 else {
      throw .file(path: path, reason: "strip cannot read it: \(Callgrind.lastLine(strip.errors))")
    }
    return copy
  }

  /// Counts the instructions of a process that blurs `iterations` times. The count includes the start and the
  /// end of the process.
  func instructions(iterations: Int) throws(MeasurementError) -> Int {
    let file = folder.appending(path: "callgrind.out")
    try? FileManager.default.removeItem(at: file)
    let run = try Self.run(
      ["valgrind", "--quiet", "--tool=callgrind", "--callgrind-out-file=\(file.path)", program]
        + ["worker", "--count", item.name, "--iterations", String(iterations)] + plugins,
      environment: environment, folder: folder, timeout: timeout)
    if let failure = failure(run.process, run.errors) { throw .failed(failure) }
    guard let text = try? String(contentsOf: file, encoding: .utf8),
      let count = Callgrind.instructions(in: text)
    else { throw .failed("\(item.name): callgrind wrote no instruction count") }
    return count
  }

  /// Finds a program in the PATH and runs it until it ends, but kills it after `timeout` seconds. Its
  /// standard output is discarded, and its standard error is written to a file in `folder`.
  ///
  /// - Returns: The process (nil if it was killed) and the text on its standard error.
  private static func run(
    _ words: [String], environment: [String: String] = [:], folder: URL, timeout: Double
  ) throws(MeasurementError) -> (process: ChildProcess?, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let log = try ErrorLog(in: folder)
    process.standardError = log.handle
    let child = try ChildProcess(process, keepsOutput: false)
    let isInTime = child.ends(within: timeout)
    child.end()
    return (isInTime ? child : nil, log.text)
  }

  /// Returns one line of text that says why the instructions could not be counted, or nil if the process
  /// ended normally. `process` is nil if the process was killed.
  private func failure(_ process: ChildProcess?, _ errors: String) -> String? {
    guard let process else { return "\(item.name): callgrind took longer than \(timeout) s" }
    switch process.exitCode {
    case 0?: return nil
    case 64?:
      let line = Callgrind.lastLine(errors)
      return "\(executable) cannot count instructions: \(line); it may be an older build"
    case .some: return Callgrind.lastLine(errors)
    case nil where process.signalNumber == SIGILL:
      return "\(item.name): uses instructions that Valgrind does not support"
    case nil: return "\(item.name): crashed under callgrind with signal \(process.signalNumber ?? 0)"
    }
  }
}
