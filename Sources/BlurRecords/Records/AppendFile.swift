import Foundation

/// A file that is whole after every append: what does not fit is taken back.
final class AppendFile {
  typealias Write = (Int32, UnsafeRawBufferPointer, off_t) -> Int

  let path: String
  private let descriptor: Int32
  private let tail: [UInt8]
  private let write: Write
  private let sync: (Int32) -> Int32
  /// Where the tail begins.
  private var end: off_t

  /// Makes a new file that holds `head` and `tail`.
  ///
  /// - Parameters:
  ///   - tail: what stands at the end after every append.
  ///   - write: writes bytes at an offset and returns their number or −1, as `pwrite` does.
  ///   - sync: returns 0 when the disk has what was written, as `fsync` does.
  /// - Throws: ``MeasurementError/file(path:reason:)``, also when there is such a file.
  ///
  /// As long as the object lives, no other run can claim the file (``FileClaim``).
  init(
    new path: String, head: String, tail: String = "", write: Write? = nil,
    sync: @escaping (Int32) -> Int32 = { fsync($0) }
  ) throws(MeasurementError) {
    self.path = path
    self.tail = Array(tail.utf8)
    self.write = write ?? { pwrite($0, $1.baseAddress, $1.count, $2) }
    self.sync = sync
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .file(path: path, reason: Self.systemMessage) }
    end = 0
    try FileClaim.claim(descriptor, path)
    try append(head)
    try Self.syncFolder(of: path, sync)
  }

  /// Waits until the disk has the names in the folder of a file: that the file is there, or was renamed.
  static func syncFolder(
    of path: String, _ sync: (Int32) -> Int32 = { fsync($0) }
  ) throws(MeasurementError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder may be written to, and not read.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard sync(descriptor) == 0 || cannotWait else {
      throw .file(path: folder, reason: "cannot be written: \(systemMessage)")
    }
  }

  /// Not every file system can wait.
  private static var cannotWait: Bool { errno == EINVAL || errno == ENOTSUP }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Puts `text` before the tail, and waits until the disk has it.
  func append(_ text: String) throws(MeasurementError) {
    let bytes = Array(text.utf8)
    do throws(MeasurementError) {
      try put(bytes + tail, at: end)
      guard sync(descriptor) == 0 || Self.cannotWait else {
        throw MeasurementError.file(path: path, reason: "cannot be written: \(Self.systemMessage)")
      }
    } catch {
      // The bytes of the old tail have their place on the disk already.
      try? put(tail, at: end)
      ftruncate(descriptor, end + off_t(tail.count))
      throw error
    }
    end += off_t(bytes.count)
  }

  private func put(_ bytes: [UInt8], at start: off_t) throws(MeasurementError) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { write(descriptor, $0, start + off_t(done)) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        throw .file(path: path, reason: "cannot be written: \(Self.systemMessage)")
      }
      done += count
    }
  }

  private static var systemMessage: String { String(cString: strerror(errno)) }
}
