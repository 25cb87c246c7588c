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
    shouldDisplay: false, subcommands: [Listen.self, Count.self, Serve.self])

  /// Answers the requests of the program that has started this one.
  struct Listen: ParsableCommand {
    @OptionGroup var sources: KernelSources
    @Option var page: String

    func run() throws {
      let server = try KernelServer(page: page)
      let answers = ServerAnswers(sources, server)
      try server.run(answers.answer)
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
      let external = try plugin.flatMap { try PluginLibrary.kernels(at: $0).map(\.kernel) }
      try RepeatedBlur.run(Case(name: name), iterations: iterations, kernels: Registry.all + external)
    }
  }
}

/// Carries out the requests to a server.
private final class ServerAnswers {
  private let sources: KernelSources
  private let server: KernelServer
  private var bench: BenchWorker?

  init(_ sources: KernelSources, _ server: KernelServer) { (self.sources, self.server) = (sources, server) }

  /// Carries out a request and returns the answer.
  func answer(_ request: ServerRequest) throws -> any Encodable {
    switch request {
    case .describe: try sources.external(isTimed: false).map(\.description)
    case .check(let options, let isPlain): try check(CheckOptions.parse(options), isPlain: isPlain)
    case .certify(let options): try certify(CertifyOptions.parse(options))
    case .draw(let options): try draw(DrawOptions.parse(options))
    case .measure(let jobs, let options): try measure(jobs, options)
    case .open(let slot, let entry): try opened().open(slot, entry)
    case .time(let slot, let iterations): try opened().sample(slot, iterations: iterations)
    case .count(let slot): try opened().instructions(slot)
    case .close(let slot): CloseAnswer(violation: try opened().close(slot))
    case .identify, .end: IdentityAnswer()
    }
  }

  private func check(_ options: CheckOptions, isPlain: Bool) throws -> any Encodable {
    var run = try options.choices.run(properties: options.property)
    run.kernels = try sources.kernels(isTimed: false).filter { $0.name == options.kernel }
    let origin = sources.libraries.joined(separator: " ")
    return try IsolatedVerification.check(run, isPlain: isPlain, for: server) {
      try FailurePicture.written($0, to: options.choices.pictures, origin: origin)
    }
  }

  private func certify(_ options: CertifyOptions) throws -> [CertificateRow] {
    let kernels = try sources.kernels(isTimed: false).filter { $0.name == options.kernel }
    return try options.choices.run(kernels).report().rows
  }

  private func draw(_ options: DrawOptions) throws -> [String] {
    let all = try sources.kernels(isTimed: false)
    let kernels = options.kernel.split(separator: ",").compactMap { name in all.first { $0.name == name } }
    return try options.choices.draw(kernels, to: options.output)
  }

  private func measure(_ jobs: [[String]], _ options: RunnerOptions) throws -> String {
    let kernels = try sources.kernels(isTimed: true)
    if !sources.target.isEmpty, let any = kernels.first {
      let sampler = Sampler(target: any, time: TargetClock.nanoseconds)
      try IsolatedRunner.measure(jobs, options, kernels: kernels, for: server, sampler)
    } else {
      try IsolatedRunner.measure(jobs, options, kernels: kernels, for: server)
    }
    return ""
  }

  /// Returns the worker that times cases on request. It is created when the first case is requested.
  private func opened() throws -> BenchWorker {
    if let bench { return bench }
    let new = BenchWorker(kernels: try sources.kernels(isTimed: true)) {
      (item, kernel, isVerified) throws(BlurError) in
      try BenchScene(item, kernel, isVerified: isVerified)
    }
    bench = new
    return new
  }
}

/// The options of a request to check one property of one kernel.
private struct CheckOptions: ParsableArguments {
  @OptionGroup var choices: VerificationChoices
  @Option var property: String
  @Option var kernel: String
}

/// The options of a request to certify one kernel.
private struct CertifyOptions: ParsableArguments {
  @OptionGroup var choices: CertificateChoices
  @Option var kernel: String
}

/// The options of a request to draw the results of several kernels, whose names are separated by commas.
private struct DrawOptions: ParsableArguments {
  @OptionGroup var choices: PictureChoices
  @Option var kernel: String
  @Option var output: String
}

/// The options that tell a server which kernels to load. By default, these are the kernels of this program.
/// With a target (a worker on another machine or in an emulator), they are the kernels of the target. Shared
/// libraries can add more kernels.
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
