import Blur
import BlurText
import Foundation
import Synchronization

/// The kernels of a target, which is another machine or an emulator. A command that the user gives starts the
/// program blur-worker there.
public struct TargetKernels: Sendable {
  /// The kernels, in the order of the target. They can blur as long as this process runs: if the target ends,
  /// the next plan starts it again.
  public let kernels: [Kernel]
  /// The names of the instruction sets that a kernel has code for but that the target lacks, by the name of
  /// the kernel.
  public let lackingSets: [String: [String]]
  private let pool: TargetPool

  /// Starts the target and asks for its kernels.
  ///
  /// - Parameters:
  ///   - command: The command that starts the target, such as `ssh pi ./blur-worker`; its words are separated
  ///     by spaces.
  ///   - timeout: The number of seconds without an answer after which the target counts as hanging.
  ///   - isTimed: Whether blurs are timed. If not, the target also checks that kernels use their scratch
  ///     memory correctly. Besides, a kernel that has hung is not tried again, and the target is started
  ///     several times, so that several threads can check kernels at the same time.
  /// - Throws: ``PluginError`` if the command does not start a target with this version of the protocol.
  public init(_ command: String, timeout: Double, isTimed: Bool) throws(PluginError) {
    pool = TargetPool(command, timeout: timeout, isTimed: isTimed)
    do {
      var hello = MessageWriter()
      hello.add(RequestKind.hello.rawValue)
      var answer = try pool.idlest.answer(to: hello).message
      let (name, version) = (try answer.text(), try answer.number())
      guard name == TargetProtocol.name else { throw WireError("it is not a \(TargetProtocol.name)") }
      guard version == TargetProtocol.version else {
        throw WireError(
          "it uses version \(version) of the protocol, but this program needs version "
            + "\(TargetProtocol.version)")
      }
      let machine = try answer.text()
      let served = try (0..<max(0, answer.number())).map { _ in try ServedKernel(from: &answer) }
      kernels = served.map { [pool] in Self.kernel($0, on: machine, pool) }
      lackingSets = Dictionary(
        served.map { ($0.name, $0.lackingSets.map(\.name)) }, uniquingKeysWith: { first, _ in first })
    } catch {
      let reason =
        (error as? TargetError)?.text
        ?? (error as? WireError).map { "does not answer as a blur-worker: \($0.description)" } ?? "\(error)"
      throw PluginError(
        description: "target '\(command)': \(reason); the command must start a blur-worker, see docs/PORTS.md"
      )
    }
  }

  /// Returns the error message of a kernel that has hung while it was checked, or nil if it has not.
  package func hangingReason(of kernel: String) -> String? { pool.hanging.withLock { $0[kernel] } }

  private static func kernel(_ served: ServedKernel, on machine: String, _ pool: TargetPool) -> Kernel {
    Kernel(
      name: served.name, summary: PlainText.shown("\(served.summary), on \(machine)"),
      promise: served.promise,
      instructionSets: served.instructionSets, isDefinition: served.isDefinition
    ) { (problem) throws(BlurError) in
      if let reason = pool.hanging.withLock({ $0[served.name] }) {
        throw .failed(kernel: served.name, reason: reason)
      }
      return try TargetPlan(
        PlanRequest(kernel: served.name, problem: problem, isTimed: pool.isTimed), pool)
    }
  }
}

/// The processes of a target. Several of them can blur at the same time.
final class TargetPool: Sendable {
  /// Whether blurs are timed.
  let isTimed: Bool
  /// The names of the kernels that have hung while they were checked, each with the error message.
  let hanging = Mutex<[String: String]>([:])
  private let connections: [TargetConnection]

  init(_ command: String, timeout: Double, isTimed: Bool) {
    self.isTimed = isTimed
    let count = isTimed ? 1 : ProcessInfo.processInfo.activeProcessorCount
    connections = (0..<count).map { _ in TargetConnection(command, timeout: timeout) }
  }

  /// The connection with the fewest plans.
  var idlest: TargetConnection {
    connections.min { $0.plans.load(ordering: .relaxed) < $1.plans.load(ordering: .relaxed) }
      ?? connections[0]
  }
}
