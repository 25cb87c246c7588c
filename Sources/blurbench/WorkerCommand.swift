import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurReport
import BlurScenes
import BlurServer
import BlurVerification

/// The verb `blurbench worker`. Other verbs use it to start the server processes that run external kernels.
///
/// Without `--page`, the process serves the kernels of this program to another program, as a `blur-worker` on
/// another machine does.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Run kernels for another process.", shouldDisplay: false)

  @Argument var libraries: [String] = []
  @Option var page: String?
  @Option(help: "Only run the blur of this case, so that an external tool can count its instructions.")
  var count: String?
  @Option var iterations = 1

  func run() throws {
    if let count {
      KernelServer.watchParent()
      try Case(name: count).blur(iterations: iterations, kernels: kernels)
    } else if let page {
      let server = try KernelServer(page: page)
      try server.run(ServerAnswers(self, server).answer)
    } else {
      TargetServer().serve()
    }
  }

  /// The kernels of this program, followed by the kernels of the shared libraries.
  fileprivate var kernels: [Kernel] {
    get throws(PluginError) {
      var all = Registry.all
      for library in libraries { all += try PluginLibrary.kernels(at: library).map(\.kernel) }
      return all
    }
  }
}

/// Answers the requests that other processes send to a server.
private final class ServerAnswers {
  private let command: WorkerCommand
  private let server: KernelServer
  private var bench: BenchWorker?

  init(_ command: WorkerCommand, _ server: KernelServer) { (self.command, self.server) = (command, server) }

  /// Carries out a request and returns the answer.
  func answer(_ request: ServerRequest) throws -> any Encodable {
    switch request {
    case .describe: try describe()
    case .check(let request): try check(request)
    case .certify(let name, let conditions, let limit): try certify(name, conditions, limit: limit)
    case .draw(let request): try draw(request)
    case .measure(let jobs, let options): try measure(jobs, options)
    case .open(let slot, let entry): try opened().open(slot, entry)
    case .time(let slot, let iterations): try opened().sample(slot, iterations: iterations)
    case .count(let slot): try opened().instructions(slot)
    case .close(let slot): try opened().close(slot)
    case .identify: BuildIdentity.current().short
    }
  }

  /// Returns the descriptions of the kernels in the shared libraries. While a library is being loaded, the
  /// shared page holds the library's index plus 1, so that the parent process knows which library caused a
  /// crash.
  private func describe() throws -> [PluginDescription] {
    try command.libraries.enumerated().flatMap { index, library in
      server.page.begins(index + 1)
      defer { server.page.ends() }
      return try PluginLibrary.kernels(at: library).map(\.description)
    }
  }

  private func check(_ request: CheckRequest) throws -> any Encodable {
    let origin = command.libraries.joined(separator: " ")
    return try IsolatedVerification.check(request, command.kernels, for: server) {
      try FailurePicture.written($0, to: request.pictures, origin: origin)
    }
  }

  private func certify(
    _ name: String, _ conditions: VerificationRun, limit: Double
  ) throws -> CertificateRow? {
    let kernel = try command.kernels.first { $0.name == name }
    return try kernel.flatMap { try CertificateRun($0, conditions, limit: limit).report().first }
  }

  private func draw(_ request: PictureRequest) throws -> [String] {
    let all = try command.kernels
    return try request.draw(request.kernels.compactMap { name in all.first { $0.name == name } })
  }

  private func measure(_ jobs: [Job], _ options: RunnerOptions) throws -> [Record] {
    try IsolatedRunner.measure(jobs, options, kernels: command.kernels, for: server)
    return []
  }

  /// Returns the worker that times cases. The worker is created at the first request.
  private func opened() throws -> BenchWorker {
    if let bench { return bench }
    let new = BenchWorker(kernels: try command.kernels) { (item, kernel, isVerified) throws(BlurError) in
      try BenchScene(item, kernel, isVerified: isVerified)
    }
    bench = new
    return new
  }
}
