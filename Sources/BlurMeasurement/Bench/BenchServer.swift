import Blur
import BlurRecords
import BlurText
import Foundation

/// What a comparison asks of a process that measures: one JSON object on a line.
enum BenchMessage: Codable {
  case open(slot: Int, BenchRequest)
  case time(slot: Int, iterations: Int)
  case count(slot: Int)
  case close(slot: Int)
  /// Which build this is; the files with external kernels are part of it.
  case identify(files: [String])
}

/// The answer to a request, also one line; a process that is ready says its version first.
struct BenchReply: Codable {
  /// The version of these messages; a different one is refused.
  static let version = 1

  var version: Int?
  var findings: Findings?
  var nanoseconds: Double?
  var disturbance: Disturbance?
  var instructions: UInt64?
  /// Whether it can be asked which build it is, said with the version.
  var identifies: Bool?
  /// The hash of the build, and git's revision of its sources where that is known.
  var program: String?, revision: String?
  /// What went wrong while a case was timed, for a slot that is closed.
  var violation: String?
  /// Why the request could not be met.
  var failure: String?

  private enum CodingKeys: String, CodingKey {
    case version, identifies, findings, nanoseconds, disturbance, instructions, program, revision, failure
    // The word that other builds of this version use.
    case violation = "complaint"
  }
}

/// Serves a ``BenchWorker`` over two file descriptors until the requests end.
public struct BenchServer {
  private let worker: BenchWorker
  private let requests: Int32, replies: Int32

  /// Takes this process's standard input and output for the messages, and leaves kernels empty ones in their
  /// place: they may print.
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

  /// Answers requests one after the other; returns when the asking process is gone.
  ///
  /// - Throws: ``MeasurementError/failed(_:)`` for what is no request.
  public func run() throws(MeasurementError) {
    var lines = LineReader(requests)
    var ready = BenchReply()
    ready.identifies = true
    ready.version = BenchReply.version
    guard try answer(ready) else { return }
    while let line = lines.next() {
      guard let request = try? JSONDecoder().decode(BenchMessage.self, from: line) else {
        throw .failed("a worker was asked for what it does not understand: its caller is of another version")
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

  /// Whether there was a reader: a comparison that was ended is no error of its worker, which ends too.
  private func answer(_ reply: BenchReply) throws(MeasurementError) -> Bool {
    guard let line = try? JSONDocument.line(of: reply) else {
      throw .failed("an answer has a number that is not finite")
    }
    let replies = FileHandle(fileDescriptor: replies, closeOnDealloc: false)
    return (try? replies.write(contentsOf: Data((line + "\n").utf8))) != nil
  }
}

/// Reads a descriptor line by line.
struct LineReader {
  private let descriptor: Int32
  private var unread: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next line without its end; nil at the end of the input, or after that many seconds without a whole
  /// line.
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
      // SAFETY: at most as many bytes are read as there is room for.
      let count = read(descriptor, &bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      unread += bytes[..<count]
    }
  }
}
