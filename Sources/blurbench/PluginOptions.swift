import ArgumentParser
import Blur
import BlurMeasurement
import BlurPlugin
import BlurRecords
import Foundation

/// External kernels: named on the command line, run in processes of their own.
struct PluginOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A shared library with kernels (repeatable).", valueName: "PATH"),
    completion: .file(extensions: ["so", "dylib"]))
  var plugin: [String] = []
  @Option(
    help: ArgumentHelp("A Python file with kernels (repeatable).", valueName: "FILE.py"),
    completion: .file(extensions: ["py"]))
  var python: [String] = []
  @Flag(help: "All kernels that Bench/Peers/setup built.") var peers = false
  @Option(
    help: ArgumentHelp(
      "Seconds after which one step of an external kernel counts as hanging.", valueName: "seconds"))
  var kernelTimeout = 60.0

  func validate() throws {
    guard kernelTimeout > 0, kernelTimeout < 1e6 else {
      throw ValidationError("--kernel-timeout \(kernelTimeout): must be above 0 seconds")
    }
  }

  var isGiven: Bool { !launcher.isEmpty }

  /// The files that are named, to be kept with a run.
  var external: ExternalKernels { ExternalKernels(plugins: plugin, python: python, usesPeers: peers) }

  /// The list of kernels to check: without one, those of plug-ins where there are any.
  func checked(_ kernels: String?) -> String? { kernels ?? (isGiven ? Suite.plugins : nil) }

  /// Starts the processes of these kernels.
  var launcher: WorkerLauncher {
    WorkerLauncher(plugins: plugin, python: python, usesPeers: peers, timeout: kernelTimeout)
  }

  /// The options as words of a command line.
  var words: [String] {
    launcher.words + (kernelTimeout == 60 ? [] : ["--kernel-timeout", kernelTimeout.short])
  }

  /// All kernels that take part, and what starts their processes: those of the library and its methods of
  /// variable sigma, or of the target that takes its place, and external ones, which are described.
  func kernels(_ target: TargetOptions) throws(MeasurementError) -> (
    kernels: [Kernel], launcher: WorkerLauncher, described: [PluginDescription]
  ) {
    var launcher = launcher
    guard let target = target.target else {
      let described = try Self.descriptions(launcher)
      return (Registry.all + (try Self.entries(for: described, launcher)), launcher, described)
    }
    guard launcher.isEmpty else {
      throw .usage("--target excludes --plugin, --python and --peers: those run on this machine")
    }
    launcher.target = target
    let described = try Self.descriptions(launcher)
    return (try Self.entries(for: described, launcher), launcher, described)
  }

  /// The entries that stand for these kernels in this process, see
  /// ``BlurPlugin/PluginDescription/placeholder``.
  func placeholders() throws(MeasurementError) -> [Kernel] { try Self.placeholders(launcher) }

  /// The entries that stand for a launcher's kernels, which a process that may die of them describes.
  static func placeholders(_ launcher: WorkerLauncher) throws(MeasurementError) -> [Kernel] {
    try entries(for: descriptions(launcher), launcher)
  }

  /// A target's kernels take the place of the library's; plug-ins' stand beside them, in lists that have
  /// words of their own.
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

  /// What a process that may die of a launcher's kernels says of them.
  static func descriptions(_ launcher: WorkerLauncher) throws(MeasurementError) -> [PluginDescription] {
    guard !launcher.isEmpty else { return [] }
    let libraries = try launcher.libraries()
    let answer: PluginAnswer
    do { answer = try launcher.answer(to: ["describe"] + libraries) } catch {
      let loaded = launcher.target.isEmpty ? libraries.joined(separator: ", ") : "target '\(launcher.target)'"
      throw .failed("\(loaded): \(error)")
    }
    switch answer {
    case .refused(let reason): throw .failed(reason)
    case .kernels(let all): return all
    }
  }
}

/// A worker on another machine or under an emulator, whose kernels take the place of the library's.
struct TargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What starts a blur-worker whose kernels take part instead of this program's: 'ssh pi ./blur-worker'.",
      valueName: "command"), completion: .file())
  var target: String?

  var isGiven: Bool { target != nil }

  func validate() throws {
    // An unset variable is no wish for this machine's kernels.
    guard target?.contains(where: { $0 != " " }) ?? true else {
      throw ValidationError("--target is empty: it must name a command that starts a blur-worker")
    }
  }

  /// The files on this machine that the command names, such as an emulator's program: as much of the worker's
  /// identity as can be known here.
  var files: [String] {
    let words = (target ?? "").split(separator: " ").map(String.init)
    return words.filter { $0.contains("/") && FileManager.default.isReadableFile(atPath: $0) }
  }

  /// The option as words of a command line.
  var words: [String] { target.map { ["--target", "'\($0)'"] } ?? [] }
}
