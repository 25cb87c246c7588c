import BlurRecords
import BlurText
import Foundation

/// Receives requests on the standard input of this process, and replies on its standard output. The process
/// that started this one sends the requests, through a ``ServerConnection``.
public final class KernelServer {
  /// The path of the file through which both processes share a page of memory.
  let pageFile: String
  let page: SharedPage
  private var lines: LineReader
  private let replies: FileHandle

  /// Creates a server. The standard input and output of this process are replaced by `/dev/null`, so that
  /// kernels that print cannot damage the messages. This process ends when its caller does.
  ///
  /// - Parameter path: The path of the file through which both processes share a page of memory. There, the
  ///   caller finds out which step is running, and which memory access ended this process.
  public init(page path: String) throws(MeasurementError) {
    lines = LineReader(ParentWatch.watch())
    replies = FileHandle(
      fileDescriptor: fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), closeOnDealloc: false)
    let empty = open("/dev/null", O_WRONLY)
    if empty >= 0 { dup2(empty, STDOUT_FILENO) }
    pageFile = path
    page = try SharedPage(path, count: .max)
    page.reportFaults()
  }

  /// Answers requests one after the other, and returns when a request asks for the end.
  ///
  /// - Parameter answer: Carries out a request and returns the answer. If it throws, the reply says why.
  public func run(_ answer: (ServerRequest) throws -> any Encodable) throws(MeasurementError) {
    try send(ServerReply.answer(ServerRequest.version))
    while let line = lines.next() {
      do {
        let request = try JSONDecoder().decode(ServerRequest.self, from: line)
        if case .end = request { return }
        try send(answer: answer(request))
      } catch {
        try send(ServerReply<String>.failure("\(error)"))
      }
    }
  }

  /// Sends a part of the results before the answer.
  public func send(part: some Encodable) throws(MeasurementError) { try send(ServerReply.part(part)) }

  private func send(answer: some Encodable) throws(MeasurementError) { try send(ServerReply.answer(answer)) }

  private func send<Value: Encodable>(_ reply: ServerReply<Value>) throws(MeasurementError) {
    guard let line = try? JSONDocument.line(of: reply) else {
      throw .failed("internal error: a measured number is infinite or NaN and cannot be sent")
    }
    // If the caller is gone, for example because the user has stopped the comparison, this process simply
    // ends too, without an error.
    guard (try? replies.write(contentsOf: Data((line + "\n").utf8))) != nil else { _exit(1) }
  }
}
