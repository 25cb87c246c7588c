import Foundation

/// Reads bytes and lines from a file descriptor, with a limit on the waiting time.
struct PipeReader {
  /// Whether the input has ended.
  private(set) var isAtEnd = false
  private let descriptor: Int32
  private var unread: [UInt8] = []

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Returns the next line without its newline character, or nil if the input has ended or no complete line
  /// arrives within `seconds` seconds.
  mutating func line(within seconds: Double? = nil) -> Data? {
    let end = seconds.map { ContinuousClock.now + .seconds($0) }
    while true {
      if let newline = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(newline + 1) }
        return Data(unread[..<newline])
      }
      let left = end.map { max(0, ($0 - ContinuousClock.now) / .seconds(1)) }
      guard receive(within: left) else { return nil }
    }
  }

  /// Returns the next `count` bytes, or nil if the input ends too early or no bytes arrive for `seconds`
  /// seconds.
  mutating func bytes(_ count: Int, within seconds: Double) -> [UInt8]? {
    while unread.count < count {
      guard receive(within: seconds) else { return nil }
    }
    defer { unread.removeFirst(count) }
    return Array(unread[..<count])
  }

  /// Waits for more bytes and stores them in `unread`. Returns false if no bytes arrive within `seconds`
  /// seconds, or if the input has ended. Returns true without new bytes if a signal interrupts the wait.
  private mutating func receive(within seconds: Double?) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let ready = poll(&waiting, 1, seconds.map { Int32(min($0 * 1000 + 1, 1e9)) } ?? -1)
    if ready < 0 && errno == EINTR { return true }
    guard ready != 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    // SAFETY: `bytes` has space for `bytes.count` bytes, and `read` writes at most `bytes.count` bytes.
    let count = read(descriptor, &bytes, bytes.count)
    if count < 0 && errno == EINTR { return true }
    isAtEnd = count <= 0
    if !isAtEnd { unread += bytes[..<count] }
    return !isAtEnd
  }
}
