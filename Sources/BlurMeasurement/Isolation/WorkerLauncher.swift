import BlurRecords
import BlurText
import Foundation

/// Starts the processes in which external kernels run.
public struct WorkerLauncher: Sendable {
  /// The paths of shared libraries with kernels.
  public var plugins: [String]
  /// The paths of Python files with kernels.
  public var python: [String]
  /// Whether to load the kernels of other libraries that the script Bench/Peers/setup has built.
  public var usesPeers: Bool
  /// The number of seconds after which an external kernel counts as hanging. The time is measured separately
  /// for each step, such as planning or one blur.
  public var timeout: Double
  /// The command that starts a worker on another system, for example in an emulator. The run then uses the
  /// kernels of that worker instead of the library's kernels. An empty command means that no other system is
  /// used.
  public var target = ""

  /// Creates a launcher for the given external kernels. By default there are none.
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

  /// The command-line options that make a worker load the external kernels.
  public var words: [String] {
    plugins.flatMap { ["--plugin", $0] } + python.flatMap { ["--python", $0] }
      + (usesPeers ? ["--peers"] : [])
  }

  /// Returns the paths of the libraries to load. Python files are loaded by the library that embeds Python.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if Bench/Peers/setup has not built a file that is
  ///   needed.
  public func libraries() throws(MeasurementError) -> [String] {
    let built = try peers()
    let hasPython = !(python + built.python).isEmpty
    return plugins + built.plugins + (hasPython ? [try BuiltPeers.pythonBridge()] : [])
  }

  /// Returns the paths of the libraries to load and of the Python files with kernels.
  public func files() throws(MeasurementError) -> [String] { try libraries() + python + peers().python }

  /// Returns a worker process that has not been started yet.
  ///
  /// - Parameters:
  ///   - words: The arguments that follow `blurbench worker` on the command line.
  ///   - executable: The path of the program, or nil for this program.
  public func process(_ words: [String], executable: String? = nil) throws(MeasurementError) -> Process {
    let process = Process()
    process.executableURL = executable.map { URL(filePath: $0) } ?? Bundle.main.executableURL
    process.arguments = ["worker"] + words + targetWords
    // The worker ends when this pipe is closed, which happens when this process ends (see ``ParentWatch``).
    process.standardInput = Pipe()
    // Kernels may print to the standard output, so results are not sent through it.
    process.standardOutput = FileHandle.nullDevice
    process.environment = ProcessInfo.processInfo.environment.merging([
      "BLUR_PYTHON_FILES": (python + (try peers()).python).map { URL(filePath: $0).path }
        .joined(separator: ":"),
      "SWIFT_BACKTRACE": "enable=no",
    ]) { $1 }
    return process
  }

  /// The command-line options for kernels on another system, which is called the target. The worker process
  /// waits for the target.
  ///
  /// If the target hangs, the worker has to kill the target before the worker's own timeout ends. The timeout
  /// for the target is therefore shorter than the timeout for the worker.
  private var targetWords: [String] {
    target.isEmpty ? [] : ["--target", target, "--target-timeout", "\(0.8 * timeout)"]
  }

  /// Runs a worker and returns its answer, see ``WorkerAnswer``.
  ///
  /// - Parameters:
  ///   - words: The command-line words after `blurbench worker`.
  ///   - limit: The number of seconds that are added to the timeout, and the command-line option that sets
  ///     this number. Pass nil if the timeout alone suffices, because the worker has only one step to do.
  /// - Throws: ``MeasurementError/failed(_:)`` with a description of how the worker ended if there is no
  ///   answer.
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

  /// Starts a worker and returns a semaphore that is signalled when the worker ends.
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

/// The file through which a worker returns its answer, a single JSON value.
public enum WorkerAnswer {
  /// Writes the answer to the file whose path the worker got on its command line.
  public static func write(_ answer: some Encodable, to path: String) throws {
    try Data(JSONDocument.line(of: answer).utf8).write(to: URL(filePath: path), options: .atomic)
  }

  /// Reads a worker's answer from a file, or returns nil if the file holds no valid answer.
  static func read<Answer: Decodable>(_ file: URL) -> Answer? {
    (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Answer.self, from: $0) }
  }
}
