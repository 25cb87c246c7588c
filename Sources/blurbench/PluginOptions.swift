import ArgumentParser
import Blur
import BlurMeasurement
import BlurPlugin
import BlurRecords
import Foundation

/// The options that name external kernels, which run in worker processes.
struct PluginOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A shared library with kernels (repeatable).", valueName: "PATH"),
    completion: .file(extensions: ["so", "dylib"]))
  var plugin: [String] = []
  @Option(
    help: ArgumentHelp("A Python file with kernels (repeatable).", valueName: "FILE.py"),
    completion: .file(extensions: ["py"]))
  var python: [String] = []
  @Flag(help: "Add all kernels that Bench/Peers/setup has built.") var peers = false
  @Option(
    help: ArgumentHelp(
      "The time limit for one step of an external kernel, such as one blur. "
        + "A kernel that takes longer counts as hanging.",
      valueName: "seconds"))
  var kernelTimeout = 60.0

  func validate() throws {
    guard kernelTimeout > 0, kernelTimeout < 1e6 else {
      throw ValidationError("--kernel-timeout \(kernelTimeout): must be above 0 and below 1000000 seconds")
    }
  }

  var isGiven: Bool { !launcher.isEmpty }

  /// The plug-ins and Python files that the user named, in the form in which they are saved with a baseline.
  var external: ExternalKernels { ExternalKernels(plugins: plugin, python: python, usesPeers: peers) }

  /// Returns the comma-separated list of kernels that a verb should check. If the user did not list any
  /// kernels but named plug-ins, the result is a word that stands for all kernels of the plug-ins.
  func checked(_ kernels: String?) -> String? { kernels ?? (isGiven ? Suite.plugins : nil) }

  /// The launcher that starts the worker processes for these external kernels.
  var launcher: WorkerLauncher {
    WorkerLauncher(plugins: plugin, python: python, usesPeers: peers, timeout: kernelTimeout)
  }

  /// The options as command-line arguments, for a suggested command.
  var words: [String] {
    launcher.words + (kernelTimeout == 60 ? [] : ["--kernel-timeout", kernelTimeout.short])
  }

  /// Returns the kernels that can take part in a run, the launcher for their worker processes, and the
  /// descriptions of the external kernels.
  ///
  /// If the user named a target, which is a worker on another machine, the kernels are only those of the
  /// target. Otherwise, they are the kernels of this library, its methods for blurs of variable sigma, and
  /// the kernels of plug-ins.
  func kernels(_ target: TargetOptions) throws(MeasurementError) -> (
    kernels: [Kernel], launcher: WorkerLauncher, described: [PluginDescription]
  ) {
    var launcher = launcher
    guard let target = target.target else {
      let described = try Self.descriptions(launcher)
      return (Registry.all + (try Self.entries(for: described, launcher)), launcher, described)
    }
    guard launcher.isEmpty else {
      throw .usage(
        "--target cannot be combined with --plugin, --python and --peers, which run on this machine")
    }
    launcher.target = target
    let described = try Self.descriptions(launcher)
    return (try Self.entries(for: described, launcher), launcher, described)
  }

  /// Returns placeholders for the external kernels that the user named. A placeholder stands for a kernel
  /// that only a worker process loads; see ``BlurPlugin/PluginDescription/placeholder``.
  func placeholders() throws(MeasurementError) -> [Kernel] { try Self.placeholders(launcher) }

  /// Returns a placeholder for each external kernel of a launcher. The kernels are loaded and described by a
  /// separate worker process, because loading them may cause a crash.
  static func placeholders(_ launcher: WorkerLauncher) throws(MeasurementError) -> [Kernel] {
    try entries(for: descriptions(launcher), launcher)
  }

  /// Returns placeholders for external kernels.
  ///
  /// - Throws: ``BlurRecords/MeasurementError`` if a name is already taken. A plug-in must not use the name
  ///   of a kernel of this library or a word with a meaning in lists, such as `all`. The kernels of a target
  ///   replace those of the library, so they may have the same names.
  private static func entries(
    for described: [PluginDescription], _ launcher: WorkerLauncher
  ) throws(MeasurementError) -> [Kernel] {
    let taken =
      launcher.target.isEmpty
      ? Registry.all.map(\.name) + [Case.memcpy, Suite.plugins, "all", "auto"] : Kernel.variable.map(\.name)
    do { return try PluginDescription.placeholders(described, besides: taken) } catch {
      throw .failed("\(error)")
    }
  }

  /// Asks a worker process for descriptions of a launcher's kernels. Loading the kernels may crash that
  /// process, but not this one.
  static func descriptions(_ launcher: WorkerLauncher) throws(MeasurementError) -> [PluginDescription] {
    guard !launcher.isEmpty else { return [] }
    for path in launcher.plugins { try checkLibrary(path) }
    for path in launcher.python { try checkPython(path) }
    let server = try launcher.connect()
    do throws(MeasurementError) { return try server.answer(to: .describe) } catch {
      guard server.end != nil else { throw error }
      let libraries = try launcher.libraries().joined(separator: ", ")
      let loaded = launcher.target.isEmpty ? libraries : "target '\(launcher.target)'"
      throw .failed("\(loaded): \(error)")
    }
  }
}

extension PluginOptions {
  /// Checks that a file is a program or a library, because the messages of the system's loader about other
  /// files are hard to understand.
  ///
  /// - Throws: ``BlurRecords/MeasurementError/file(path:reason:)``.
  private static func checkLibrary(_ path: String) throws(MeasurementError) {
    guard !TextFile.isFolder(path) else {
      throw .file(path: path, reason: "is a folder; --plugin needs a shared library, such as kernel.so")
    }
    if let kind = FileKind(file: path), kind != .program, kind != .binary {
      throw .file(path: path, reason: "is not a shared library but \(kind.words)")
    }
  }

  /// Checks that a Python file exists and has the right ending. The worker process reads the file.
  ///
  /// - Throws: ``BlurRecords/MeasurementError/file(path:reason:)``.
  private static func checkPython(_ path: String) throws(MeasurementError) {
    guard FileManager.default.fileExists(atPath: path) else {
      throw .file(path: path, reason: "no such file")
    }
    guard path.hasSuffix(".py") else {
      throw .file(path: path, reason: "is not a Python file, because its name does not end with .py")
    }
  }
}

/// The option for a worker on another machine or under an emulator. Its kernels replace those of this
/// library.
struct TargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A command that starts a blur-worker, such as 'ssh pi ./blur-worker'. "
        + "The kernels of the blur-worker replace those of this program.",
      valueName: "command"), completion: .file())
  var target: String?

  var isGiven: Bool { target != nil }

  func validate() throws {
    // An empty target is an error. It is probably an unset variable in a script, and not a request for the
    // kernels of this machine.
    guard target?.contains(where: { $0 != " " }) ?? true else {
      throw ValidationError("--target is empty: it must name a command that starts a blur-worker")
    }
  }

  /// The readable files on this machine whose paths appear in the target command, such as the program of an
  /// emulator. The target command starts the blur-worker, which contains the kernels to be measured. A hash
  /// of each of these files is stored with the results. On this machine, nothing else identifies the
  /// blur-worker.
  var files: [String] {
    let words = (target ?? "").split(separator: " ").map(String.init)
    return words.filter { $0.contains("/") && FileManager.default.isReadableFile(atPath: $0) }
  }

  /// The option as command-line arguments. There are none if the option was not given.
  var words: [String] { target.map { ["--target", "'\($0)'"] } ?? [] }
}
