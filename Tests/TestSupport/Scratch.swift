import Foundation

/// Files and folders of a test, which are removed afterwards.
public enum Scratch {
  /// A path in the folder of temporary files at which nothing is.
  ///
  /// - Parameter ending: the end of its name.
  public static func unused(_ ending: String = "") -> URL {
    FileManager.default.temporaryDirectory.appending(path: "blurbench-\(UUID())\(ending)")
  }

  /// Calls `body` with a path at which nothing is, and removes what is there afterwards.
  public static func path<R>(_ ending: String = "", _ body: (URL) throws -> R) rethrows -> R {
    let url = unused(ending)
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url)
  }

  /// Calls `body` with a new folder.
  public static func folder<R>(_ body: (URL) throws -> R) throws -> R {
    try path { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return try body(folder)
    }
  }
}
