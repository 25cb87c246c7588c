import Foundation

/// Temporary files and folders for a test, which are removed afterwards.
public enum Scratch {
  /// Returns an unused path in the folder for temporary files.
  ///
  /// - Parameter ending: the end of the file name, such as its extension.
  public static func unused(_ ending: String = "") -> URL {
    FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())\(ending)")
  }

  /// Calls `body` with an unused path, and removes the file or folder at that path afterwards.
  public static func path<R>(_ ending: String = "", _ body: (URL) throws -> R) rethrows -> R {
    let url = unused(ending)
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url)
  }

  /// Calls `body` with a new, empty folder, and removes the folder afterwards.
  public static func folder<R>(_ body: (URL) throws -> R) throws -> R {
    try path { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return try body(folder)
    }
  }
}
