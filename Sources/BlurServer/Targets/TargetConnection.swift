import BlurText
import Foundation
import Synchronization

/// A connection to a target, which runs kernels on another machine or in an emulator. The connection starts a
/// local process, such as ssh, and exchanges the messages of ``TargetProtocol`` with the target over the
/// standard input and output of that process.
///
/// If the process ends by itself, the next request for a plan starts a new process. A process that hangs is
/// killed. A new process replaces it only if blurs are timed.
final class TargetConnection: Sendable {
  private let command: String
  private let timeout: Double
  private let state = Mutex(State())
  /// Whether blurs are timed.
  let isTimed: Bool

  private struct State {
    var process: ChildProcess?
    var reader = PipeReader(-1)
    /// The number of processes started so far. Each plan belongs to one process, and is lost when that
    /// process ends.
    var generation = 0
    /// The error message if the process has hung while blurs were checked, and nil otherwise.
    var hangingReason: String?
  }

  /// Creates a connection without starting the target. The first request starts it.
  ///
  /// - Parameters:
  ///   - command: The command that starts the target: words separated by spaces. The first word is looked up
  ///     in the PATH.
  ///   - timeout: The number of seconds without an answer after which the target counts as hanging.
  ///   - isTimed: Whether blurs are timed.
  init(_ command: String, timeout: Double, isTimed: Bool) {
    (self.command, self.timeout, self.isTimed) = (command, timeout, isTimed)
  }

  /// The error message if the process has hung while blurs were checked, and nil otherwise.
  var hangingReason: String? { state.withLock { $0.hangingReason } }

  /// Sends a request to the target. Returns a reader for the answer, and the number of the process that
  /// answered. The connection numbers the processes in the order in which it starts them.
  ///
  /// - Parameter generation: The number of the process that must answer. Pass nil if any process may answer.
  ///   In this case, a new process is started if none is running.
  /// - Throws: ``TargetError`` if the target refuses or fails, ends, or sends an invalid answer.
  func answer(
    to request: MessageWriter, from generation: Int? = nil
  ) throws(TargetError) -> (message: MessageReader, generation: Int) {
    try state.withLock { (state) throws(TargetError) in
      if let reason = state.hangingReason { throw .hangs(reason) }
      if let generation, generation != state.generation || state.process == nil { throw .gone }
      do {
        let process = if let running = state.process { running } else { try start(&state) }
        return (try exchange(request, process, &state.reader), state.generation)
      } catch let error as TargetError {
        if error.endsProcess { state.process = nil }
        if case .hangs(let reason) = error, !isTimed { state.hangingReason = reason }
        throw error
      } catch {
        state.process = nil
        throw .ended((error as? WireError)?.description ?? "\(error)")
      }
    }
  }

  private func start(_ state: inout State) throws -> ChildProcess {
    let process = Process()
    // The shell makes the target ignore Ctrl-C. Otherwise, Ctrl-C would end the target, and this process
    // would report that a kernel has crashed.
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments =
      ["-c", #"trap '' INT; exec "$@""#, "target"] + command.split(separator: " ").map(String.init)
    let child = try ChildProcess(process)
    (state.process, state.reader) = (child, PipeReader(child.outputDescriptor))
    state.generation += 1
    return child
  }

  private func exchange(
    _ request: MessageWriter, _ process: ChildProcess, _ reader: inout PipeReader
  ) throws -> MessageReader {
    var head = MessageWriter()
    head.add(request.bytes.count)
    guard process.send(Data(head.bytes + request.bytes), within: timeout) else { throw hanging(process) }
    var length = MessageReader(try read(8, process, &reader))
    guard let count = try? length.number(), (8...TargetProtocol.mostBytes).contains(count) else {
      throw TargetError.ended(
        "the target does not answer as a blur-worker; nothing else may write to its standard output")
    }
    var message = MessageReader(try read(count, process, &reader))
    switch AnswerStatus(rawValue: try message.bits()) {
    case .done: return message
    case .refused: throw TargetError.refused(PlainText.shown(try message.text()))
    case .failed: throw TargetError.failed(PlainText.shown(try message.text()))
    case nil:
      throw TargetError.ended("the target answers with an unknown status; build the blur-worker again")
    }
  }

  private func read(
    _ count: Int, _ process: ChildProcess, _ reader: inout PipeReader
  ) throws(TargetError) -> [UInt8] {
    if let bytes = reader.bytes(count, within: timeout) { return bytes }
    // If the process has ended but one of its child processes still has the pipe open, the pipe does not
    // report an end. Therefore, the state of the process is checked too.
    guard reader.isAtEnd || !process.isRunning else { throw hanging(process) }
    // If the process has closed its output but does not end within 10 seconds, it is killed.
    if process.ends(within: 10) { throw .ended("the target " + process.ending) }
    process.end()
    throw .ended("the target closed its connection to blurbench")
  }

  /// Kills the process, and returns an error that says that the target has not answered in time.
  private func hanging(_ process: ChildProcess) -> TargetError {
    process.end()
    return .hangs("the target " + ChildProcess.hanging(for: timeout))
  }
}

/// The reason why a target did not do what was requested.
enum TargetError: Error {
  /// The kernel does not support the request.
  case refused(String)
  /// The request failed, but the target can answer further requests.
  case failed(String)
  /// The process has ended, or its answers cannot be understood.
  case ended(String)
  /// The process did not answer in time, and was killed.
  case hangs(String)
  /// The process that should answer had already ended before the request.
  case gone

  /// The reason as text.
  var text: String {
    switch self {
    case .refused(let text), .failed(let text), .ended(let text), .hangs(let text): text
    case .gone: "the target has ended since the plan was made"
    }
  }

  /// Whether the process cannot be used for further requests.
  fileprivate var endsProcess: Bool {
    switch self {
    case .ended, .hangs: true
    case .refused, .failed, .gone: false
    }
  }
}
