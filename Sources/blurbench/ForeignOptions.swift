import ArgumentParser
import BlurMeasurement
import BlurPlugin
import BlurRecords
import Foundation

/// Other people's kernels: named on the command line, and run in a process of their own only.
struct ForeignOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A shared library with kernels (repeatable).", valueName: "PATH"))
  var plugin: [String] = []
  @Option(help: ArgumentHelp("A Python file with kernels (repeatable).", valueName: "FILE.py"))
  var python: [String] = []
  @Flag(help: "All kernels that Bench/Peers/setup built.") var peers = false
  @Option(
    help: ArgumentHelp(
      "Seconds after which one step of a foreign kernel counts as hanging.", valueName: "seconds"))
  var kernelTimeout = 60.0

  func validate() throws {
    guard kernelTimeout > 0, kernelTimeout < 1e6 else {
      throw ValidationError("--kernel-timeout \(kernelTimeout): must be above 0 seconds")
    }
  }

  /// Nobody else's kernels.
  static var none: ForeignOptions { parseOrExit([]) }

  /// The options as words of a command line.
  var words: [String] {
    plugin.flatMap { ["--plugin", $0] } + python.flatMap { ["--python", $0] } + (peers ? ["--peers"] : [])
  }

  var isGiven: Bool { peers || !plugin.isEmpty || !python.isEmpty }

  /// The libraries to load; Python files come in through the library that embeds Python.
  func libraries() throws(MeasurementError) -> [String] {
    let built = try builtPeers()
    let files = python + built.python
    return plugin + built.plugins + (files.isEmpty ? [] : [try Self.pythonBorder()])
  }

  /// What the libraries offer, asked from a process that may die of it.
  func described() throws(MeasurementError) -> [ForeignKernel] {
    guard isGiven else { return [] }
    let answer: [ForeignKernel] = try ask(["describe"] + libraries())
    let names = answer.map(\.name)
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw .usage("two plug-ins have a kernel called '\(twice)'")
    }
    return answer
  }

  /// A worker process, not yet started; `words` follow `blurbench worker`.
  func worker(_ words: [String]) throws(MeasurementError) -> Process {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["worker"] + words
    // Open as long as this process lives: see ParentWatch.
    process.standardInput = Pipe()
    // Kernels may print; results do not come this way.
    process.standardOutput = FileHandle.nullDevice
    process.environment = ProcessInfo.processInfo.environment.merging([
      "BLUR_PYTHON_FILES": (python + (try builtPeers()).python).map { URL(filePath: $0).path }
        .joined(separator: ":"),
      "SWIFT_BACKTRACE": "enable=no",
    ]) { $1 }
    return process
  }

  /// Runs a worker that writes a JSON answer to the file named by its last argument.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` with how it ended when it gives none.
  func ask<Answer: Decodable>(_ words: [String]) throws(MeasurementError) -> Answer {
    let answer = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: answer) }
    let process = try worker(words + ["--answer", answer.path])
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do { try process.run() } catch {
      throw .failed("a worker could not be started: \(error.localizedDescription)")
    }
    guard ended.wait(timeout: .now() + kernelTimeout) == .success else {
      kill(process.processIdentifier, SIGKILL)
      throw .failed("hangs: nothing for \(kernelTimeout) s")
    }
    guard process.terminationStatus == 0, process.terminationReason == .exit,
      let data = try? Data(contentsOf: answer), let value = try? JSONDecoder().decode(Answer.self, from: data)
    else { throw .failed(IsolatedRunner.ending(of: process)) }
    return value
  }

  // MARK: What Bench/Peers/setup built

  private func builtPeers() throws(MeasurementError) -> (plugins: [String], python: [String]) {
    guard peers else { return ([], []) }
    let list = try Self.built("plugins.txt")
    guard let text = try? String(contentsOfFile: list, encoding: .utf8) else {
      throw .file(path: list, reason: "cannot be read; run Bench/Peers/setup")
    }
    let lines = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
    func paths(_ kind: String) -> [String] { lines.filter { $0.count == 2 && $0[0] == kind }.map { $0[1] } }
    return (paths("plugin"), paths("python"))
  }

  private static func pythonBorder() throws(MeasurementError) -> String { try built("lib/python.so") }

  /// A file below `.build/peers` of this folder, those above it, or those above the program.
  private static func built(_ name: String) throws(MeasurementError) -> String {
    let program = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
    for start in [URL(filePath: FileManager.default.currentDirectoryPath), program].compactMap(\.self) {
      var folder = start
      while folder.path != "/" {
        let file = folder.appending(path: ".build/peers/\(name)").path
        if FileManager.default.fileExists(atPath: file) { return file }
        folder = folder.deletingLastPathComponent()
      }
    }
    throw .file(path: ".build/peers/\(name)", reason: "is not there; run Bench/Peers/setup")
  }
}
