import BlurRecords
import BlurText
import Foundation

/// Receives requests on the standard input of this process, and replies on its standard output. The parent
/// process sends the requests through a ``ServerConnection``. A request is one line of JSON, and an empty
/// line asks this process to end. The server answers each request with at least one ``ServerReply``.
public final class KernelServer {
  /// The version of the protocol for requests and replies. A server sends this number when it starts. If the
  /// parent process uses a different version, its connection fails with an error.
  public static let version = 3

  /// The path of the file through which this process and its parent share a page of memory.
  package let pageFile: String
  package let page: SharedPage
  private var lines: PipeReader
  /// The file descriptor to which replies are written.
  package let connection: Int32
  private let replies: FileHandle

  /// Creates a server. Kernels get `/dev/null` as their standard input and output, so that a kernel that
  /// prints cannot damage the messages. This process ends when its parent process ends.
  ///
  /// - Parameter path: The path of the file through which this process and its parent share a page of memory.
  ///   From this page, the parent process learns which step is running, and which memory access ended this
  ///   process.
  public init(page path: String) throws(MeasurementError) {
    lines = PipeReader(KernelServer.watchParent())
    connection = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    replies = FileHandle(fileDescriptor: connection, closeOnDealloc: false)
    let empty = open("/dev/null", O_WRONLY)
    if empty >= 0 { dup2(empty, STDOUT_FILENO) }
    pageFile = path
    page = try SharedPage(path)
    page.reportFaults()
  }

  /// Answers requests one after the other, and returns when it receives the request to end.
  ///
  /// - Parameter answer: A function that carries out a request and returns the answer. If the function throws
  ///   an error, the server sends the error as its reply.
  public func run<Request: Decodable>(
    _ answer: (Request) throws -> any Encodable
  ) throws(MeasurementError) {
    try send(ServerReply.answer(Self.version))
    while let line = lines.line(), !line.isEmpty {
      do {
        try send(answer: answer(try JSONDecoder().decode(Request.self, from: line)))
      } catch {
        try send(ServerReply<String>.failure("\(error)"))
      }
    }
  }

  /// Sends a part of the results to the parent process, before the answer is complete.
  public func send(part: some Encodable) throws(MeasurementError) { try send(ServerReply.part(part)) }

  private func send(answer: some Encodable) throws(MeasurementError) { try send(ServerReply.answer(answer)) }

  private func send<Value: Encodable>(_ reply: ServerReply<Value>) throws(MeasurementError) {
    guard let line = try? JSONDocument.line(of: reply) else {
      throw .failed("internal error: a measured number is infinite or NaN and cannot be sent")
    }
    // If the parent process has ended, for example because the user has stopped the comparison, this process
    // ends too, without an error message.
    guard (try? replies.write(contentsOf: Data((line + "\n").utf8))) != nil else { _exit(1) }
  }

  /// Makes this process end as soon as its parent process ends, for whatever reason. A thread watches the
  /// pipe at the standard input of this process. When the parent ends, the system closes the other end of the
  /// pipe. Kernels get an empty standard input instead of the pipe.
  ///
  /// - Returns: The file descriptor of the pipe, from which requests can be read.
  @discardableResult public static func watchParent() -> Int32 {
    // Ctrl-C in a terminal also reaches the servers. They ignore it, because a server that ended by itself
    // would look like a kernel that crashed. Only the parent process reacts to Ctrl-C, because it alone knows
    // which results have been saved.
    signal(SIGINT, SIG_IGN)
    let line = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    let empty = open("/dev/null", O_RDONLY)
    if empty >= 0 { dup2(empty, STDIN_FILENO) }
    // This function returns only after the new thread has started. Otherwise, the first instructions of the
    // thread could be counted as instructions of a kernel.
    let waits = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      waits.signal()
      // No events are requested, so `poll` returns only when the other end of the pipe is closed.
      var end = pollfd(fd: line, events: 0, revents: 0)
      while poll(&end, 1, -1) < 0 && errno == EINTR {}
      _exit(1)
    }
    waits.wait()
    return line
  }
}

/// A reply to a request, sent as one line of JSON. The last reply to a request is an answer or a failure.
enum ServerReply<Value> {
  /// A part of the results, sent as soon as it is known.
  case part(Value)
  case answer(Value)
  /// The reason why the request could not be carried out.
  case failure(String)
}

extension ServerReply: Encodable where Value: Encodable {}
extension ServerReply: Decodable where Value: Decodable {}
