import Blur
import BlurWorker
import Foundation
import Synchronization

/// A connection to a worker, a program that runs kernels on another machine or in an emulator. The connection
/// starts a local process, such as ssh, and exchanges the messages of ``BlurWorker/WorkerProtocol`` with the
/// worker over the standard input and output of that process.
///
/// If the worker has ended, the next request for a plan starts a new one. If the worker hangs, it is killed.
final class TargetConnection: Sendable {
  private let command: String
  private let timeout: Double
  private let state = Mutex(State())

  private struct State {
    var process: Process?
    var input = Pipe(), output = Pipe()
    /// The number of worker processes started so far. Each plan belongs to one worker process, and is lost
    /// when that process ends.
    var generation = 0
  }

  /// Creates a connection without starting the worker. The first request starts it.
  ///
  /// - Parameters:
  ///   - command: words separated by spaces. The first word is looked up in the PATH.
  ///   - timeout: seconds without an answer after which the worker counts as hanging.
  init(_ command: String, timeout: Double) { (self.command, self.timeout) = (command, timeout) }

  /// Sends a request to the worker. Returns the answer, ready to be read, and the number of the process that
  /// answered. The processes that this connection starts are numbered one after the other.
  ///
  /// - Parameter generation: the number of the process that must answer. Pass nil if any process may answer;
  ///   if none is running, a new one is started.
  /// - Throws: ``WorkerFailure`` if the worker refuses or fails, ends, or sends an invalid answer.
  func answer(
    to request: MessageWriter, from generation: Int? = nil
  ) throws(WorkerFailure) -> (message: MessageReader, generation: Int) {
    do {
      return try state.withLock { state in
        if let generation, generation != state.generation || state.process == nil {
          throw WorkerFailure.failed("the target has ended since the plan was made")
        }
        if state.process == nil { try start(&state) }
        return (try exchange(request, &state), state.generation)
      }
    } catch let failure as WorkerFailure { throw failure } catch { throw .failed("\(error)") }
  }

  private func start(_ state: inout State) throws {
    // If the worker has ended, writing to its pipe should return an error and not end this process with a
    // signal.
    signal(SIGPIPE, SIG_IGN)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command.split(separator: " ").map(String.init)
    (state.input, state.output) = (Pipe(), Pipe())
    process.standardInput = state.input
    process.standardOutput = state.output
    try process.run()
    state.process = process
    state.generation += 1
  }

  private func exchange(_ request: MessageWriter, _ state: inout State) throws -> MessageReader {
    var message = MessageReader([])
    let status: AnswerStatus?
    do {
      var head = MessageWriter()
      head.add(request.bytes.count)
      // If this write fails, reading the answer below fails too and gives the reason, so the error of the
      // write is ignored.
      try? state.input.fileHandleForWriting.write(contentsOf: Data(head.bytes + request.bytes))
      var length = MessageReader(try read(8, &state))
      guard let count = try? length.number(), (8...WorkerProtocol.mostBytes).contains(count) else {
        throw WorkerFailure.failed(
          "the target does not answer as a blur-worker; nothing else may write to its standard output")
      }
      message = MessageReader(try read(count, &state))
      status = AnswerStatus(rawValue: try message.bits())
    } catch {
      close(&state)
      throw error
    }
    switch status {
    case .done: return message
    case .refused: throw WorkerFailure.refused(try message.text())
    case .failed: throw WorkerFailure.failed(try message.text())
    case nil:
      close(&state)
      throw WorkerFailure.failed("the target answers with an unknown status; build the worker again")
    }
  }

  private func read(_ count: Int, _ state: inout State) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      var line = pollfd(
        fd: state.output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&line, 1, Int32(timeout * 1000)) != 0 else { hang(&state) }
      // SAFETY: `bytes` holds `count` bytes, and at most `count - done` of them are written from `done` on.
      let more = bytes.withUnsafeMutableBytes { systemRead(line.fd, $0.start + done, count - done) }
      guard more > 0 else { throw WorkerFailure.failed(ending(&state)) }
      done += more
    }
    return bytes
  }

  /// Kills the worker, and then waits until the parent process ends this process too. The parent knows which
  /// kernel was running and reports that it hangs.
  private func hang(_ state: inout State) -> Never {
    if let process = state.process { kill(process.processIdentifier, SIGKILL) }
    while true { sleep(60) }
  }

  /// Closes the connection and returns a sentence that says how the worker ended, for example with which exit
  /// code.
  private func ending(_ state: inout State) -> String {
    guard let process = state.process else { return "the target has ended" }
    close(&state)
    process.waitUntilExit()
    let code = process.terminationStatus
    guard process.terminationReason == .uncaughtSignal else {
      return "the target ended with exit code \(code) before it answered"
    }
    return "the target crashed: signal \(code) (\(String(cString: strsignal(code)).lowercased()))"
  }

  /// Closes the connection. The worker ends when its standard input is closed.
  private func close(_ state: inout State) {
    try? state.input.fileHandleForWriting.close()
    try? state.output.fileHandleForReading.close()
    state.process = nil
  }
}

/// Calls the system function `read`, which the method of the same name hides inside the class.
private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, bytes, count)
}
