import BlurRecords
import BlurText
import Foundation

/// Starts the server processes in which external kernels run.
public struct ServerLauncher: Sendable {
  /// The external kernels, which may include the kernels that the script Bench/Peers/setup has built.
  public var kernels: ExternalKernels
  /// The number of seconds after which an external kernel counts as hanging. The time is measured separately
  /// for each step, such as planning or one blur.
  public var timeout: Double

  /// Creates a launcher for the given external kernels. By default, there are none.
  public init(_ kernels: ExternalKernels = ExternalKernels(), timeout: Double = 60) {
    (self.kernels, self.timeout) = (kernels, timeout)
  }

  /// Whether there are no external kernels.
  public var isEmpty: Bool { kernels.isEmpty }

  /// The command-line options with which the user names the external kernels.
  public var words: [String] {
    kernels.plugins.flatMap { ["--plugin", $0] } + kernels.python.flatMap { ["--python", $0] }
      + (kernels.usesPeers ? ["--peers"] : [])
  }

  /// Returns the paths of the libraries to load. If there are Python files, the paths include the library
  /// that embeds Python, because this library loads the Python files.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if a file that Bench/Peers/setup should have built
  ///   does not exist.
  public func libraries() throws(MeasurementError) -> [String] {
    let all = try all()
    return all.plugins + (all.python.isEmpty ? [] : [try BuiltPeers.pythonBridge()])
  }

  /// Returns the paths of the libraries to load and of the Python files with kernels.
  public func files() throws(MeasurementError) -> [String] { try libraries() + all().python }

  /// Starts a server, which is a process that loads the external kernels and runs them on request.
  ///
  /// - Parameters:
  ///   - executable: The path of the program, or nil for this program.
  ///   - keepsErrors: Whether the standard error of the process is recorded instead of shown.
  public func connect(
    executable: String? = nil, keepsErrors: Bool = false
  ) throws(MeasurementError) -> ServerConnection {
    let process = Process()
    process.executableURL = executable.map { URL(filePath: $0) } ?? Bundle.main.executableURL
    process.arguments = try ["worker"] + libraries()
    let files = try all().python
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    // Instead of using --python, the user may pass the library that embeds Python to --plugin, and set
    // BLUR_PYTHON_FILES to the paths of the Python files. These paths are kept.
    let named = (environment["BLUR_PYTHON_FILES"] ?? "").split(separator: ":").map(String.init)
    let all = (named + files).map { URL(filePath: $0).path }.uniqued
    environment["BLUR_PYTHON_FILES"] = all.joined(separator: ":")
    process.environment = environment
    return try ServerConnection(process, timeout: timeout, keepsErrors: keepsErrors)
  }

  /// Returns a separate launcher for each file with external kernels. If one file cannot be loaded, the other
  /// files can still be loaded.
  public func separately() throws(MeasurementError) -> [(file: String, launcher: ServerLauncher)] {
    let all = try all()
    return all.plugins.map { ($0, ServerLauncher(ExternalKernels(plugins: [$0]), timeout: timeout)) }
      + all.python.map { ($0, ServerLauncher(ExternalKernels(python: [$0]), timeout: timeout)) }
  }

  /// Returns the external kernels, including the files that the script Bench/Peers/setup has built if the
  /// user asked for them.
  private func all() throws(MeasurementError) -> ExternalKernels {
    guard kernels.usesPeers else { return kernels }
    let built = try BuiltPeers.kernels()
    return ExternalKernels(plugins: kernels.plugins + built.plugins, python: kernels.python + built.python)
  }
}

/// The files of external kernels that the script Bench/Peers/setup has built.
private enum BuiltPeers {
  /// Reads the list of built kernels that the script Bench/Peers/setup has written.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if the list cannot be read. This happens if the script
  ///   was not run.
  static func kernels() throws(MeasurementError) -> ExternalKernels {
    let list = try path(of: "plugins.txt")
    guard let text = try? String(contentsOfFile: list, encoding: .utf8) else {
      throw .file(path: list, reason: "cannot be read; run Bench/Peers/setup")
    }
    let lines = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    func paths(_ kind: String) -> [String] { lines.filter { $0.count == 2 && $0[0] == kind }.map { $0[1] } }
    return ExternalKernels(plugins: paths("plugin"), python: paths("python"))
  }

  /// Returns the path of the library that embeds Python.
  static func pythonBridge() throws(MeasurementError) -> String {
    try path(of: "lib/python.so", setup: "python")
  }

  /// Returns the path of a file that Bench/Peers/setup has built. This function looks for the file in these
  /// folders, in this order:
  /// 1. the folder in the environment variable `BLUR_PEERS`
  /// 2. the folder `peers` next to the program
  /// 3. the folder `.build/peers` in the current folder and in each of its parents
  /// 4. the folder `.build/peers` in the program's folder and in each of its parents
  ///
  /// - Parameter adapter: The argument with which the script Bench/Peers/setup builds the file. If the file
  ///   does not exist, the error message names this argument.
  private static func path(of name: String, setup adapter: String = "") throws(MeasurementError) -> String {
    let program = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
    let named = ProcessInfo.processInfo.environment["BLUR_PEERS"].map { URL(filePath: $0) }
    for folder in [named, program?.appending(path: "peers")].compactMap(\.self) {
      let file = folder.appending(path: name).path
      if FileManager.default.fileExists(atPath: file) { return file }
    }
    for start in [URL(filePath: FileManager.default.currentDirectoryPath), program].compactMap(\.self) {
      var folder = start
      while folder.path != "/" {
        let file = folder.appending(path: ".build/peers/\(name)").path
        if FileManager.default.fileExists(atPath: file) { return file }
        folder = folder.deletingLastPathComponent()
      }
    }
    let setup = adapter.isEmpty ? "Bench/Peers/setup" : "Bench/Peers/setup \(adapter)"
    throw .file(
      path: ".build/peers/\(name)",
      reason: "was not found in this folder or a folder above it, nor in a folder above the program; run "
        + "\(setup) in a clone of BlurBench, and set BLUR_PEERS to the folder .build/peers of that clone")
  }
}
