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
      "Shared libraries with kernels. Several files and patterns such as 'lib/*.so' are allowed.",
      valueName: "PATH"),
    completion: .file(extensions: ["so", "dylib"]))
  var plugin: [String] = []
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Python files with kernels. Several files and patterns such as 'kernels/*.py' are allowed.",
      valueName: "FILE.py"),
    completion: .file(extensions: ["py"]))
  var python: [String] = []
  @Flag(help: "Add the kernels of all libraries that Bench/Peers/setup has built.") var peers = false
  @Option(
    help: ArgumentHelp(
      "The time limit for one step of an external kernel, such as one blur. "
        + "If a step takes longer, the kernel is stopped and reported as hanging.",
      valueName: "seconds"))
  var kernelTimeout = 60.0

  func validate() throws {
    try require(
      kernelTimeout > 0 && kernelTimeout < 1e6,
      "--kernel-timeout \(kernelTimeout): must be above 0 and below 1000000 seconds")
  }

  var isGiven: Bool { !launcher.isEmpty }

  /// The plug-ins and Python files that the user named, as a value that can be saved with a baseline.
  var external: ExternalKernels {
    ExternalKernels(plugins: Self.files(plugin), python: Self.files(python), usesPeers: peers)
  }

  /// Returns the comma-separated list of kernels that a verb should check. If the user listed no kernels but
  /// named plug-ins, the result is the word ``BlurRecords/Suite/plugins``, which stands for all plug-in
  /// kernels. If the user named neither, the result is nil.
  func checked(_ kernels: String?) -> String? { kernels ?? (isGiven ? Suite.plugins : nil) }

  /// The launcher that starts the server processes for these external kernels.
  var launcher: ServerLauncher { ServerLauncher(external, timeout: kernelTimeout) }

  /// The options as command-line arguments, for commands that are shown to the user.
  var words: [String] {
    launcher.words + (kernelTimeout == 60 ? [] : ["--kernel-timeout", kernelTimeout.short])
  }

  /// The external kernels that could be loaded, and the files that could not be loaded.
  struct Loaded {
    /// Placeholders for the kernels. A placeholder stands for a kernel that only a server process loads; see
    /// ``BlurServer/PluginDescription/placeholder``.
    var kernels: [Kernel] = []
    /// The path of each file that could not be loaded, and the reason.
    var failures: [(file: String, reason: String)] = []

    /// Throws the exit code 1 if a file could not be loaded. A verb calls this method at its end, after it
    /// has processed the kernels from the other files.
    func expectComplete() throws { if !failures.isEmpty { throw ExitCode.failure } }
  }

  /// Loads the external kernels that the user named. If only some files can be loaded, this method prints a
  /// warning for each of the other files, and removes those files from the options, so that later processes
  /// do not try to load them.
  ///
  /// - Throws: ``BlurRecords/MeasurementError`` if no file can be loaded, or if the name of a kernel is
  ///   already taken.
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
    // If every file can be loaded on its own, the error comes from loading them together, for example because
    // two files have kernels with the same name.
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
  /// - Throws: ``BlurRecords/MeasurementError`` if the name of a kernel is already taken. A plug-in must not
  ///   use the name of a kernel of this library, or a word that means something else in lists of kernels,
  ///   such as `all`.
  static func placeholders(_ launcher: ServerLauncher) throws(MeasurementError) -> [Kernel] {
    let described = try descriptions(launcher)
    let taken = Registry.all.map(\.name) + [Case.memcpy, Suite.plugins, "all", "auto"]
    do { return try PluginDescription.placeholders(described, besides: taken) } catch {
      throw .failed("\(error)")
    }
  }

  /// Asks a server process for descriptions of a launcher's kernels. Loading the kernels may crash the server
  /// process, but not this process.
  private static func descriptions(
    _ launcher: ServerLauncher
  ) throws(MeasurementError) -> [PluginDescription] {
    guard !launcher.isEmpty else { return [] }
    try check(launcher.kernels)
    let server = try launcher.connect()
    do throws(MeasurementError) { return try server.answer(to: ServerRequest.describe) } catch {
      guard let end = server.end else { throw error }
      let libraries = try launcher.libraries()
      // While the server loads a library, the shared page holds the index of this library plus 1. If the
      // server crashed at that time, the message can therefore name the library.
      let isKnown = libraries.indices.contains(end.current - 1)
      let loaded = isKnown ? libraries[end.current - 1] : libraries.listed
      throw .failed("\(loaded): \(error)")
    }
  }
}

