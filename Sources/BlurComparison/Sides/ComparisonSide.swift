import BlurMeasurement
import BlurRecords
import Foundation

/// One side of a comparison, as the user names it on the command line.
public enum ComparisonSide: Equatable, Sendable {
  /// The path of a `blurbench` program that is already built.
  case executable(String)
  /// The path of a folder with the source code of this package. The code is compiled before the comparison.
  case checkout(String)
  /// The full hash of a git revision of this repository. The source code of this revision is checked out and
  /// compiled before the comparison.
  case revision(String)
  /// The path of a plug-in or Python file, which this program loads.
  case plugin(String)
  /// The path of a file with records that were measured earlier, or of a pipe that delivers such records.
  case records(String)

  /// A list of the things that can be compared, for error messages.
  static let allowed =
    "a built blurbench, a folder with its sources, a git revision, a plug-in (.so, .dylib, .py), "
    + "or a file of records (.csv)"

  /// Interprets an argument of the command `compare`. If the argument names both a file or folder and a git
  /// revision, the file or folder is used.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` if there is such a file or folder but it cannot be compared,
  ///   and ``MeasurementError/failed(_:)`` if there is no such file, folder or revision. Both messages list
  ///   what can be compared.
  public init(_ text: String) throws(MeasurementError) {
    if TextFile.isPipe(text) {
      self = .records(text)
      return
    }
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isFolder)
    let suffix = URL(filePath: text).pathExtension
    switch (exists, isFolder.boolValue) {
    case (true, true):
      guard FileManager.default.fileExists(atPath: text + "/Package.swift") else {
        throw .usage(
          "'\(text)' is a folder without Package.swift; BASE and HEAD must each be \(Self.allowed)")
      }
      self = .checkout(text)
    case (true, false) where suffix == "csv": self = .records(text)
    case (true, false) where ["so", "dylib", "py"].contains(suffix): self = .plugin(text)
    case (true, false):
      guard FileManager.default.isExecutableFile(atPath: text) else {
        let kind = FileKind(file: text)
        // The name of a record file need not end in .csv. For example, zsh creates a file without this ending
        // for `=(command)`.
        if kind == .records {
          self = .records(text)
          return
        }
        throw .usage(
          "'\(text)' cannot be executed: it is \(kind?.words ?? "unreadable"); "
            + "BASE and HEAD must each be \(Self.allowed)")
      }
      self = .executable(text)
    default:
      guard let hash = Repository.hash(of: text) else {
        throw .failed(
          "'\(text)' is neither a file nor a git revision here; BASE and HEAD must each be \(Self.allowed)")
      }
      self = .revision(hash)
    }
  }

  /// Whether revisions can be built and compared: the current folder must be in a git checkout of this
  /// package with at least two revisions.
  public static var canBuildRevisions: Bool { Repository.hasSources && Repository.hash(of: "HEAD~1") != nil }

  /// Returns the path of the program that measures this side of the comparison, and builds the program if
  /// necessary. Returns nil for a plug-in, because the running program measures it, and for a file of
  /// records, because it is not measured.
  ///
  /// - Parameter say: Receives a line of text before a program is built.
  /// - Throws: ``MeasurementError/failed(_:)`` with the messages of the compiler if the program does not
  ///   build.
  public func executable(say: (String) -> Void) throws(MeasurementError) -> String? {
    switch self {
    case .executable(let path): return URL(filePath: path).path
    case .plugin, .records: return nil
    case .checkout(let path): return try Repository.build(path, say: say)
    case .revision(let hash): return try Repository.build(Repository.worktree(of: hash), say: say)
    }
  }

  /// The path of the plug-in, or nil if this side of the comparison is not a plug-in.
  public var plugin: String? { if case .plugin(let path) = self { path } else { nil } }

  /// Whether this side of the comparison is a file of records. Such a side is not measured, because the file
  /// already contains its times.
  public var isRecords: Bool { if case .records = self { true } else { false } }
}
