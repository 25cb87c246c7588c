import BlurRecords
import BlurText
import Foundation

/// A connection to a server, which is another process that runs kernels on request. If a kernel crashes the
/// server, ends it or makes it hang, this process keeps running and can say what happened.
public final class ServerConnection {
  /// A description of how the server ended, or nil if it has answered all requests so far.
  public private(set) var end: ServerEnd?
  private let process: ChildProcess
  private let timeout: Double
  /// A folder for the files that both processes share.
  private let folder: URL
  private let page: SharedPage
  private let errors: ErrorLog?
  private var lines: PipeReader

  /// Starts a process that runs a ``KernelServer``, and connects to it.
  ///
  /// - Parameters:
  ///   - process: A process that has not been started yet. Its standard input and output are replaced by
  ///     pipes, and it gets the additional option `--page`.
  ///   - timeout: The number of seconds after which the process counts as hanging. The time is measured
  ///     separately for each step, such as planning or one blur.
  ///   - keepsErrors: Whether the standard error of the process is recorded instead of shown.
  /// - Throws: A ``MeasurementError`` if the process cannot be started, or uses a different version of the
  ///   protocol.
  public init(_ process: Process, timeout: Double, keepsErrors: Bool = false) throws(MeasurementError) {
    self.timeout = timeout
    folder = FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())")
    try TextFile.makeFolder(folder.path)
    let pageFile = folder.appending(path: "page").path
    page = try SharedPage(pageFile)
    errors = try keepsErrors ? ErrorLog(in: folder) : nil
    process.arguments = (process.arguments ?? []) + ["--page", pageFile]
    if let errors { process.standardError = errors.handle }
    do throws(MeasurementError) { self.process = try ChildProcess(process) } catch {
      // The initializer has not finished, so `deinit` will not run and the folder must be removed here.
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    lines = PipeReader(self.process.outputDescriptor)
    let hello: ServerReply<Int>
    do throws(MeasurementError) { hello = try reply(Wait(seconds: timeout)) } catch {
      // Builds with an older protocol do not know the command that starts a server, and exit with code 64.
      throw self.process.exitCode == 64 ? Self.otherVersion : error
    }
    guard case .answer(KernelServer.version) = hello else { throw Self.otherVersion }
  }

