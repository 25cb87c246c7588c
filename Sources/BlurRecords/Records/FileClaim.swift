import Foundation

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
    // Some file systems do not support locks. A run on such a file system continues without a lock.
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    throw taken(path)
  }

  /// Checks that the path still leads to the claimed file.
  ///
  /// Another run may have replaced the file and ended between the calls to `open` and `flock`. The claim
  /// would then be on the old file, which no longer has a name.
  static func check(_ descriptor: Int32, _ path: String) throws(MeasurementError) {
    var (claimed, named) = (stat(), stat())
    guard fstat(descriptor, &claimed) == 0, stat(path, &named) == 0, claimed.st_ino == named.st_ino else {
      throw taken(path)
    }
  }

  private static func taken(_ path: String) -> MeasurementError {
    .file(path: path, reason: "another run is writing this file; wait until it ends, or name another file")
  }
}
