import BlurRecords
import BlurText
import Foundation

/// Starts the processes that external kernels run in.
public struct WorkerLauncher: Sendable {
  /// Shared libraries with kernels.
  public var plugins: [String]
  /// Python files with kernels.
  public var python: [String]
  /// Whether the kernels that Bench/Peers/setup built take part.
  public var usesPeers: Bool
  /// Seconds after which one step of an external kernel counts as hanging.
  public var timeout: Double
  /// The command that starts a worker whose kernels take the place of the library's, such as an emulator and
  /// a program; empty where there is none.
  public var target = ""

  /// Names the external kernels; none by default.
  public init(
    plugins: [String] = [], python: [String] = [], usesPeers: Bool = false, timeout: Double = 60
  ) {
    self.plugins = plugins
    self.python = python
    self.usesPeers = usesPeers
    self.timeout = timeout
  }

  /// Whether no external kernels take part.
  public var isEmpty: Bool { !usesPeers && plugins.isEmpty && python.isEmpty && target.isEmpty }

  /// The external kernels as options of the command line.
  public var words: [String] {
    plugins.flatMap { ["--plugin", $0] } + python.flatMap { ["--python", $0] }
      + (usesPeers ? ["--peers"] : [])
  }

  /// The libraries to load; Python files come in through the library that embeds Python.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` where Bench/Peers/setup has not built what is needed.
  public func libraries() throws(MeasurementError) -> [String] {
    let built = try peers()
    let hasPython = !(python + built.python).isEmpty
    return plugins + built.plugins + (hasPython ? [try BuiltPeers.pythonBridge()] : [])
  }

  /// The libraries, and the Python files.
  public func files() throws(MeasurementError) -> [String] { try libraries() + python + peers().python }

  /// A worker process, not yet started.
  ///
  /// - Parameters:
  ///   - words: what follows `blurbench worker`.
  ///   - executable: the program; this one if nil.
  public func process(_ words: [String], executable: String? = nil) throws(MeasurementError) -> Process {
    let process = Process()
    process.executableURL = executable.map { URL(filePath: $0) } ?? Bundle.main.executableURL
    process.arguments = ["worker"] + words + targetWords
    // Open as long as this process lives: see ParentWatch.
    process.standardInput = Pipe()
    // Kernels may print; results do not come this way.
    process.standardOutput = FileHandle.nullDevice
    process.environment = ProcessInfo.processInfo.environment.merging([
      "BLUR_PYTHON_FILES": (python + (try peers()).python).map { URL(filePath: $0).path }
        .joined(separator: ":"),
      "SWIFT_BACKTRACE": "enable=no",
    ]) { $1 }
    return process
  }

  /// The target as words of a command line. It is ended somewhat earlier than a process that waits for it.
  private var targetWords: [String] {
    target.isEmpty ? [] : ["--target", target, "--target-timeout", "\(0.8 * timeout)"]
  }

  /// What a worker answers, see ``WorkerAnswer``.
  ///
  /// - Parameter limit: seconds that many steps may take beside the last one, and the option that says so;
  ///   nil for a single step.
  /// - Throws: ``MeasurementError/failed(_:)`` with how the worker ended when it gives no answer.
  public func answer<Answer: Decodable>(
    to words: [String], within limit: (seconds: Double, option: String)? = nil
  ) throws(MeasurementError) -> Answer {
    let file = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let process = try process(words + ["--answer", file.path])
    let ended = try Self.start(process)
    let seconds = timeout + (limit?.seconds ?? 0)
    let step = StepTime(of: process, timeout: seconds)
    while ended.wait(timeout: .now() + 0.05) != .success {
      guard step.isOver else { continue }
      kill(process.processIdentifier, SIGKILL)
      throw .failed(IsolatedRunner.hanging(for: seconds, limit: limit?.option))
    }
    guard process.terminationStatus == 0, process.terminationReason == .exit,
      let answer: Answer = WorkerAnswer.read(file)
    else { throw .failed(IsolatedRunner.ending(of: process)) }
    return answer
  }

  /// Starts a worker; what it returns is signalled at its end.
  static func start(_ process: Process) throws(MeasurementError) -> DispatchSemaphore {
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do { try process.run() } catch {
      throw .failed("a worker could not be started: \(error.localizedDescription)")
    }
    return ended
  }

  private func peers() throws(MeasurementError) -> BuiltPeers {
    usesPeers ? try BuiltPeers() : BuiltPeers.none
  }
}

/// The file in which a worker answers: one JSON value.
public enum WorkerAnswer {
  /// Writes the answer to the file that the worker was told.
  public static func write(_ answer: some Encodable, to path: String) throws {
    try Data(JSONDocument.line(of: answer).utf8).write(to: URL(filePath: path), options: .atomic)
  }

  /// The answer; nil where there is none.
  static func read<Answer: Decodable>(_ file: URL) -> Answer? {
    (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Answer.self, from: $0) }
  }
}
