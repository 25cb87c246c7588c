import Foundation

/// An open file, closed at the latest when its last reference goes.
final class FileStream {
  let handle: UnsafeMutablePointer<FILE>
  private var isOpen = true

  init(_ handle: UnsafeMutablePointer<FILE>) { self.handle = handle }

  deinit { if isOpen { fclose(handle) } }

  /// Whether all was well, also with what was still to be written.
  func close() -> Bool {
    isOpen = false
    return fclose(handle) == 0
  }

  /// What the system says of the last call.
  static var systemError: String { String(cString: strerror(errno)).lowercased() }
}

/// A file that is read as a stream.
final class InputFile {
  let stream: FileStream
  let byteCount: Int
  private let memory: UnsafeMutableRawBufferPointer?

  /// Opens a regular file.
  init(_ path: String) throws(ImageFileError.Fault) {
    switch FileType.of(path) {
    case .typeRegular: break
    case .typeDirectory: throw .init("is a folder, not an image")
    case nil: throw .init("no such file")
    default: throw .init("is not a regular file")
    }
    guard let handle = fopen(path, "rb") else { throw .init("cannot be read: \(FileStream.systemError)") }
    stream = FileStream(handle)
    memory = nil
    byteCount = try Self.count(handle)
  }

  /// Reads bytes as if they were a file.
  init(_ bytes: [UInt8]) throws(ImageFileError.Fault) {
    guard !bytes.isEmpty else { throw .init("is empty") }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
    guard let handle = fmemopen(memory.baseAddress, bytes.count, "rb") else {
      memory.deallocate()
      throw .init("cannot be read: \(FileStream.systemError)")
    }
    self.memory = memory
    stream = FileStream(handle)
    byteCount = bytes.count
  }

  deinit {
    _ = stream.close()
    memory?.deallocate()
  }

  private static func count(_ handle: UnsafeMutablePointer<FILE>) throws(ImageFileError.Fault) -> Int {
    guard fseeko(handle, 0, SEEK_END) == 0 else { throw .init("cannot be read: \(FileStream.systemError)") }
    let count = Int(ftello(handle))
    rewind(handle)
    return count
  }

  /// Bytes from here to the end.
  var bytesLeft: Int { byteCount - Int(ftello(stream.handle)) }

  /// The next byte; nil at the end.
  @inline(__always)
  func next() -> UInt8? {
    let byte = getc_unlocked(stream.handle)
    return byte == EOF ? nil : UInt8(truncatingIfNeeded: byte)
  }

  /// Gives the last byte back.
  func unread(_ byte: UInt8) { ungetc(Int32(byte), stream.handle) }

  func seek(to position: Int) throws(ImageFileError.Fault) {
    guard fseeko(stream.handle, off_t(position), SEEK_SET) == 0 else {
      throw .init("cannot be read: \(FileStream.systemError)")
    }
  }

  /// Fills `target`.
  func read(into target: UnsafeMutableRawBufferPointer) throws(ImageFileError.Fault) {
    guard fread(target.baseAddress, 1, target.count, stream.handle) == target.count else {
      throw .init(
        ferror(stream.handle) != 0 ? "cannot be read: \(FileStream.systemError)" : "is cut short")
    }
  }
}

enum FileType {
  /// What stands at `path`, links followed; nil for nothing.
  static func of(_ path: String) -> FileAttributeType? {
    let resolved = URL(filePath: path).resolvingSymlinksInPath().path
    return try? FileManager.default.attributesOfItem(atPath: resolved)[.type] as? FileAttributeType
  }
}
