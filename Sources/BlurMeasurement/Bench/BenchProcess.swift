import BlurRecords
import BlurText
import Foundation

/// Something that prepares and times cases: a process that serves a ``BenchWorker``, or a simulation in a
/// test.
public protocol BenchChannel: AnyObject {
  /// Prepares a case for timing and stores it in the slot with this number. A slot is a place for one
  /// prepared case. With several slots, several cases can be timed alternately.
  func open(_ slot: Int, _ entry: BenchRequest) throws(MeasurementError) -> Findings
  /// Times the case that ``open(_:_:)`` stored in the slot with this number. Returns the mean time of
  /// `iterations` blurs, and reports how other programs disturbed the measurement.
  func sample(_ slot: Int, iterations: Int) throws(MeasurementError) -> BenchSample
  /// Ends the timing of the case in the slot with this number, and empties the slot. Returns the error that
  /// occurred while the case was timed, or nil if there was none.
  func close(_ slot: Int) throws(MeasurementError) -> String?
}

/// A child process that times cases on request and is idle otherwise.
///
/// Every error is a ``MeasurementError/failed(_:)`` whose text says how the process ended or what it could
/// not do.
public final class BenchProcess: BenchChannel {
  private let process: Process
  private let requests = Pipe(), replies = Pipe()
  private let timeout: Double
  private var lines: LineReader
  private var identifies = false

  /// Starts a process that runs a ``BenchServer``.
  ///
  /// - Parameters:
  ///   - process: A process that has not been started yet. Its standard input and output are replaced by
  ///     pipes.
  ///   - timeout: The number of seconds without an answer after which the process counts as hanging.
  public init(_ process: Process, timeout: Double) throws(MeasurementError) {
    // If the other process has ended, writing to its pipe should return an error and not end this process
    // with a signal.
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
      throw .failed(
        "its build uses version \(hello.version ?? 0) of the protocol between processes, but this program "
          + "needs version \(BenchReply.version)")
    }
    identifies = hello.identifies ?? false
  }

  deinit {
    // The process would end by itself as soon as its input is closed. Killing it is faster and loses nothing.
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  public func open(_ slot: Int, _ entry: BenchRequest) throws(MeasurementError) -> Findings {
    let reply = try ask(.open(slot: slot, entry))
    guard let findings = reply.findings else {
      throw .failed(reply.failure ?? "the measuring process did not answer whether the case can be timed")
    }
    return findings
  }

  public func sample(_ slot: Int, iterations: Int) throws(MeasurementError) -> BenchSample {
    let reply = try ask(.time(slot: slot, iterations: iterations))
    guard let time = reply.nanoseconds, time > 0, time.isFinite else {
      throw .failed(reply.failure ?? "the measuring process returned no time")
    }
    return BenchSample(nanoseconds: time, disturbance: reply.disturbance)
  }

  /// Counts the instructions of one blur of a case with the hardware counters of the CPU.
  ///
  /// - Parameter slot: The number under which ``open(_:_:)`` stored the case.
  public func instructions(_ slot: Int) throws(MeasurementError) -> Double {
    let reply = try ask(.count(slot: slot))
    guard let count = reply.instructions else {
      throw .failed(reply.failure ?? "the measuring process returned no instruction count")
    }
    return Double(count)
  }

  public func close(_ slot: Int) throws(MeasurementError) -> String? {
    let reply = try ask(.close(slot: slot))
    if let failure = reply.failure { throw .failed(failure) }
    return reply.violation
  }

  /// Returns a description of the build that runs in the process: the hash of its program and, if it is
  /// known, the revision of BlurBench.
  public func build() throws(MeasurementError) -> String {
    // A build that is too old to identify itself does not understand the request `identify` and would exit.
    guard identifies else { throw .failed("this build is too old to report its identity") }
    let reply = try ask(.identify(files: []))
    guard let program = reply.program else {
      throw .failed(reply.failure ?? "the build did not report its identity")
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
      throw .failed("its answer cannot be read by this program; it may be a build of another version")
    }
  }

  private func nextLine() throws(MeasurementError) -> Data {
    let step = StepTime(of: process, timeout: timeout)
    // Wait for the whole timeout first, so that this process does not disturb a measurement by waking up
    // often. After the timeout, check once a second whether the child process still makes progress.
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
