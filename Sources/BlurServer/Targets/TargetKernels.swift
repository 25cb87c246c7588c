import Blur
import BlurText
import Synchronization

/// The kernels of a target, which is another machine or an emulator. A command from the user starts the
/// program blur-worker on this target.
public struct TargetKernels: Sendable {
  /// The kernels, in the order in which the target lists them. They remain usable after the process of the
  /// target has ended, because the next plan starts this process again.
  public let kernels: [Kernel]
  /// The instruction sets that the target's CPU lacks but for which a kernel has code. The key is the name of
  /// the kernel.
  public let lackingSets: [String: [InstructionSet]]
  private let command: String, timeout: Double
  private let connection: TargetConnection

  /// Starts the target and asks for its kernels.
  ///
  /// - Parameters:
  ///   - command: The command that starts the target, such as `ssh pi ./blur-worker`; its words are separated
  ///     by spaces.
  ///   - timeout: The number of seconds without an answer after which the target counts as hanging.
  ///   - isTimed: Whether blurs are timed. If blurs are only checked and not timed, the target also checks
  ///     that kernels use their scratch memory correctly, and is not started again after a kernel has hung.
  /// - Throws: ``PluginError`` if the command does not start a target with this version of the protocol.
  public init(_ command: String, timeout: Double, isTimed: Bool) throws(PluginError) {
    (self.command, self.timeout) = (command, timeout)
    connection = TargetConnection(command, timeout: timeout, isTimed: isTimed)
    do {
      var hello = MessageWriter()
      hello.add(RequestKind.hello.rawValue)
      var answer = try connection.answer(to: hello).message
      let (name, version) = (try answer.text(), try answer.number())
      guard name == TargetProtocol.name else { throw WireError("it is not a \(TargetProtocol.name)") }
      guard version == TargetProtocol.version else {
        throw WireError(
          "it uses version \(version) of the protocol, but this program needs version "
            + "\(TargetProtocol.version)")
      }
      let machine = try answer.text()
      let served = try (0..<max(0, answer.number())).map { _ in try ServedKernel(from: &answer) }
      kernels = served.map { [connection] in Self.kernel($0, on: machine, connection) }
      lackingSets = Dictionary(
        served.map { ($0.name, $0.lackingSets) }, uniquingKeysWith: { first, _ in first })
    } catch {
      let reason =
        (error as? TargetError)?.text
        ?? (error as? WireError).map { "does not answer as a blur-worker: \($0.description)" } ?? "\(error)"
      throw PluginError(
        description: "target '\(command)': \(reason); the command must start a blur-worker, see docs/PORTS.md"
      )
    }
  }

  /// Starts the same target again in a new process, so that a kernel can be checked in a separate process.
  package func startedAgain() throws(PluginError) -> TargetKernels {
    try TargetKernels(command, timeout: timeout, isTimed: connection.isTimed)
  }

  /// The error message of a kernel that has hung while it was checked, or nil if no kernel has hung.
  package var hangingReason: String? { connection.hangingReason }

  private static func kernel(
    _ served: ServedKernel, on machine: String, _ connection: TargetConnection
  ) -> Kernel {
    Kernel(
      name: served.name, summary: PlainText.shown("\(served.summary), on \(machine)"),
      promise: served.promise,
      instructionSets: served.instructionSets, isDefinition: served.isDefinition
    ) { (problem) throws(BlurError) in
      try TargetPlan(
        PlanRequest(kernel: served.name, problem: problem, isTimed: connection.isTimed), connection)
    }
  }
}

/// A plan that is kept on a target, which is another machine or an emulator. Each blur sends the image to the
/// target and reads the result back. The target uses its own threads.
///
/// If another plan has caused the target's process to end, this plan is made again in a new process. A plan
/// whose own blur has failed is not used again.
private final class TargetPlan: Plan {
  let facts: PlanFacts
  private let request: PlanRequest
  private let connection: TargetConnection
  private let state: Mutex<State>
  private static let mostPadding = 1 << 16

  private struct State {
    /// The number of the plan, and the number of the process that holds this plan.
    var number: Int, generation: Int
    /// The reason why an earlier blur failed, or nil if no blur has failed.
    var failure: BlurError?
  }

  init(_ request: PlanRequest, _ connection: TargetConnection) throws(BlurError) {
    (self.request, self.connection) = (request, connection)
    do {
      let (plan, facts) = try Self.made(request, connection)
      state = Mutex(plan)
      self.facts = facts
    } catch {
      throw Self.blurError(error, request.kernel)
    }
  }

