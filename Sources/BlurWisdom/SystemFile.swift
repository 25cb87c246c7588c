#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Reads files with system calls. Unlike Foundation, these functions can reject anything but a regular file,
/// and never read more than a given number of bytes.
package enum SystemFile {
  /// The reason why a file cannot be read.
  package enum Failure: Error, Equatable {
    case missing
    case refused(String)
  }

  /// Returns at most the first `limit` bytes of a regular file.
  package static func bytes(at path: String, limit: Int) throws(Failure) -> [UInt8] {
    // `O_NONBLOCK` is needed because opening a pipe would otherwise wait until a writer appears.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .refused(reason) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .refused(reason) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .refused("it is not a regular file") }
    return try bytes(of: descriptor, limit: limit)
  }

  /// Returns whether a path stands for standard input.
  package static func isStandardInput(_ path: String) -> Bool { path == "-" || path == "/dev/stdin" }

  /// Returns at most the first `limit` bytes of a regular file, a pipe, or standard input.
  package static func bytes(ofFileOrPipe path: String, limit: Int) throws(Failure) -> [UInt8] {
    if isStandardInput(path) { return try bytes(of: STDIN_FILENO, limit: limit) }
    guard isPipe(path) else { return try bytes(at: path, limit: limit) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .refused(reason) }
    defer { close(descriptor) }
    return try bytes(of: descriptor, limit: limit)
  }

  /// Returns whether the file at the path is a pipe. A shell, for example, creates a pipe for `<(command)`.
  package static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  private static func bytes(of descriptor: Int32, limit: Int) throws(Failure) -> [UInt8] {
    // Files in /proc and /sys report a size of 0, so this loop reads until the end of the file.
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let wanted = min(block.count, limit - bytes.count)
      // SAFETY: `wanted` is at most the size of `block`, and the pointer is used only inside the closure.
      let count = block.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, wanted) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .refused(reason) }
      guard count > 0 else { break }
      bytes += block[..<count]
    }
    return bytes
  }

  /// Returns the value of an environment variable, or nil if it is unset or empty.
  package static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Writes a line to standard error.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }

  /// Returns the system's description of an error number.
  static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }

  private static var reason: String { String(cString: strerror(errno)) }
}
