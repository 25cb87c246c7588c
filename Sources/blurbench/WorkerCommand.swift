import ArgumentParser
import Blur
import BlurMeasurement
import BlurPlugin
import BlurRecords
import BlurReport
import BlurScenes
import BlurVerification
import BlurWorker

/// The verb `blurbench worker`, the process in which external kernels run. Other verbs start it.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Run external kernels in a process of their own.",
    shouldDisplay: false,
    subcommands: [
      Describe.self, Measure.self, Check.self, Certify.self, Draw.self, TimeCases.self, Count.self,
      Serve.self,
    ])

  /// Describes the kernels that plug-ins or a target offer.
  struct Describe: ParsableCommand {
    @OptionGroup var sources: KernelSources
    @Option var answer: String

    func run() throws {
      ParentWatch.watch()
      let all: PluginAnswer
      do { all = .kernels(try sources.external(isTimed: false).map(\.description)) } catch {
        all = .refused("\(error)")
      }
      try WorkerAnswer.write(all, to: answer)
    }
  }

  /// Measures the cases that the parent process has listed in a file in `folder`.
  struct Measure: ParsableCommand {
    @Argument var folder: String
    @OptionGroup var sources: KernelSources

    func run() throws {
      ParentWatch.watch()
      let worker = try Worker(folder: folder)
      var sources = sources
      sources.libraries = worker.request.libraries
      let kernels = try sources.kernels(isTimed: true)
      guard !sources.target.isEmpty, let any = kernels.first else { return try worker.run(kernels: kernels) }
      try worker.run(kernels: kernels, TargetStopwatch(any, time: TargetClock.nanoseconds))
    }
  }

  /// Measures cases for `blurbench compare`, which runs in the parent process and sends a request for each
  /// measurement.
  struct TimeCases: ParsableCommand {
    /// Other builds of this program start this subcommand by its name, so the name must not change.
    static let configuration = CommandConfiguration(commandName: "pace")

    @Argument var libraries: [String] = []

    func run() throws {
      let kernels = try Registry.all + loaded(libraries)
      let worker = BenchWorker(kernels: kernels) { (item, kernel, isVerified) throws(BlurError) in
        try BenchScene(item, kernel, isVerified: isVerified)
      }
      try BenchServer(worker).run()
    }
  }

  /// Checks one property of one kernel.
  struct Check: ParsableCommand {
    @OptionGroup var choices: VerificationChoices
    @Option var property: String
    @Option var kernel: String
    @Option var page: String
    @Flag var plain = false
    @OptionGroup var sources: KernelSources
    @Option var answer: String

    func run() throws {
      ParentWatch.watch()
      var run = try choices.run(properties: property)
      run.kernels = try sources.kernels(isTimed: false).filter { $0.name == kernel }
      try IsolatedVerification.work(run, page: page, isPlain: plain) { failed in
        try FailurePicture.written(
          failed, to: choices.pictures, origin: sources.libraries.joined(separator: " "))
      } write: {
        try WorkerAnswer.write($0, to: answer)
      }
    }
  }

  /// Computes the largest errors that one kernel can make on any image.
  struct Certify: ParsableCommand {
    @OptionGroup var choices: CertificateChoices
    @Option var kernel: String
    @Argument var libraries: [String]
    @Option var answer: String

    func run() throws {
      ParentWatch.watch()
      let run = try choices.run(loaded(libraries).filter { $0.name == kernel })
      try WorkerAnswer.write(run.report().rows, to: answer)
    }
  }

  /// Draws one picture with the results of several kernels side by side.
  struct Draw: ParsableCommand {
    @OptionGroup var choices: PictureChoices
    @Option var kernel: String
    @Option var output: String
    @OptionGroup var sources: KernelSources
    @Option var answer: String

    func run() throws {
      ParentWatch.watch()
      let all = try sources.kernels(isTimed: false)
      let kernels = kernel.split(separator: ",").compactMap { name in all.first { $0.name == name } }
      let drawn: DrawnStrip
      do { drawn = .captions(try choices.draw(kernels, to: output)) } catch { drawn = .refused("\(error)") }
      try WorkerAnswer.write(drawn, to: answer)
    }
  }

  /// Serves this program's kernels on the standard streams, as a `blur-worker` on another machine does.
  struct Serve: ParsableCommand {
    func run() { WorkerStream.serve() }
  }

  /// Repeats one blur a given number of times and does nothing else, so that an external tool can count the
  /// instructions.
  struct Count: ParsableCommand {
    @Argument var name: String
    @Argument var iterations: Int
    @Option var plugin: [String] = []

    func run() throws {
      ParentWatch.watch()
      let kernels = try Registry.all + loaded(plugin)
      try RepeatedBlur.run(Case(name: name), iterations: iterations, kernels: kernels)
    }
  }
}

/// Loads shared libraries into this process and returns their kernels.
private func loaded(_ libraries: [String]) throws -> [Kernel] {
  try libraries.flatMap { try PluginLibrary.kernels(at: $0).map(\.kernel) }
}

/// The options that tell a worker process which kernels to load. By default, these are the kernels of this
/// program. With a target (a worker on another machine or in an emulator), they are the kernels of the
/// target. Shared libraries can add more kernels.
struct KernelSources: ParsableArguments {
  @Argument var libraries: [String] = []
  @Option var target = ""
  @Option var targetTimeout = 60.0

  /// Returns the kernels of the target, which is a worker on another machine or in an emulator, and the
  /// kernels of the shared libraries. Each kernel comes with its description.
  func external(isTimed: Bool) throws(PluginError) -> [(kernel: Kernel, description: PluginDescription)] {
    var all: [(kernel: Kernel, description: PluginDescription)] = []
    if !target.isEmpty {
      all += try TargetKernels.kernels(of: target, timeout: targetTimeout, isTimed: isTimed)
    }
    for library in libraries { all += try PluginLibrary.kernels(at: library) }
    return all
  }

  /// Returns the kernels of this program, or those of the target if the user named one, followed by the
  /// kernels of the shared libraries.
  func kernels(isTimed: Bool) throws(PluginError) -> [Kernel] {
    (target.isEmpty ? Registry.all : []) + (try external(isTimed: isTimed).map(\.kernel))
  }
}
