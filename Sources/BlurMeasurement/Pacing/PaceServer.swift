import Blur
import BlurRecords
import Foundation

/// What a comparison asks of a process that measures: one JSON object on a line.
enum PaceRequest: Codable {
  case open(slot: Int, PaceEntry)
  case time(slot: Int, iterations: Int)
  case count(slot: Int)
  case close(slot: Int)
}

/// The answer to a request, also one line; a process that is ready says its version first.
struct PaceReply: Codable {
  /// The version of these messages. Another version is another language.
  static let version = 1

  var version: Int?
  var findings: Findings?
  var nanoseconds: Double?
  var instructions: UInt64?
  /// What went wrong while a case was timed, for a slot that is closed.
  var complaint: String?
  /// Why the request could not be met.
  var failure: String?
}

/// Serves a ``Pacer`` over two file descriptors until the requests end.
public struct PaceServer {
  private let pacer: Pacer
  private let requests: Int32, replies: Int32

  /// Takes this process's standard input and output for the messages, and leaves kernels empty ones in their place:
  /// they may print.
  public init(_ pacer: Pacer) {
    self.pacer = pacer
    requests = dup(STDIN_FILENO)
    replies = dup(STDOUT_FILENO)
    let empty = open("/dev/null", O_RDWR)
    if empty >= 0 {
      dup2(empty, STDIN_FILENO)
      dup2(empty, STDOUT_FILENO)
    }
  }

  /// Answers requests one after the other; returns when the one who asks is gone.
  public func run() throws {
    var lines = LineReader(requests)
    var ready = PaceReply()
    ready.version = PaceReply.version
    try answer(ready)
    while let line = lines.next() {
      try answer(reply(to: try JSONDecoder().decode(PaceRequest.self, from: line)))
    }
  }

  private func reply(to request: PaceRequest) -> PaceReply {
    var reply = PaceReply()
    do throws(MeasurementError) {
      switch request {
      case .open(let slot, let entry): reply.findings = pacer.open(slot, entry)
      case .time(let slot, let iterations):
        reply.nanoseconds = try pacer.nanoseconds(slot, iterations: iterations)
      case .count(let slot):
        reply.instructions = try pacer.instructions(slot)
      case .close(let slot):
        reply.complaint = pacer.close(slot)
      }
    } catch { reply.failure = "\(error)" }
    return reply
  }

  private func answer(_ reply: PaceReply) throws {
    let line = try JSONEncoder().encode(reply) + [UInt8(ascii: "\n")]
    try FileHandle(fileDescriptor: replies, closeOnDealloc: false).write(contentsOf: line)
  }
}

/// Reads a descriptor line by line.
struct LineReader {
  private let descriptor: Int32
  private var unread: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next line without its end; nil at the end of the input, or after so many seconds without a whole line.
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
