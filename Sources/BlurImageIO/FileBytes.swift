import Foundation

/// Whole files in and out, with messages that say what the system said.
enum FileBytes {
  static func read(_ path: String) throws(ImageFileError) -> [UInt8] {
    switch type(of: path) {
    case .typeRegular: break
    case .typeDirectory: throw ImageFileError(path, "is a folder, not an image")
    case nil: throw ImageFileError(path, "no such file")
    default: throw ImageFileError(path, "is not a regular file")
    }
    guard let file = fopen(path, "rb") else { throw ImageFileError(path, "cannot be read: \(systemError)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      bytes += chunk[..<count]
      if count < chunk.count { break }
    }
    guard ferror(file) == 0 else { throw ImageFileError(path, "cannot be read: \(systemError)") }
    return bytes
  }

  /// Writes to a file beside the one that `path` leads to, and then renames it, so that a full disk leaves no
  /// broken picture and the old one stays. Devices and pipes are written as they are.
  static func write(_ bytes: [UInt8], to path: String) throws(ImageFileError.Fault) {
    let target = URL(filePath: path).resolvingSymlinksInPath().path
    let existing = type(of: target)
    guard existing == nil || existing == .typeRegular else { return try put(bytes, target) }
    let temporary = URL(filePath: target).deletingLastPathComponent().appending(path: ".\(UUID()).part").path
    do throws(ImageFileError.Fault) { try put(bytes, temporary) } catch {
      unlink(temporary)
      throw error
    }
    if existing != nil { copyPermissions(of: target, to: temporary) }
    guard rename(temporary, target) == 0 else {
      let reason = systemError
      unlink(temporary)
      throw .init("cannot be written: \(reason)")
    }
  }

  private static func put(_ bytes: [UInt8], _ path: String) throws(ImageFileError.Fault) {
    guard let file = fopen(path, "wb") else {
      throw .init("cannot be written: \(systemError); name a folder that exists and may be written")
    }
    let written = fwrite(bytes, 1, bytes.count, file)
    // Either call may be the one that finds the disk full.
    guard fclose(file) == 0, written == bytes.count else { throw .init("cannot be written: \(systemError)") }
  }

  private static func copyPermissions(of old: String, to new: String) {
    var status = stat()
    if stat(old, &status) == 0 { chmod(new, status.st_mode & 0o7777) }
  }

  /// What stands at `path`, links followed; nil for nothing.
  private static func type(of path: String) -> FileAttributeType? {
    let resolved = URL(filePath: path).resolvingSymlinksInPath().path
    return try? FileManager.default.attributesOfItem(atPath: resolved)[.type] as? FileAttributeType
  }

  private static var systemError: String { String(cString: strerror(errno)).lowercased() }
}
