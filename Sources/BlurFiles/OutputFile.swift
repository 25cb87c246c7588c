import Foundation

/// Writes a file as a stream. The file becomes visible only when it is complete.
enum OutputFile {
  /// Creates or replaces the file at `path`. `body` writes to a temporary file in the same folder, and the
  /// temporary file is then renamed. If `path` is a symbolic link, the file that it points to is replaced.
  ///
  /// If the disk becomes full, the old file remains as it was, and no broken picture is left behind. A
  /// program that is reading the old file can read it to the end. Output to a device does not use a temporary
  /// file.
  static func write(to path: String, _ body: (FileStream) throws -> Void) throws {
    if try Pipe.write(to: path, body) { return }
    let target = URL(filePath: path).resolvingSymlinksInPath().path
    let existing = FileStream.fileType(of: target)
    guard existing == nil || existing == .typeRegular else { return try put(target, body) }
    let temporary = folder(of: target).appending(path: ".\(UUID()).part").path
    do { try put(temporary, body) } catch {
      unlink(temporary)
      throw error
    }
    if existing != nil { copyPermissions(of: target, to: temporary) }
    guard rename(temporary, target) == 0 else {
      let failure = failure
      unlink(temporary)
      throw failure
    }
  }

  /// Returns the bytes that `body` writes to a stream in memory.
  static func bytes(
    _ body: (FileStream) throws(ImageDataError) -> Void
  ) throws(ImageDataError) -> [UInt8] {
    var memory: UnsafeMutablePointer<CChar>?
    var count = 0
    guard let handle = open_memstream(&memory, &count) else { throw failure }
    let stream = FileStream(handle)
    defer { free(memory) }
    do throws(ImageDataError) { try body(stream) } catch {
      _ = stream.close()
      throw error
    }
    guard stream.close() else { throw failure }
    return Array(UnsafeRawBufferPointer(start: memory, count: count))
  }

  private static func put(_ path: String, _ body: (FileStream) throws -> Void) throws {
    guard let handle = fopen(path, "wb") else {
      let systemError = FileStream.systemError
      let reason =
        FileStream.fileType(of: path) == .typeDirectory
        ? "it is a folder"
        : FileStream.fileType(of: folder(of: path).path) == nil
          ? "there is no folder \(folder(of: path).path)" : "\(systemError); choose another folder"
      throw ImageDataError("cannot be written: \(reason)")
    }
    let stream = FileStream(handle)
    try body(stream)
    // Closing the stream writes the bytes that are still buffered, so this call can also fail because the
    // disk is full.
    guard stream.close() else { throw failure }
  }

  private static func folder(of path: String) -> URL { URL(filePath: path).deletingLastPathComponent() }

  private static func copyPermissions(of old: String, to new: String) {
    var status = stat()
    if stat(old, &status) == 0 { chmod(new, status.st_mode & 0o7777) }
  }

  /// The error for a failed write, with the operating system's message for the last system call.
  static var failure: ImageDataError { .init("cannot be written: \(FileStream.systemError)") }
}

extension FileStream {
  /// Appends bytes to the file.
  func write(_ bytes: [UInt8]) throws(ImageDataError) {
    guard fwrite(bytes, 1, bytes.count, handle) == bytes.count else { throw OutputFile.failure }
  }

  /// Moves to a byte position, which may be beyond the end of the file.
  func seek(to position: Int) throws(ImageDataError) {
    guard fseeko(handle, off_t(position), SEEK_SET) == 0 else { throw OutputFile.failure }
  }
}
