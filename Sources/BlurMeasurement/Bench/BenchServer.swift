import Blur
import BlurRecords
import BlurText
import Foundation

/// A request to a measuring process. The request comes from the process that runs the comparison, and is sent
/// as one line of JSON.
enum BenchMessage: Codable {
  case open(slot: Int, BenchRequest)
  case time(slot: Int, iterations: Int)
  case count(slot: Int)
  case close(slot: Int)
  /// Asks which build is running. `files` are the files with external kernels, which count as part of the
  /// build.
  case identify(files: [String])
}

/// The answer to a request, sent as one line of JSON. When a process is ready, it first sends an answer that
/// holds only the version of the protocol and whether the process can identify its build.
struct BenchReply: Codable {
  /// The version of the protocol of requests and answers. A measuring process with another version is
  /// rejected.
  static let version = 1

  var version: Int?
  var findings: Findings?
  var nanoseconds: Double?
  var disturbance: Disturbance?
  var instructions: UInt64?
  /// Whether the process can report which build of the program it runs. Only the first answer of a process
  /// sets this property.
  var identifies: Bool?
  /// The hash of the build, and the git revision of its sources if that is known.
  var program: String?, revision: String?
  /// The error that occurred while a case was timed. Only the answer to a `close` request contains this
  /// error.
  var violation: String?
  /// The reason why the request could not be carried out.
  var failure: String?

  private enum CodingKeys: String, CodingKey {
    case version, identifies, findings, nanoseconds, disturbance, instructions, program, revision, failure
    // The JSON key keeps its old name, because other builds with the same protocol version use it.
    case violation = "complaint"
  }
}

/// Receives requests for a ``BenchWorker`` through one file descriptor and answers through another, until the
/// requests end.
public struct BenchServer {
  private let worker: BenchWorker
  private let requests: Int32, replies: Int32

  /// Creates a server that receives requests on the standard input of this process and answers on its
  /// standard output. Both are then replaced by `/dev/null`, so that kernels that print cannot damage the
  /// messages.
  public init(_ worker: BenchWorker) {
    self.worker = worker
    requests = dup(STDIN_FILENO)
    replies = dup(STDOUT_FILENO)
    let empty = open("/dev/null", O_RDWR)
    if empty >= 0 {
      dup2(empty, STDIN_FILENO)
      dup2(empty, STDOUT_FILENO)
    }
  }

  /// Answers requests one after the other, and returns when the process that asks has ended.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` if a line is not a valid request, or if an answer contains a
  ///   number that is not finite.
  public func run() throws(MeasurementError) {
    var lines = LineReader(requests)
    var ready = BenchReply()
    ready.identifies = true
    ready.version = BenchReply.version
    guard try answer(ready) else { return }
    while let line = lines.next() {
      guard let request = try? JSONDecoder().decode(BenchMessage.self, from: line) else {
        throw .failed(
          "a worker process got a request that it does not understand; the program that sent it must be of "
            + "another version")
      }
      guard try answer(reply(to: request)) else { return }
    }
  }

  private func reply(to request: BenchMessage) -> BenchReply {
    var reply = BenchReply()
    do throws(MeasurementError) {
      switch request {
      case .open(let slot, let entry): reply.findings = worker.open(slot, entry)
      case .time(let slot, let iterations):
        let sample = try worker.sample(slot, iterations: iterations)
        (reply.nanoseconds, reply.disturbance) = (sample.nanoseconds, sample.disturbance)
      case .count(let slot):
        reply.instructions = try worker.instructions(slot)
      case .close(let slot):
        reply.violation = worker.close(slot)
      case .identify(let files):
        let build = BuildIdentity.current(files: files)
        (reply.program, reply.revision) = (build.hash, build.revision)
      }
    } catch { reply.failure = "\(error)" }
    return reply
  }

  /// Sends a reply and returns whether the other process was still there to read it. If that process is gone,
  /// for example because the user has stopped the comparison, this worker simply ends too, without an error.
  private func answer(_ reply: BenchReply) throws(MeasurementError) -> Bool {
    guard let line = try? JSONDocument.line(of: reply) else {
      throw .failed("internal error: a measured number is infinite or NaN and cannot be sent")
    }
    let replies = FileHandle(fileDescriptor: replies, closeOnDealloc: false)
    return (try? replies.write(contentsOf: Data((line + "\n").utf8))) != nil
  }
}

/// Reads text from a file descriptor, line by line.
struct LineReader {
  private let descriptor: Int32
  private var unread: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Returns the next line without its newline character, or nil if the input has ended or no complete line
  /// arrives within `seconds` seconds.
  mutating func next(within seconds: Double? = nil) -> Data? {
    let clock = ContinuousClock()
    let end = seconds.map { clock.now + .seconds($0) }
    while true {
      if let newline = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(newline + 1) }
        return Data(unread[..<newline])
      }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = end.map { max(0, ($0 - clock.now) / .milliseconds(1)) }
      guard poll(&waiting, 1, left.map { Int32(min($0 + 1, 1e9)) } ?? -1) != 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 4096)
      // SAFETY: `bytes` holds `bytes.count` bytes, and `read` writes at most that number.
      let count = read(descriptor, &bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      unread += bytes[..<count]
    }
  }
}
