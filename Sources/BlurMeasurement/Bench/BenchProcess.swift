import BlurRecords
import BlurText
import Foundation

/// Where cases are made ready and timed: a process that serves a ``BenchWorker``, or a test's simulated one.
public protocol BenchChannel: AnyObject {
  /// Makes a case ready in a slot.
  func open(_ slot: Int, _ entry: BenchRequest) throws(MeasurementError) -> Findings
  /// Times the slot's case: the mean of `iterations` blurs, and what disturbed them.
  func sample(_ slot: Int, iterations: Int) throws(MeasurementError) -> BenchSample
  /// Empties a slot, and says what went wrong while its case was timed.
  func close(_ slot: Int) throws(MeasurementError) -> String?
}

/// A process that times cases when it is asked to, and is idle otherwise.
///
/// All errors are ``MeasurementError/failed(_:)`` with how the process ended.
public final class BenchProcess: BenchChannel {
  private let process: Process
  private let requests = Pipe(), replies = Pipe()
  private let timeout: Double
  private var lines: LineReader
  private var identifies = false

  /// Starts a process that runs a ``BenchServer``.
  ///
  /// - Parameters:
  ///   - process: not yet started; its standard input and output are taken.
  ///   - timeout: seconds after which it counts as hanging.
  public init(_ process: Process, timeout: Double) throws(MeasurementError) {
    // A process that is gone shows as an error of the write, not as a signal to this one.
    signal(SIGPIPE, SIG_IGN)
    self.process = process
    self.timeout = timeout
    process.standardInput = requests
    process.standardOutput = replies
    lines = LineReader(replies.fileHandleForReading.fileDescriptor)
    do { try process.run() } catch {
      throw .failed("\(process.executableURL?.path ?? "?") cannot be started: \(error.localizedDescription)")
    }
    let hello = try reply()
    guard hello.version == BenchReply.version else {
      throw .failed("speaks version \(hello.version ?? 0) of the messages, not \(BenchReply.version)")
    }
    identifies = hello.identifies ?? false
  }

  deinit {
    // It ends by itself when its requests do; nothing is lost by ending it at once.
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  public func open(_ slot: Int, _ entry: BenchRequest) throws(MeasurementError) -> Findings {
    let reply = try ask(.open(slot: slot, entry))
    guard let findings = reply.findings else { throw .failed(reply.failure ?? "no findings came back") }
    return findings
  }

  public func sample(_ slot: Int, iterations: Int) throws(MeasurementError) -> BenchSample {
    let reply = try ask(.time(slot: slot, iterations: iterations))
    guard let time = reply.nanoseconds, time > 0, time.isFinite else {
      throw .failed(reply.failure ?? "no time came back")
    }
    return BenchSample(nanoseconds: time, disturbance: reply.disturbance)
  }

  /// Instructions of one blur of the slot's case, by the CPU's own counters.
  public func instructions(_ slot: Int) throws(MeasurementError) -> Double {
    let reply = try ask(.count(slot: slot))
    guard let count = reply.instructions else { throw .failed(reply.failure ?? "no count came back") }
    return Double(count)
  }

  public func close(_ slot: Int) throws(MeasurementError) -> String? {
    let reply = try ask(.close(slot: slot))
    if let failure = reply.failure { throw .failed(failure) }
    return reply.violation
  }

  /// Which build this process is, in words: the hash of its program, and BlurBench's revision if known.
  public func build() throws(MeasurementError) -> String {
    // A build of before would take the question for nonsense, and end.
    guard identifies else { throw .failed("does not say which build it is") }
    let reply = try ask(.identify(files: []))
    guard let program = reply.program else {
      throw .failed(reply.failure ?? "does not say which build it is")
    }
    return "program \(program)" + (reply.revision.map { ", BlurBench revision \($0)" } ?? "")
  }

  private func ask(_ request: BenchMessage) throws(MeasurementError) -> BenchReply {
    do {
      let line = try JSONDocument.line(of: request) + "\n"
      try requests.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    } catch { throw ended() }
    return try reply()
  }

  private func reply() throws(MeasurementError) -> BenchReply {
    let line = try nextLine()
    do { return try JSONDecoder().decode(BenchReply.self, from: line) } catch {
      throw .failed("answers in another form than this program")
    }
  }

  private func nextLine() throws(MeasurementError) -> Data {
    let step = StepTime(of: process, timeout: timeout)
    // Nothing is looked at while it measures, unless that takes long.
    var wait = timeout
    while true {
      let start = ContinuousClock.now
      if let line = lines.next(within: wait) { return line }
      guard ContinuousClock.now - start >= .seconds(wait) else { throw ended() }
      guard !step.isOver else {
        kill(process.processIdentifier, SIGKILL)
        throw .failed(IsolatedRunner.hanging(for: timeout))
      }
      wait = min(timeout, 1)
    }
  }

  private func ended() -> MeasurementError {
    process.waitUntilExit()
    return .failed(IsolatedRunner.ending(of: process))
  }
}
