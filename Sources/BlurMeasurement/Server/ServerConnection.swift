import BlurRecords
import BlurText
import Foundation

/// A connection to a server, which is a process that runs kernels on request. If a kernel crashes, hangs or
/// ends the process, this process survives and learns how it happened.
public final class ServerConnection {
  /// A description of how the process ended, or nil if it has not ended before it answered.
  public private(set) var end: ServerEnd?
  private let process: Process
  private let timeout: Double
  /// A folder for the files that both processes share.
  private let folder: URL
  private let page: SharedPage
  private let errors: WorkerErrors?
  private let requests = Pipe(), replies = Pipe()
  private var lines: LineReader
  private let exited = DispatchSemaphore(value: 0)
  private let suspension = SuspendDetector()

  /// Starts a process that runs a ``KernelServer``.
  ///
  /// - Parameters:
  ///   - process: A process that has not been started yet. Its standard input and output are replaced by
  ///     pipes, and it gets the additional option `--page`.
  ///   - timeout: The number of seconds after which the process counts as hanging. The time is measured
  ///     separately for each step, such as planning or one blur.
  ///   - keepsErrors: Whether the standard error of the process is recorded instead of shown.
  /// - Throws: A ``MeasurementError`` if the process cannot be started, or uses another version of the
  ///   protocol.
  public init(_ process: Process, timeout: Double, keepsErrors: Bool = false) throws(MeasurementError) {
    // If the other process has ended, writing to its pipe should return an error and not end this process
    // with a signal.
    signal(SIGPIPE, SIG_IGN)
    self.process = process
    self.timeout = timeout
    folder = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw .file(path: folder.path, reason: "cannot be created: \(error.localizedDescription)")
    }
    let pageFile = folder.appending(path: "page").path
    page = try SharedPage(pageFile, count: .max)
    errors = try keepsErrors ? WorkerErrors(in: folder) : nil
    lines = LineReader(replies.fileHandleForReading.fileDescriptor)
    process.arguments = (process.arguments ?? []) + ["--page", pageFile]
    process.standardInput = requests
    process.standardOutput = replies
    if let errors { process.standardError = errors.handle }
    process.terminationHandler = { [exited] _ in exited.signal() }
    do { try process.run() } catch {
      throw .failed("\(process.executableURL?.path ?? "?") cannot be started: \(error.localizedDescription)")
    }
    let hello: ServerReply<Int> = try reply(to: nil, within: nil) { _ in }
    guard case .answer(ServerRequest.version) = hello else {
      throw .failed(
        "its build uses another version of the protocol between processes; this program needs version "
          + "\(ServerRequest.version)")
    }
  }

  deinit {
    // The process would end by itself as soon as its input is closed. Killing it is faster and loses nothing.
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      exited.wait()
    }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Sends a request and returns the answer.
  ///
  /// - Parameters:
  ///   - limit: The number of seconds that are added to the timeout, and the command-line option that sets
  ///     this number. Pass nil if the timeout alone suffices.
  ///   - progress: A function that is called from time to time with the number of the check that is running.
  ///   - part: A function that is called with each part of the results that is sent before the answer.
  /// - Throws: ``MeasurementError/failed(_:)`` if the process ends or hangs, or reports a failure. Only if it
  ///   ends or hangs, ``end`` is not nil afterwards. Errors of `part` are thrown too.
  public func answer<Answer: Decodable>(
    to request: ServerRequest, within limit: (seconds: Double, option: String)? = nil,
    progress: (_ check: Int) -> Void = { _ in },
    part: (Answer) throws(MeasurementError) -> Void = { _ in }
  ) throws(MeasurementError) -> Answer {
    try send(request)
    while true {
      let reply: ServerReply<Answer> = try reply(to: request, within: limit, progress)
      switch reply {
      case .part(let value): try part(value)
      case .answer(let value): return value
      case .failure(let reason): throw .failed(reason)
      }
    }
  }

  /// Asks the process to end, and waits until it has ended. While a process ends, its destructors run and may
  /// still crash.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` if the process crashes or hangs.
  func finish() throws(MeasurementError) {
    try send(.end)
    let step = StepTime(of: process, timeout: timeout)
    while exited.wait(timeout: .now() + 0.05) == .timedOut {
      if step.isOver { throw ended(hanging: Self.hanging(for: timeout, limit: nil)) }
    }
    exited.signal()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { throw ended() }
  }

  /// Copies lines that the process has written to its standard error to the standard error of this process.
  ///
  /// - Parameter left: The number of lines that may still be copied. It is reduced by the number of lines
  ///   copied.
  func forwardErrors(lines left: inout Int) { errors?.forward(lines: &left) }

  private func send(_ request: ServerRequest) throws(MeasurementError) {
    let line: String
    do { line = try JSONDocument.line(of: request) + "\n" } catch {
      throw .failed("internal error: a request contains a number that is infinite or NaN")
    }
    // If this write fails, the process has ended, and waiting for the reply gives the reason.
    try? requests.fileHandleForWriting.write(contentsOf: Data(line.utf8))
  }

  private func reply<Answer: Decodable>(
    to request: ServerRequest?, within limit: (seconds: Double, option: String)?, _ progress: (Int) -> Void
  ) throws(MeasurementError) -> ServerReply<Answer> {
    let line = try nextLine(request, limit, progress)
    do { return try JSONDecoder().decode(ServerReply<Answer>.self, from: line) } catch {
      throw .failed(
        "its answer cannot be read by this program; it is a build of another version, or a kernel has "
          + "written into the connection between the two processes")
    }
  }

  /// Waits for the next line from the process.
  ///
  /// - Parameter request: The request that the process carries out, or nil if it is starting.
  /// - Throws: ``MeasurementError/failed(_:)`` if the process ends, or if a step takes longer than the
  ///   timeout allows. The process is then killed.
  private func nextLine(
    _ request: ServerRequest?, _ limit: (seconds: Double, option: String)?, _ progress: (Int) -> Void
  ) throws(MeasurementError) -> Data {
    let seconds = timeout + (limit?.seconds ?? 0)
    var step = StepTime(of: process, timeout: seconds)
    var steps = page.steps
    _ = suspension.takeStillness()
    while true {
      if let line = lines.next(within: min(seconds, request?.interval ?? 1)) { return line }
      if lines.isAtEnd { throw ended() }
      // A child of the ended process may still hold the pipe, which then does not report an end.
      if !process.isRunning {
        if let line = lines.next(within: 0) { return line }
        throw ended()
      }
      progress(page.last)
      // The timeout applies to each step separately, so a new step starts a new time measurement. The
      // measurement also starts again if the computer has slept or the user has suspended the run meanwhile,
      // because the kernel is not to blame for such a delay.
      let isPaused = request?.hasPauses == true && page.current == 0
      if suspension.takeStillness() > 0 || page.steps != steps || isPaused {
        steps = page.steps
        step = StepTime(of: process, timeout: seconds)
      }
      if step.isOver { throw ended(hanging: Self.hanging(for: seconds, limit: limit?.option)) }
    }
  }

  /// Waits until the process has ended, or kills it if it hangs or no longer answers. Records how it ended.
  private func ended(hanging: String? = nil) -> MeasurementError {
    var reason = hanging
    if hanging != nil || exited.wait(timeout: .now() + 10) == .timedOut {
      reason = reason ?? "closed its connection to blurbench"
      kill(process.processIdentifier, SIGKILL)
      exited.wait()
    }
    exited.signal()
    let end = ServerEnd(
      reason: reason ?? Self.ending(of: process), fault: hanging == nil ? page.fault : nil,
      lastLine: errors?.lastLine, isHanging: hanging != nil, current: page.current, last: page.last)
    self.end = end
    return .failed(end.text)
  }

  /// Returns the error message for a process that was killed because it did not answer.
  ///
  /// - Parameters:
  ///   - seconds: The number of seconds that the process was given.
  ///   - option: The name of the command-line option that extended the timeout, or nil if none did. The
  ///     message names this option, so that the user knows which value to raise.
  private static func hanging(for seconds: Double, limit option: String?) -> String {
    "hangs: no answer within \(seconds.short) s"
      + (option.map { ", which is \($0) plus --kernel-timeout" }
        ?? "; raise --kernel-timeout to wait longer")
  }

  /// Returns a description of how a process ended.
  private static func ending(of process: Process) -> String {
    let code = process.terminationStatus
    guard process.terminationReason == .uncaughtSignal else {
      return "ended its process with exit code \(code)"
    }
    if code == SIGKILL { return "was killed (signal 9)" }
    return "crashed: signal \(code) (\(String(cString: strsignal(code)).lowercased()))"
  }
}
