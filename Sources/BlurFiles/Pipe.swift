import Foundation

/// Reads pictures from pipes and writes pictures to pipes. Examples of pipes are `-` for the standard input
/// and output, and the path that a shell substitutes for `<(command)`.
///
/// The codecs need to seek, because a PNG with alpha may be read twice, and the rows of a PFM are stored from
/// the bottom up. A pipe cannot seek, so its data goes through a temporary file. This file has no name, and
/// the system deletes it when it is closed.
enum Pipe {
  /// Returns a copy of all data from the pipe at this path, or nil if the file at the path is not a pipe.
  ///
  /// If the data does not begin like a picture, only its beginning is copied, because the pipe may never end.
  static func copy(of path: String) throws(ImageDataError) -> FileStream? {
    let isInput = path == "-" || path == "/dev/stdin"
    guard isInput || isPipe(path) else { return nil }
    guard let handle = isInput ? fdopen(dup(STDIN_FILENO), "rb") : fopen(path, "rb") else { throw unreadable }
    let (source, target) = (FileStream(handle), try temporary())
    var (block, count) = ([UInt8](repeating: 0, count: 1 << 16), 0)
    repeat {
      let read = fread(&block, 1, block.count, source.handle)
      guard ferror(source.handle) == 0 else { throw unreadable }
      if count == 0, read > 0, ![PNGReader.signature[0], UInt8(ascii: "P")].contains(block[0]) {
        count = .max
      }
      try target.write(Array(block[..<read]))
      count = count == .max ? count : count + read
    } while feof(source.handle) == 0 && count <= Samples.mostBytes
    rewind(target.handle)
    return target
  }

  /// Calls `body` with a temporary file, and then copies the contents of the file to the pipe. If `body`
  /// throws an error, nothing is written.
  ///
  /// - Returns: Whether the file at the path is a pipe. If it is not, `body` is not called.
  static func write(to path: String, _ body: (FileStream) throws -> Void) throws -> Bool {
    guard isOutput(path) else { return false }
    let source = try temporary()
    try body(source)
    guard fseeko(source.handle, 0, SEEK_SET) == 0 else { throw OutputFile.failure }
    guard let handle = isStandardOutput(path) ? fdopen(dup(STDOUT_FILENO), "wb") : fopen(path, "wb") else {
      throw OutputFile.failure
    }
    let target = FileStream(handle)
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while case let read = fread(&block, 1, block.count, source.handle), read > 0 {
      try target.write(Array(block[..<read]))
    }
    guard ferror(source.handle) == 0, target.close() else { throw OutputFile.failure }
    return true
  }

  /// Returns whether a picture at this path is written to a pipe or to the standard output.
  static func isOutput(_ path: String) -> Bool { isStandardOutput(path) || isPipe(path) }

  private static func isStandardOutput(_ path: String) -> Bool { path == "-" || path == "/dev/stdout" }

  private static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  private static func temporary() throws(ImageDataError) -> FileStream {
    guard let handle = tmpfile() else {
      throw .init("a temporary file cannot be created: \(FileStream.systemError)")
    }
    return FileStream(handle)
  }

  private static var unreadable: ImageDataError { .init("cannot be read: \(FileStream.systemError)") }
}