extension PluginOptions {
  /// Returns the files that the user named, without duplicates. Each item of `words` may be a file, or a
  /// comma-separated list of files and patterns.
  private static func files(_ words: [String]) -> [String] {
    let paths = words.flatMap { word in
      let isFile = word.isEmpty || FileManager.default.fileExists(atPath: word)
      return isFile ? [word] : word.split(separator: ",").flatMap { matches(of: String($0)) }
    }
    var known: Set<String> = []
    return paths.filter { known.insert(URL(filePath: $0).resolvingSymlinksInPath().path).inserted }
  }

  private static func isPattern(_ word: String) -> Bool { word.contains(where: "*?[".contains) }

  /// Returns the files that match a shell pattern such as `lib/*.so`, in alphabetical order. Returns the word
  /// itself if it is not a pattern, if a file has this name, or if no file matches.
  private static func matches(of word: String) -> [String] {
    guard isPattern(word), !FileManager.default.fileExists(atPath: word) else { return [word] }
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(word, 0, nil, &found) == 0, let paths = found.gl_pathv else { return [word] }
    // SAFETY: if `glob` succeeds, `gl_pathv` has `gl_pathc` strings, which live until `globfree` is called.
    return (0..<Int(found.gl_pathc)).compactMap { paths[$0].map { String(cString: $0) } }
  }

  /// Checks the files with external kernels for common mistakes, such as a file of the wrong kind. Without
  /// this check, the user would see the messages of the system's loader, which are hard to understand.
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

/// The option `--target`, a command that starts a blur-worker on another machine or in an emulator. The
/// kernels of the blur-worker are used instead of the kernels of this program.
struct TargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A command that starts a blur-worker, such as 'ssh pi ./blur-worker'. "
        + "The kernels of the blur-worker are used instead of the kernels of this program.",
      valueName: "command"), completion: .file())
  var target: String?

  var isGiven: Bool { target != nil }

  /// Starts the target and returns its kernels, or nil if the user named no target.
  ///
  /// - Parameters:
  ///   - plugins: The options for external kernels. These kernels cannot be combined with a target, so the
  ///     options must not name any kernels.
  ///   - isTimed: Whether blurs are timed, see ``BlurServer/TargetKernels``.
  func kernels(besides plugins: PluginOptions, isTimed: Bool) throws(MeasurementError) -> TargetKernels? {
    guard let target else { return nil }
    guard !plugins.isGiven else {
      throw .usage(
        "--target cannot be combined with --plugin, --python or --peers, "
          + "because the kernels of these options run on this machine")
    }
    do { return try TargetKernels(target, timeout: plugins.kernelTimeout, isTimed: isTimed) } catch {
      throw .failed("\(error)")
    }
  }

  func validate() throws {
    // An empty target probably comes from an unset variable in a script. Without this error, the script would
    // check this machine instead of the intended one.
    try require(
      target?.contains(where: { $0 != " " }) ?? true,
      "--target is empty: it must name a command that starts a blur-worker")
  }

  /// The readable files on this machine whose paths appear in the target command, such as an emulator or a
  /// blur-worker that the emulator runs. The hashes of these files are stored with the results, because
  /// nothing else shows which build of the blur-worker was measured.
  var files: [String] {
    let words = (target ?? "").split(separator: " ").map(String.init)
    return words.filter { $0.contains("/") && FileManager.default.isReadableFile(atPath: $0) }
  }

  /// The option `--target` as command-line arguments, or an empty array if the user named no target.
  var words: [String] { target.map { ["--target", "'\($0)'"] } ?? [] }
}