  private static let otherVersion = MeasurementError.failed(
    "its build uses another version of the protocol between processes; this program needs version "
      + "\(KernelServer.version)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The options for waiting for an answer. ``answer(to:within:hasPauses:progress:part:)`` describes the
  /// fields. `seconds` is the whole waiting time, including the timeout.
  private struct Wait {
    var seconds: Double, option: String? = nil
    var hasPauses = false
    var progress: ((_ check: Int) -> Void)?
  }

  /// Sends a request and returns the answer.
  ///
  /// - Parameters:
  ///   - limit: The number of seconds to add to the timeout, and the command-line option that sets this
  ///     number. With nil, nothing is added to the timeout.
  ///   - hasPauses: Whether the server also does long work in which no kernel runs, such as painting test
  ///     images. During such work, no time limit applies.
  ///   - progress: A function that is called regularly with the number of the running check. While times are
  ///     measured, pass nil, so that this process rarely wakes up and does not disturb the measurement.
  ///   - part: A function that is called with each part of the results that is sent before the answer.
  /// - Throws: ``MeasurementError/failed(_:)`` if the process ends, hangs or reports a failure. If the
  ///   process ended or hung, ``end`` is set. Errors of `part` are thrown too.
  public func answer<Answer: Decodable>(
    to request: some Encodable, within limit: (seconds: Double, option: String)? = nil,
    hasPauses: Bool = false, progress: ((_ check: Int) -> Void)? = nil,
    part: (Answer) throws(MeasurementError) -> Void = { _ in }
  ) throws(MeasurementError) -> Answer {
    let line: String
    do { line = try JSONDocument.line(of: request) } catch {
      throw .failed("internal error: a request contains a number that is infinite or NaN")
    }
    _ = process.send(Data((line + "\n").utf8), within: timeout)
    let wait = Wait(
      seconds: timeout + (limit?.seconds ?? 0), option: limit?.option, hasPauses: hasPauses,
      progress: progress)
    while true {
      let reply: ServerReply<Answer> = try reply(wait)
      switch reply {
      case .part(let value): try part(value)
      case .answer(let value): return value
      case .failure(let reason): throw .failed(reason)
      }
    }
  }

  /// Asks the process to end, and waits until it has ended. A kernel can crash even then, because its
  /// destructors run when the process ends.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` if the process crashes or hangs.
  package func finish() throws(MeasurementError) {
    _ = process.send(Data("\n".utf8), within: timeout)
    let step = StepTime(of: process.identifier, timeout: timeout)
    while !process.ends(within: 0.05) {
      if step.isOver { throw ended(hanging: ChildProcess.hanging(for: timeout)) }
    }
    guard process.exitCode == 0 else { throw ended() }
  }

  /// Copies lines that the process has written to its standard error to the standard error of this process.
  ///
  /// - Parameter left: The number of lines that may still be copied. This function subtracts the number of
  ///   lines that it copies.
  package func forwardErrors(lines left: inout Int) { errors?.forward(lines: &left) }

  private func reply<Answer: Decodable>(_ wait: Wait) throws(MeasurementError) -> ServerReply<Answer> {
    let line = try nextLine(wait)
    do { return try JSONDecoder().decode(ServerReply<Answer>.self, from: line) } catch {
      throw .failed(
        "the answer of the other process cannot be read; that process is a build of another version, or a "
          + "kernel has written into the connection between the two processes")
    }
  }

  /// Waits for the next line from the process.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` if the process ends. If a step takes longer than the timeout
  ///   allows, this function kills the process and throws the same kind of error.
  private func nextLine(_ wait: Wait) throws(MeasurementError) -> Data {
    let interval = min(wait.seconds, wait.progress == nil ? 1 : 0.1)
    var step = StepTime(of: process.identifier, timeout: wait.seconds)
    var steps = page.steps
    while true {
      let start = ContinuousClock.now
      if let line = lines.line(within: interval) { return line }
      // If the process has ended but one of its child processes still has the pipe open, the pipe does not
      // report an end. Therefore, the state of the process is checked too.
      if lines.isAtEnd || !process.isRunning {
        if let line = lines.line(within: 0) { return line }
        throw ended()
      }
      wait.progress?(page.last)
      // The timeout applies to each step separately, so its clock restarts when a new step begins. The clock
      // also restarts if the computer has slept, or if the user has suspended the run.
      let wasSuspended = ContinuousClock.now - start > .seconds(interval + 1)
      let isPaused = wait.hasPauses && page.current == 0
      if wasSuspended || page.steps != steps || isPaused {
        steps = page.steps
        step = StepTime(of: process.identifier, timeout: wait.seconds)
      }
      if step.isOver { throw ended(hanging: ChildProcess.hanging(for: wait.seconds, limit: wait.option)) }
    }
  }

  /// Makes sure that the process has ended, stores a description of its end in ``end``, and returns an error
  /// with this description. A process that hangs is killed at once. Any other process is killed if it has not
  /// ended after 10 seconds.
  ///
  /// - Parameter hanging: A phrase that says that the process hangs, or nil if it does not hang.
  private func ended(hanging: String? = nil) -> MeasurementError {
    var reason = hanging
    if hanging != nil || !process.ends(within: 10) {
      reason = reason ?? "closed its connection to blurbench"
      process.end()
    }
    var end = ServerEnd(reason ?? process.ending, isHanging: hanging != nil, last: page.last)
    (end.fault, end.lastLine) = (hanging == nil ? page.fault : nil, errors?.lastLine)
    end.current = page.current
    self.end = end
    return .failed(end.text)
  }
}

/// Measures how long a server has been busy with a step, such as planning or one blur, in wall time and in
/// CPU time. Wall time alone would not suffice, because a step may also take long if other processes occupy
/// the CPUs.
private struct StepTime {
  private let process: pid_t
  private let timeout: Double
  private let start = ContinuousClock.now
  private let computed: Double

  /// The smallest fraction of the wall time that a working step spends on a CPU, even if other processes use
  /// the CPUs too. A step with less CPU time counts as hanging.
  private static let alive = 0.01
  /// The maximum time of a step as a multiple of the timeout, however busy the machine is.
  private static let patience = 10.0

  /// Starts to measure the time of a step of a process. The step may take `timeout` seconds.
  init(of process: pid_t, timeout: Double) {
    (self.process, self.timeout) = (process, timeout)
    computed = Self.timeOnCPU(of: process) ?? 0
  }

  /// Whether the step counts as hanging. After the timeout, a step hangs if its CPU time is almost as long as
  /// the timeout, or if it has used hardly any CPU time. If its CPU time is between these limits, the machine
  /// is busy with other work, so the step may take up to ten times the timeout.
  var isOver: Bool {
    let time = (ContinuousClock.now - start) / .seconds(1)
    guard time <= Self.patience * timeout else { return true }
    // A process whose CPU time cannot be read has ended, so it does not hang.
    guard time > timeout, let all = Self.timeOnCPU(of: process) else { return false }
    let used = all - computed
    return used >= 0.9 * timeout || used < Self.alive * time
  }

  /// Returns the CPU time of all threads of a process in seconds, or nil if the process has ended.
  private static func timeOnCPU(of process: pid_t) -> Double? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
