import Foundation

/// The right to write a file that exists, as long as the object lives. The system takes it back from a killed
/// process.
final class FileClaim {
  private let descriptor: Int32

  /// - Throws: ``MeasurementError/file(path:reason:)`` when another run writes the file, or has just replaced
  ///   it.
  init(_ path: String) throws(MeasurementError) {
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw .file(path: path, reason: String(cString: strerror(errno))) }
    try Self.claim(descriptor, path)
    try Self.check(descriptor, path)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Claims an open file until it is closed.
  static func claim(_ descriptor: Int32, _ path: String) throws(MeasurementError) {
    // Some file systems know no locks; a run there goes on without.
    guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    throw taken(path)
  }

  /// A run that has replaced the file and ended meanwhile leaves us the old one, which has no name any more.
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
