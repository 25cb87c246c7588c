import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurServer
import BlurText
import Foundation

/// The options that name external kernels, which run in server processes.
struct PluginOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Shared libraries with kernels: a list, in which patterns such as 'lib/*.so' work.", valueName: "PATH"),
    completion: .file(extensions: ["so", "dylib"]))
  var plugin: [String] = []
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Python files with kernels: a list, in which patterns work.", valueName: "FILE.py"),
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
    try require(
      kernelTimeout > 0 && kernelTimeout < 1e6,
      "--kernel-timeout \(kernelTimeout): must be above 0 and below 1000000 seconds")
  }

  var isGiven: Bool { !launcher.isEmpty }

  /// The plug-ins and Python files that the user named, in the form in which they are saved with a baseline.
  var external: ExternalKernels {
    ExternalKernels(plugins: Self.files(plugin), python: Self.files(python), usesPeers: peers)
  }

  /// Returns the comma-separated list of kernels that a verb should check. If the user did not list any
  /// kernels but named plug-ins, the result is a word that stands for all kernels of the plug-ins.
  func checked(_ kernels: String?) -> String? { kernels ?? (isGiven ? Suite.plugins : nil) }

  /// The launcher that starts the server processes for these external kernels.
  var launcher: ServerLauncher { ServerLauncher(external, timeout: kernelTimeout) }

  /// The options as command-line arguments, for a suggested command.
  var words: [String] {
    launcher.words + (kernelTimeout == 60 ? [] : ["--kernel-timeout", kernelTimeout.short])
  }

  /// The external kernels that could be loaded, and the files that could not.
  struct Loaded {
    /// Placeholders for the kernels. A placeholder stands for a kernel that only a server process loads; see
    /// ``BlurServer/PluginDescription/placeholder``.
    var kernels: [Kernel] = []
    /// The path of each file that could not be loaded, and the reason.
    var failures: [(file: String, reason: String)] = []

    /// Throws the exit code 1 if a file could not be loaded. A verb calls this method at its end, when it has
    /// dealt with the kernels of the other files.
    func expectComplete() throws { if !failures.isEmpty { throw ExitCode.failure } }
  }

  /// Loads the external kernels that the user named. If some of several files cannot be loaded, a warning
  /// names each of them, and the options are changed so that later processes leave them out.
  ///
  /// - Throws: ``BlurRecords/MeasurementError`` if no file can be loaded, or if a name is already taken.
  mutating func load() throws(MeasurementError) -> Loaded {
    let reason: MeasurementError
    do throws(MeasurementError) { return Loaded(kernels: try Self.placeholders(launcher)) } catch {
      reason = error
    }
    var good = ExternalKernels()
    var failures: [(file: String, reason: String)] = []
    for (file, launcher) in try launcher.separately() {
      do throws(MeasurementError) {
        _ = try Self.descriptions(launcher)
        if launcher.kernels.python.isEmpty { good.plugins.append(file) } else { good.python.append(file) }
      } catch {
        failures.append((file, "\(error)"))
      }
    }
    // If each file can be loaded without the others, the error comes from their combination, for example
    // because two files have kernels with the same name.
    guard !good.isEmpty, !failures.isEmpty else {
      guard failures.count > 1 else { throw reason }
      throw .failed("no file can be loaded: " + failures.map(\.reason).joined(separator: "; "))
    }
    for failure in failures { Terminal.say("warning: \(failure.reason)") }
    (plugin, python, peers) = (good.plugins, good.python, false)
    return Loaded(kernels: try Self.placeholders(launcher), failures: failures)
  }

  /// Returns a placeholder for each external kernel of a launcher. The kernels are loaded and described by a
  /// separate server process, because loading them may cause a crash.
  ///
  /// - Throws: ``BlurRecords/MeasurementError`` if a name is already taken. A plug-in must not use the name
  ///   of a kernel of this library or a word with a meaning in lists, such as `all`.
  static func placeholders(_ launcher: ServerLauncher) throws(MeasurementError) -> [Kernel] {
    let described = try descriptions(launcher)
    let taken = Registry.all.map(\.name) + [Case.memcpy, Suite.plugins, "all", "auto"]
    do { return try PluginDescription.placeholders(described, besides: taken) } catch {
      throw .failed("\(error)")
    }
  }

  /// Asks a server process for descriptions of a launcher's kernels. Loading the kernels may crash that
  /// process, but not this one.
  private static func descriptions(
    _ launcher: ServerLauncher
  ) throws(MeasurementError) -> [PluginDescription] {
    guard !launcher.isEmpty else { return [] }
    try check(launcher.kernels)
    let server = try launcher.connect()
    do throws(MeasurementError) { return try server.answer(to: ServerRequest.describe) } catch {
      guard let end = server.end else { throw error }
      let libraries = try launcher.libraries()
      // While a library is loaded, the shared page holds its number.
      let isKnown = libraries.indices.contains(end.current - 1)
      let loaded = isKnown ? libraries[end.current - 1] : libraries.listed
      throw .failed("\(loaded): \(error)")
    }
  }
}

