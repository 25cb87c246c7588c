import Blur
import CBlurWorker

/// A worker's standard input and output.
public enum WorkerStream {
  /// Answers requests until the harness closes the stream. After a request that makes no sense it ends,
  /// because the start of the next one is unknown.
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

  /// The next bytes, or nil where the stream ends before.
  private static func read(_ count: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        // SAFETY: the buffer has room for `count` bytes.
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
        // SAFETY: the buffer has `bytes.count` bytes.
        let more = blur_stream_write(bytes.start + done, bytes.count - done)
        guard more > 0 else { return false }
        done += Int(more)
      }
      return true
    }
  }
}

/// The worker as a C program calls it.
@_cdecl("blur_worker_serve")
public func blurWorkerServe() { WorkerStream.serve() }
