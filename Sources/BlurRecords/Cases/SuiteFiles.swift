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

  /// The most bytes of a suite, and of any other file of text: records, provenance, comparisons.
  public static let mostSuiteBytes = 1 << 20, mostBytes = 256 << 20

  /// Reads a file as text, without what terminals obey.
  ///
  /// - Parameter limit: files with more bytes are refused.
  /// - Throws: ``MeasurementError/file(path:reason:)``, also for what is no regular file.
  public static func text(at path: String, limit: Int = mostBytes) throws(MeasurementError) -> String {
    try decoded(bytes(at: path, limit: limit), path)
  }

  /// Reads a file that a killed run may have left: without the beginning of a line at its end.
  ///
  /// - Returns: the text, and whether such a beginning was dropped.
  /// - Throws: ``MeasurementError/file(path:reason:)``, also for what is no regular file.
  static func wholeLines(at path: String) throws(MeasurementError) -> (text: String, isTruncated: Bool) {
    let bytes = try bytes(at: path, limit: mostBytes)
    // Cut before it is decoded, for the cut may lie within a letter.
    let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return (try decoded(Array(bytes[..<whole]), path), whole < bytes.count)
  }

  private static func bytes(at path: String, limit: Int) throws(MeasurementError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(SystemFile.Failure) { bytes = try SystemFile.bytes(at: path, limit: limit + 1) } catch {
      switch error {
      case .missing: throw .file(path: path, reason: "no such file")
      case .refused(let reason): throw .file(path: path, reason: "cannot be read: \(reason)")
      }
    }
    guard bytes.count <= limit else {
      throw .file(path: path, reason: "has more than \(limit >> 20) MiB, the most that is read")
    }
    return bytes
  }

  private static func decoded(_ bytes: [UInt8], _ path: String) throws(MeasurementError) -> String {
    guard let text = PlainText.decoded(bytes) else {
      throw .file(path: path, reason: "cannot be read as text: it is not UTF-8")
    }
    return text
  }

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