extension PluginOptions {
  /// Returns the files that the user named, each of them once. A word may be a file, or a comma-separated
  /// list of files and patterns.
  private static func files(_ words: [String]) -> [String] {
    let paths = words.flatMap { word in
      let isFile = word.isEmpty || FileManager.default.fileExists(atPath: word)
      return isFile ? [word] : word.split(separator: ",").flatMap { matches(of: String($0)) }
    }
    var known: Set<String> = []
    return paths.filter { known.insert(URL(filePath: $0).resolvingSymlinksInPath().path).inserted }
  }

  private static func isPattern(_ word: String) -> Bool { word.contains(where: "*?[".contains) }

  /// Returns the files that match a pattern of the shell, such as `lib/*.so`, in alphabetical order. Returns
  /// the word itself if a file of this name exists, or if no file matches.
  private static func matches(of word: String) -> [String] {
    guard isPattern(word), !FileManager.default.fileExists(atPath: word) else { return [word] }
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(word, 0, nil, &found) == 0, let paths = found.gl_pathv else { return [word] }
    // SAFETY: if `glob` succeeds, `gl_pathv` has `gl_pathc` strings, which live until `globfree` is called.
    return (0..<Int(found.gl_pathc)).compactMap { paths[$0].map { String(cString: $0) } }
  }

  /// Checks that each file with external kernels exists and is of the right kind, because the messages of the
  /// system's loader about other files are hard to understand. The server process reads the files.
  ///
  /// - Throws: ``BlurRecords/MeasurementError/file(path:reason:)``.
  private static func check(_ kernels: ExternalKernels) throws(MeasurementError) {
    for path in kernels.plugins + kernels.python where isPattern(path) {
      guard FileManager.default.fileExists(atPath: path) else {
        throw .file(path: path, reason: "no file matches this pattern")
      }
    }
    for path in kernels.plugins {
      guard !TextFile.isFolder(path) else {
        throw .file(path: path, reason: "is a folder; --plugin needs a shared library, such as kernel.so")
      }
      if let kind = FileKind(file: path), kind != .program, kind != .binary {
        throw .file(path: path, reason: "is not a shared library but \(kind.words)")
      }
    }
    for path in kernels.python {
      guard FileManager.default.fileExists(atPath: path) else {
        throw .file(path: path, reason: "no such file")
      }
      guard path.hasSuffix(".py") else {
        throw .file(path: path, reason: "is not a Python file, because its name does not end with .py")
      }
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

  /// Starts the target and returns its kernels, or nil if the user named no target.
  ///
  /// - Parameters:
  ///   - plugins: The options for external kernels, which must not name any.
  ///   - isTimed: Whether blurs are timed, see ``BlurServer/TargetKernels``.
  func kernels(besides plugins: PluginOptions, isTimed: Bool) throws(MeasurementError) -> TargetKernels? {
    guard let target else { return nil }
    guard !plugins.isGiven else {
      throw .usage(
        "--target cannot be combined with --plugin, --python and --peers, which run on this machine")
    }
    do { return try TargetKernels(target, timeout: plugins.kernelTimeout, isTimed: isTimed) } catch {
      throw .failed("\(error)")
    }
  }

  func validate() throws {
    // An empty target is an error, because it probably comes from an unset variable in a script. The user
    // probably wanted to check another machine.
    try require(
      target?.contains(where: { $0 != " " }) ?? true,
      "--target is empty: it must name a command that starts a blur-worker")
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
