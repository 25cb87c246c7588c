import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// One side of a comparison, as it is named on the command line.
public enum Side: Equatable, Sendable {
  /// A built `blurbench`.
  case executable(String)
  /// A folder with this package's sources, built now.
  case checkout(String)
  /// A git revision of this repository, built now: its full hash.
  case revision(String)
  /// This program with a plug-in or a Python file.
  case plugin(String)
  /// Records that were measured before.
  case records(String)

  /// What a side may be, for messages.
  static let allowed =
    "a built blurbench, a folder with its sources, a git revision, a plug-in (.so, .dylib, .py), "
    + "or records (.csv)"

  /// Finds out what is meant: a file or folder of that name, else a git revision.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` for what cannot be a side, ``MeasurementError/failed(_:)`` for
  ///   what is not there; both say what a side may be.
  public init(_ text: String) throws(MeasurementError) {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isFolder)
    let suffix = URL(filePath: text).pathExtension
    switch (exists, isFolder.boolValue) {
    case (true, true):
      guard FileManager.default.fileExists(atPath: text + "/Package.swift") else {
        throw .usage("'\(text)' is a folder without Package.swift; a side is \(Self.allowed)")
      }
      self = .checkout(text)
    case (true, false) where suffix == "csv": self = .records(text)
    case (true, false) where ["so", "dylib", "py"].contains(suffix): self = .plugin(text)
    case (true, false):
      guard FileManager.default.isExecutableFile(atPath: text) else {
        let kind = (try? Data(contentsOf: URL(filePath: text), options: .mappedIfSafe)).map(FileKind.init)
        throw .usage(
          "'\(text)' cannot be executed: it is \(kind?.words ?? "not to be read"); a side is \(Self.allowed)")
      }
      self = .executable(text)
    default:
      guard let hash = Repository.hash(of: text) else {
        throw .failed("'\(text)' is no file and no git revision here; a side is \(Self.allowed)")
      }
      self = .revision(hash)
    }
  }

  /// Whether the current folder is in a checkout of this package whose last revision but one can be named.
  public static var canBuildRevisions: Bool { Repository.hasSources && Repository.hash(of: "HEAD~1") != nil }

  /// The program that measures this side, built if need be; nil where it is this one.
  ///
  /// - Parameter say: is told what is built.
  /// - Throws: ``MeasurementError/failed(_:)`` with the compiler's words.
  public func executable(say: (String) -> Void) throws(MeasurementError) -> String? {
    switch self {
    case .executable(let path): return URL(filePath: path).path
    case .plugin, .records: return nil
    case .checkout(let path): return try Repository.build(path, say: say)
    case .revision(let hash): return try Repository.build(Repository.worktree(of: hash), say: say)
    }
  }

  /// The plug-in of this side.
  public var plugin: String? { if case .plugin(let path) = self { path } else { nil } }

  /// Whether there is nothing to measure.
  public var isRecords: Bool { if case .records = self { true } else { false } }
}
