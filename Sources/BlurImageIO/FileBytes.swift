import Foundation

/// Whole files in and out, with messages that say what the system said.
enum FileBytes {
  static func read(_ path: String) throws(ImageFileError) -> [UInt8] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw ImageFileError(path, "no such file")
    }
    guard !isFolder.boolValue else { throw ImageFileError(path, "is a folder, not an image") }
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

  /// Writes to a file beside `path` and then renames it, so that a full disk leaves no broken picture and the
  /// old one stays.
  static func write(_ bytes: [UInt8], to path: String) throws(ImageFileError.Fault) {
    let temporary = path + ".part-\(getpid())"
    guard let file = fopen(temporary, "wb") else {
      throw .init("cannot be written: \(systemError); name a folder that exists and may be written")
    }
    let written = fwrite(bytes, 1, bytes.count, file)
    // Both calls may be the one that finds the disk full.
    guard fclose(file) == 0, written == bytes.count, rename(temporary, path) == 0 else {
      let reason = systemError
      unlink(temporary)
      throw .init("cannot be written: \(reason)")
    }
  }

  private static var systemError: String { String(cString: strerror(errno)).lowercased() }
}
