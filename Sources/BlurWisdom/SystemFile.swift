#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Reads files by the system's own calls: bounded, and nothing but regular files, which Foundation does not
/// promise.
package enum SystemFile {
  /// Why a file cannot be read.
  package enum Failure: Error, Equatable {
    case missing
    case refused(String)
  }

  /// The first `limit` bytes of a regular file.
  package static func bytes(at path: String, limit: Int) throws(Failure) -> [UInt8] {
    // A pipe would block until something writes to it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .refused(reason) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .refused(reason) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .refused("is no file") }
    // Files of the system state no size: they are read until they end.
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let wanted = min(block.count, limit - bytes.count)
      // SAFETY: the block has room for `wanted` bytes.
      let count = block.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, wanted) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .refused(reason) }
      guard count > 0 else { break }
      bytes += block[..<count]
    }
    return bytes
  }

  /// A variable of the environment, nil where it is absent or empty.
  package static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Writes a line to standard error.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }

  /// The system's words for an error number.
  static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }

  private static var reason: String { String(cString: strerror(errno)) }
}
