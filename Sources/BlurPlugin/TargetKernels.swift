import Blur
import BlurWorker

/// Makes the kernels of a worker available as kernels of this process. The worker is a program on another
/// machine or in an emulator. A command that the user gives starts it.
public enum TargetKernels {
  /// Starts a worker and returns its kernels in their order, with their descriptions. The kernels can blur as
  /// long as the worker runs.
  ///
  /// - Parameters:
  ///   - command: the command that starts the worker, such as `ssh pi ./blur-worker`; its words are separated
  ///     by spaces.
  ///   - timeout: seconds without an answer after which the worker is killed.
  ///   - isTimed: whether blurs are timed. If not, the worker also checks that kernels use their scratch
  ///     memory correctly.
  /// - Throws: ``PluginError`` if the command does not start a worker with this version of the protocol.
  public static func kernels(
    of command: String, timeout: Double, isTimed: Bool
  ) throws(PluginError) -> [(kernel: Kernel, description: PluginDescription)] {
    let connection = TargetConnection(command, timeout: timeout)
    do {
      var hello = MessageWriter()
      hello.add(RequestKind.hello.rawValue)
      var answer = try connection.answer(to: hello).message
      let (name, version) = (try answer.text(), try answer.number())
      guard name == WorkerProtocol.name else { throw WireError("it is not a \(WorkerProtocol.name)") }
      guard version == WorkerProtocol.version else {
        throw WireError(
          "it uses version \(version) of the protocol, but this program needs version "
            + "\(WorkerProtocol.version)")
      }
      let machine = try answer.text()
      return try (0..<max(0, answer.number())).map { _ in
        let served = try ServedKernel(from: &answer)
        return (
          kernel(served, connection, isTimed: isTimed), PluginDescription(served, machine: machine)
        )
      }
    } catch {
      let reason =
        (error as? WorkerFailure)?.text
        ?? (error as? WireError).map { "does not answer as a blur-worker: \($0.description)" } ?? "\(error)"
      throw PluginError(
        description: "target '\(command)': \(reason); the command must start a blur-worker, see docs/PORTS.md"
      )
    }
  }

  private static func kernel(
    _ served: ServedKernel, _ connection: TargetConnection, isTimed: Bool
  ) -> Kernel {
    Kernel(
      name: served.name, summary: served.summary, promise: served.promise,
      instructionSets: served.instructionSets, isDefinition: served.isDefinition
    ) { (problem) throws(BlurError) in
      try TargetPlan(
        PlanRequest(kernel: served.name, problem: problem, isTimed: isTimed), connection)
    }
  }
}

extension PluginDescription {
  init(_ served: ServedKernel, machine: String) {
    var (levels, share, specification): (Double?, Double?, String?) = (nil, nil, nil)
    switch served.promise {
    case .exact(let most, let part): (levels, share) = (most, part)
    case .approximation(let most): levels = most
    case .specification(let name): specification = name
    case .nothing: break
    }
    self.init(
      name: served.name, summary: "\(served.summary), on \(machine)", promisedLevels: levels,
      promisedShare: share, formats: PixelFormat.allCases, edges: EdgeMode.all.map(\.name), mostThreads: nil,
      specification: specification, instructionSets: served.instructionSets.map(\.name),
      lackingSets: served.lackingSets.map(\.name))
  }
}
