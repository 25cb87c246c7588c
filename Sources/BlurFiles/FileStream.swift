import Foundation

/// An open file. It is closed by `close()`, or at the latest when the last reference to it is released.
final class FileStream {
  let handle: UnsafeMutablePointer<FILE>
  private var isOpen = true

  init(_ handle: UnsafeMutablePointer<FILE>) { self.handle = handle }

  deinit { if isOpen { fclose(handle) } }

  /// Writes the bytes that are still buffered, and closes the file.
  ///
  /// - Returns: Whether everything was written and the file was closed without an error.
  func close() -> Bool {
    isOpen = false
    return fclose(handle) == 0
  }

  /// Returns the type of the file at `path`, after following symbolic links, or nil if there is no file.
  static func fileType(of path: String) -> FileAttributeType? {
    let resolved = URL(filePath: path).resolvingSymlinksInPath().path
    return try? FileManager.default.attributesOfItem(atPath: resolved)[.type] as? FileAttributeType
  }

  /// The operating system's message for the last system call that failed, in lowercase.
  static var systemError: String { String(cString: strerror(errno)).lowercased() }
}

/// An input that is read as a stream. It is either a file, or an array of bytes in memory.
final class InputFile {
  let stream: FileStream
  let byteCount: Int
  private let memory: UnsafeMutableRawBufferPointer?

  /// Opens a file for reading. If the file is a pipe, its data is first copied to a temporary file.
  ///
  /// - Throws: ``ImageDataError`` if the file is a folder or a device, is missing, or cannot be read.
  init(_ path: String) throws(ImageDataError) {
    if let copy = try Pipe.copy(of: path) {
      (stream, memory, byteCount) = (copy, nil, try Self.count(copy.handle))
      return
    }
    switch FileStream.fileType(of: path) {
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

  /// Creates a stream that reads a copy of these bytes as if they were a file.
  init(_ bytes: [UInt8]) throws(ImageDataError) {
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

  private static func count(_ handle: UnsafeMutablePointer<FILE>) throws(ImageDataError) -> Int {
    guard fseeko(handle, 0, SEEK_END) == 0 else { throw .init("cannot be read: \(FileStream.systemError)") }
    let count = Int(ftello(handle))
    rewind(handle)
    return count
  }

  /// The number of bytes from the current position to the end of the file.
  var bytesLeft: Int { byteCount - Int(ftello(stream.handle)) }

  /// Reads the next byte, or returns nil at the end of the file.
  @inline(__always)
  func next() -> UInt8? {
    let byte = getc_unlocked(stream.handle)
    return byte == EOF ? nil : UInt8(truncatingIfNeeded: byte)
  }

  /// Puts back the last byte that was read, so that ``next()`` returns it again.
  func unread(_ byte: UInt8) { ungetc(Int32(byte), stream.handle) }

  func seek(to position: Int) throws(ImageDataError) {
    guard fseeko(stream.handle, off_t(position), SEEK_SET) == 0 else {
      throw .init("cannot be read: \(FileStream.systemError)")
    }
  }

  /// Fills `target` with the next bytes of the file.
  ///
  /// - Throws: ``ImageDataError`` if the file ends before `target` is full, or if it cannot be read.
  func read(into target: UnsafeMutableRawBufferPointer) throws(ImageDataError) {
    guard fread(target.baseAddress, 1, target.count, stream.handle) == target.count else {
      throw .init(
        ferror(stream.handle) != 0 ? "cannot be read: \(FileStream.systemError)" : "is cut short")
    }
  }
}
