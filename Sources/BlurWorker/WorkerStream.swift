import Blur
import CBlurWorker

/// The standard input and output of a worker.
public enum WorkerStream {
  /// Answers requests until `blurbench` closes the stream. A request with an invalid length also ends the
  /// loop, because the start of the next request is then unknown.
  public static func serve() {
    let server = WorkerServer()
    while let request = nextRequest() {
      let answer = server.answer(to: request)
      var length = MessageWriter()
      length.add(answer.count)
      guard write(length.bytes), write(answer) else { return }
    }
  }

  private static func nextRequest() -> [UInt8]? {
    guard let head = read(8) else { return nil }
    var reader = MessageReader(head)
    guard let count = try? reader.number(), (0...WorkerProtocol.mostBytes).contains(count) else { return nil }
    return read(count)
  }

  /// Reads the next `count` bytes, or returns nil if the stream ends before that.
  private static func read(_ count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        // SAFETY: the buffer has space for `count` bytes, and at most `count - filled` of them are written
        // from `filled` on.
        let more = blur_stream_read(buffer.start + filled, count - filled)
        guard more > 0 else { return }
        filled += Int(more)
      }
    }
    return bytes.count == count ? bytes : nil
  }

  private static func write(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        // SAFETY: the buffer holds `bytes.count` bytes, and at most `bytes.count - done` of them are read
        // from `done` on.
        let more = blur_stream_write(bytes.start + done, bytes.count - done)
        guard more > 0 else { return false }
        done += Int(more)
      }
      return true
    }
  }
}

/// Answers requests on standard input and output, like ``WorkerStream/serve()``. C programs call this
/// function by the name `blur_worker_serve`.
@_cdecl("blur_worker_serve")
public func blurWorkerServe() { WorkerStream.serve() }
