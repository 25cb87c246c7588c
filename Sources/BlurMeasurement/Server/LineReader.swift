import Foundation

/// Reads text from a file descriptor, line by line.
struct LineReader {
  /// Whether the input has ended.
  private(set) var isAtEnd = false
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
      let ready = poll(&waiting, 1, left.map { Int32(min($0 + 1, 1e9)) } ?? -1)
      if ready < 0 && errno == EINTR { continue }
      guard ready != 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      // SAFETY: `bytes` holds `bytes.count` bytes, and `read` writes at most that number.
      let count = read(descriptor, &bytes, bytes.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        isAtEnd = true
        return nil
      }
      unread += bytes[..<count]
    }
  }
}
