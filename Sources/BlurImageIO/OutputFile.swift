import Foundation

/// A file that is written as a stream, and appears whole or not at all.
enum OutputFile {
  /// Lets `body` write to a file beside the one that `path` leads to, and then renames it, so that a full
  /// disk leaves no broken picture and the old one stays, readable to the end. Devices and pipes are written
  /// as they are.
  static func write(to path: String, _ body: (FileStream) throws -> Void) throws {
    let target = URL(filePath: path).resolvingSymlinksInPath().path
    let existing = FileType.of(target)
    guard existing == nil || existing == .typeRegular else { return try put(target, body) }
    let temporary = folder(of: target).appending(path: ".\(UUID()).part").path
    do { try put(temporary, body) } catch {
      unlink(temporary)
      throw error
    }
    if existing != nil { copyPermissions(of: target, to: temporary) }
    guard rename(temporary, target) == 0 else {
      let fault = fault
      unlink(temporary)
      throw fault
    }
  }

  /// What `body` writes, in memory.
  static func bytes(
    _ body: (FileStream) throws(ImageFileError.Fault) -> Void
  ) throws(ImageFileError.Fault) -> [UInt8] {
    var memory: UnsafeMutablePointer<CChar>?
    var count = 0
    guard let handle = open_memstream(&memory, &count) else { throw fault }
    let stream = FileStream(handle)
    defer { free(memory) }
    do throws(ImageFileError.Fault) { try body(stream) } catch {
      _ = stream.close()
      throw error
    }
    guard stream.close() else { throw fault }
    return Array(UnsafeRawBufferPointer(start: memory, count: count))
  }

  private static func put(_ path: String, _ body: (FileStream) throws -> Void) throws {
    guard let handle = fopen(path, "wb") else {
      let reason =
        errno == ENOENT
        ? "there is no folder \(folder(of: path).path)" : "\(FileStream.systemError); name another folder"
      throw ImageFileError.Fault("cannot be written: \(reason)")
    }
    let stream = FileStream(handle)
    try body(stream)
    // This too may be the call that finds the disk full.
    guard stream.close() else { throw fault }
  }

  private static func folder(of path: String) -> URL { URL(filePath: path).deletingLastPathComponent() }

  private static func copyPermissions(of old: String, to new: String) {
    var status = stat()
    if stat(old, &status) == 0 { chmod(new, status.st_mode & 0o7777) }
  }

  /// What the system says of the last call.
  static var fault: ImageFileError.Fault { .init("cannot be written: \(FileStream.systemError)") }
}

extension FileStream {
  /// Appends bytes.
  func write(_ bytes: [UInt8]) throws(ImageFileError.Fault) {
    guard fwrite(bytes, 1, bytes.count, handle) == bytes.count else { throw OutputFile.fault }
  }

  /// Goes to a place that may be beyond the end.
  func seek(to position: Int) throws(ImageFileError.Fault) {
    guard fseeko(handle, off_t(position), SEEK_SET) == 0 else { throw OutputFile.fault }
  }
}
