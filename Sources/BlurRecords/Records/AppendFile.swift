import Foundation

/// A file that is complete and valid after every append. If an append fails, the file returns to its previous
/// state.
final class AppendFile {
  typealias Write = (Int32, UnsafeRawBufferPointer, off_t) -> Int

  let path: String
  private let descriptor: Int32
  private let tail: [UInt8]
  private let write: Write
  private let sync: (Int32) -> Int32
  /// The position in the file at which the tail begins. The tail is the text at the end of the file, such as
  /// the closing brackets of a JSON document.
  private var end: off_t

  /// Creates a new file that contains `head` and `tail`.
  ///
  /// As long as the object exists, no other run can claim the file (``FileClaim``).
  ///
  /// - Parameters:
  ///   - tail: The text that ends the file after every append.
  ///   - write: A closure that works like `pwrite`: it writes bytes at an offset of the file, and returns the
  ///     number of bytes written, or −1 after an error.
  ///   - sync: A closure that works like `fsync`: it waits until the written data is on the disk, and returns
  ///     0 on success.
  /// - Throws: ``MeasurementError/file(path:reason:)``, for example if the file already exists.
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

  /// Waits until the folder that contains a file is written to the disk, so that a new or renamed file in
  /// this folder survives a crash.
  static func syncFolder(
    of path: String, _ sync: (Int32) -> Int32 = { fsync($0) }
  ) throws(MeasurementError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder that is writable but not readable cannot be opened, and therefore cannot be synchronised. The
    // file can be used all the same, so this is not an error.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard sync(descriptor) == 0 || cannotWait else {
      throw .file(path: folder, reason: "cannot be synchronised to disk: \(systemMessage)")
    }
  }

  /// Whether the last call to `fsync` failed only because the file system does not support this call.
  private static var cannotWait: Bool { errno == EINVAL || errno == ENOTSUP }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Inserts `text` before the tail, and returns when the new contents are on the disk.
  func append(_ text: String) throws(MeasurementError) {
    let bytes = Array(text.utf8)
    do throws(MeasurementError) {
      try put(bytes + tail, at: end)
      guard sync(descriptor) == 0 || Self.cannotWait else {
        throw MeasurementError.file(path: path, reason: "cannot be written: \(Self.systemMessage)")
      }
    } catch {
      // The append has failed, so the tail is written at its old position again. The file already has space
      // there, so this write succeeds even if the disk is full.
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

/// The exclusive right to write to an existing file, held as long as the object exists. The system releases
/// the claim if the process is killed.
final class FileClaim {
  private let descriptor: Int32

  /// Claims the exclusive right to write to the file at the given path.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if another run is writing the file or has just
  ///   replaced it.
  init(_ path: String) throws(MeasurementError) {
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(path: path, reason: String(cString: strerror(errno))) }
    try Self.claim(descriptor, path)
    try Self.check(descriptor, path)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Claims the exclusive right to write to an open file. The claim ends when the file's descriptor is
  /// closed.
  static func claim(_ descriptor: Int32, _ path: String) throws(MeasurementError) {
    // If the file system does not support locks, the run continues without one.
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    throw taken(path)
  }

  /// Checks that the file at the path is still the claimed file.
  ///
  /// Another run may have replaced the file and ended after this run called `open`, but before it called
  /// `flock`. The claim would then hold for the old file, which is no longer at this path.
  static func check(_ descriptor: Int32, _ path: String) throws(MeasurementError) {
    var (claimed, named) = (stat(), stat())
    // Files on different devices can have the same inode number, so the devices are compared, too.
    guard fstat(descriptor, &claimed) == 0, stat(path, &named) == 0, claimed.st_dev == named.st_dev,
      claimed.st_ino == named.st_ino
    else { throw taken(path) }
  }

  private static func taken(_ path: String) -> MeasurementError {
    .file(path: path, reason: "another run is writing this file; wait until it ends, or name another file")
  }
}
