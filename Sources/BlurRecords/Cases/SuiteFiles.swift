import Blur
import BlurText
import BlurWisdom
import Foundation

/// Where suite files are.
public struct SuiteFiles: Sendable {
  private let starts: [URL]

  /// Looks in `Bench/Suites` of these folders and of all folders above them; by default the current one,
  /// then the program's.
  public init(startingAt folders: [URL]? = nil) {
    let current = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    let program = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
    starts = folders ?? [current] + (program.map { [$0] } ?? [])
  }

  /// The file of a suite: a path, or the name of a file in `Bench/Suites`.
  ///
  /// - Throws: ``MeasurementError/usage(_:)`` when there is none, with the names there are.
  public func path(of suite: String) throws(MeasurementError) -> String {
    if suite.contains("/") || suite.hasSuffix(".yml") || suite.hasSuffix(".yaml") { return suite }
    if let found = files.first(where: { Self.name($0) == suite }) { return found.path }
    guard !files.isEmpty else {
      throw .usage("suite '\(suite)': no folder Bench/Suites here or above; give the path of a .yml file")
    }
    throw .usage(ParseError(unknown: "suite", suite, among: names).reason)
  }

  /// The names of the suites that are found, each once.
  public var names: [String] { Array(Set(files.map(Self.name))).sorted() }

  /// The most bytes of a suite.
  static let mostBytes = 1 << 20

  private static func name(_ file: URL) -> String { file.deletingPathExtension().lastPathComponent }

  private var files: [URL] {
    starts.flatMap(Self.foldersUpwards).flatMap { folder in
      let suites = folder.appendingPathComponent("Bench/Suites")
      let found = try? FileManager.default.contentsOfDirectory(at: suites, includingPropertiesForKeys: nil)
      return (found ?? []).filter { $0.pathExtension == "yml" }
    }
  }

  private static func foldersUpwards(_ start: URL) -> [URL] {
    var folders = [start.standardizedFileURL]
    while let last = folders.last, last.path != "/", folders.count < 64 {
      folders.append(last.deletingLastPathComponent())
    }
    return folders
  }
}