  deinit {
    let (number, generation) = state.withLock { ($0.number, $0.generation) }
    var message = MessageWriter()
    message.add(RequestKind.forget.rawValue)
    message.add(number)
    _ = try? connection.answer(to: message, from: generation)
  }

  private static func made(
    _ request: PlanRequest, _ connection: TargetConnection
  ) throws -> (State, PlanFacts) {
    var message = MessageWriter()
    message.add(RequestKind.plan.rawValue)
    request.write(to: &message)
    var (answer, generation) = try connection.answer(to: message)
    let (number, reads) = (try answer.number(), try answer.region())
    guard reads.fits(request.problem.layout) else { throw WireError("its plan reads outside the image") }
    let (isSameByRegion, arithmetic) = (try answer.flag(), try answer.text())
    let facts = PlanFacts(
      phases: [Phase(units: 1)], reads: reads, isSameByRegion: isSameByRegion,
      arithmetic: arithmetic.isEmpty ? nil : arithmetic, blockColumns: try answer.number(),
      blockRows: try answer.number(), halvings: try answer.number())
    return (State(number: number, generation: generation), facts)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    let failure = state.withLock { state -> BlurError? in
      if state.failure == nil {
        do { try blur(buffers.source, buffers.destination, &state) } catch {
          state.failure = Self.blurError(error, request.kernel)
        }
      }
      return state.failure
    }
    if let failure { buffers.fail(failure) }
  }

  private func blur(_ source: ImageView, _ target: MutableImageView, _ state: inout State) throws {
    let format = source.layout.format
    let reads = facts.reads ?? source.layout.bounds
    // SAFETY: `reads` is the region of the source image that this plan reads according to its facts, or the
    // whole source image. The executor guarantees that every pixel of this region can be read. The new view
    // begins at the first pixel of the region and has the region's size and the source's stride, so it covers
    // only pixels of this region.
    let tile = ImageView(
      source.unsafeRow(reads.y) + reads.x * format.bytesPerPixel,
      try ImageLayout(format, width: reads.width, height: reads.height, stride: source.layout.stride))
    var answer: MessageReader
    do {
      answer = try ask(state, tile, target)
    } catch TargetError.gone {
      state = try Self.made(request, connection).0
      answer = try ask(state, tile, target)
    }
    TargetClock.add(try answer.bits())
    try answer.pixels(into: target)
  }

  /// Sends the image to the target, and returns the answer with the result.
  private func ask(_ state: State, _ tile: ImageView, _ target: MutableImageView) throws -> MessageReader {
    var message = MessageWriter()
    message.add(RequestKind.blur.rawValue)
    message.add(state.number)
    message.add(TargetClock.turns)
    for (base, layout) in [
      (tile.unsafeBase, tile.layout), (UnsafeRawPointer(target.unsafeBase), target.layout),
    ] {
      // The target uses rows with the same padding as this process, so that the kernel blurs under the same
      // conditions. Very long padding would take too much memory on the target, so the padding is reduced
      // modulo 64 KiB.
      message.add(layout.rowBytes + (layout.stride - layout.rowBytes) % Self.mostPadding)
      message.add(Int(bitPattern: base) & (TargetProtocol.alignment - 1))
    }
    message.add(pixels: tile)
    return try connection.answer(to: message, from: state.generation).message
  }

  /// Converts an error that occurred during communication with the target into an error that the plan reports
  /// to the user.
  private static func blurError(_ error: any Error, _ kernel: String) -> BlurError {
    switch error {
    case TargetError.refused(let reason): .unsupported(kernel: kernel, reason: reason)
    case let error as TargetError: .failed(kernel: kernel, reason: error.text)
    case let error as WireError:
      .failed(kernel: kernel, reason: "the answer of the target is invalid: \(error.description)")
    default: .failed(kernel: kernel, reason: "\(error)")
    }
  }
}

/// A clock that adds up the times of the blurs on a target. The time for sending images is not included.
public enum TargetClock {
  private static let state = Mutex((turns: 1, nanoseconds: UInt64(0)))

  /// Runs `body`, and makes the target machine run each blur in it `turns` times. Returns the total time of
  /// these blurs on the target machine, in nanoseconds.
  public static func nanoseconds(turns: Int, of body: () -> Void) -> UInt64 {
    state.withLock { $0 = (turns, 0) }
    body()
    return state.withLock { state in
      defer { state = (1, 0) }
      return state.nanoseconds
    }
  }

  /// The number of times that the target repeats each blur.
  static var turns: Int { state.withLock { $0.turns } }

  static func add(_ time: UInt64) { state.withLock { $0.nanoseconds &+= time } }
}
