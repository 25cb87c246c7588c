import ArgumentParser
import Blur
import BlurMeasurement
import BlurPlugin
import BlurRecords
import BlurReport
import BlurScenes
import BlurVerification

/// `blurbench worker`: the process that external kernels run in. Other verbs start it.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Run external kernels in a process of their own.",
    shouldDisplay: false,
    subcommands: [Describe.self, Measure.self, Check.self, Certify.self, Pace.self, Count.self])

  /// What plug-ins offer.
  struct Describe: ParsableCommand {
    @Argument var libraries: [String]
    @Option var answer: String

    func run() throws {
      ParentWatch.watch()
      let kernels = try libraries.flatMap { try PluginLibrary.kernels(at: $0).map(\.description) }
      try WorkerAnswer.write(kernels, to: answer)
    }
  }

  /// Measures what the request in a folder asks for.
  struct Measure: ParsableCommand {
    @Argument var folder: String

    func run() throws {
      ParentWatch.watch()
      let worker = try Worker(folder: folder)
      try worker.run(kernels: Registry.kernels + loaded(worker.request.libraries))
    }
  }

  /// Times cases when a comparison asks for it.
  struct Pace: ParsableCommand {
    @Argument var libraries: [String] = []

    func run() throws {
      let kernels = try Registry.kernels + loaded(libraries)
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
    @Argument var libraries: [String] = []
    @Option var answer: String

    func run() throws {
      ParentWatch.watch()
      var run = try choices.run(properties: property)
      run.kernels = try (Registry.kernels + loaded(libraries)).filter { $0.name == kernel }
      try IsolatedVerification.work(run, page: page, isPlain: plain) { failed in
        try FailurePictures([failed]).write(to: choices.pictures)
      } write: {
        try WorkerAnswer.write($0, to: answer)
      }
    }
  }

  /// Certifies one kernel.
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

  /// Blurs one case a number of times and nothing else, while a counter of instructions watches.
  struct Count: ParsableCommand {
    @Argument var name: String
    @Argument var iterations: Int
    @Option var plugin: [String] = []

    func run() throws {
      ParentWatch.watch()
      let kernels = try Registry.kernels + loaded(plugin)
      try RepeatedBlur.run(Case(name: name), iterations: iterations, kernels: kernels)
    }
  }
}

/// The kernels of shared libraries, in this process.
private func loaded(_ libraries: [String]) throws -> [Kernel] {
  try libraries.flatMap { try PluginLibrary.kernels(at: $0).map(\.kernel) }
}
