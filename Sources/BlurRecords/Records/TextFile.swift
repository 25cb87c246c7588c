import Blur
import BlurText
import BlurWisdom
import Foundation

/// Reads and writes text files such as suites, records and provenance. Files that are read are not trusted,
/// since they may come from anywhere.
public enum TextFile {
  /// The maximum size in bytes of a file that can be read.
  public static let mostBytes = 256 << 20

  /// Reads a file or a pipe as text, and replaces control characters that could affect a terminal. The path
  /// `-` stands for standard input.
  ///
  /// - Parameter limit: The maximum size in bytes. Larger files are rejected.
  /// - Throws: ``MeasurementError/file(path:reason:)``, for example if there is a folder or a device at the
  ///   path.
  public static func text(at path: String, limit: Int = mostBytes) throws(MeasurementError) -> String {
    try decoded(bytes(at: path, limit: limit), path)
  }

  /// Reads a file whose last line may be incomplete, because the run that wrote the file was interrupted.
  ///
  /// - Returns: The text up to the last line break, and the rest of the text.
  /// - Throws: ``MeasurementError/file(path:reason:)``, for example if there is a folder at the path.
  static func wholeLines(at path: String) throws(MeasurementError) -> (text: String, rest: String) {
    let bytes = try bytes(at: path, limit: mostBytes)
    // The last line is separated before the bytes are decoded, because the line may end in the middle of a
    // UTF-8 character.
    let whole = bytes.lastIndex { "\r\n".utf8.contains($0) }.map { $0 + 1 } ?? 0
    let rest = bytes[whole...]
    return (try decoded(Array(bytes[..<whole]), path), PlainText.shown(String(decoding: rest, as: UTF8.self)))
  }

  /// Returns whether the path stands for the standard input or is the path of a pipe. Neither of them can be
  /// read more than once.
  public static func isPipe(_ path: String) -> Bool {
    SystemFile.isStandardInput(path) || SystemFile.isPipe(path)
  }

  /// Returns whether there is a folder at the path.
  public static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// Creates a folder and any missing parent folders. An existing folder is left as it is.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  public static func makeFolder(_ path: String) throws(MeasurementError) {
    do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
      throw .file(path: path, reason: "cannot be created: \(error.localizedDescription)")
    }
  }

  /// Writes a file atomically. If writing fails, an existing file is unchanged.
  ///
  /// If there is a symbolic link at the path, the file that the link points to is replaced. A device or a
  /// pipe, such as `/dev/stdout`, is not replaced: the text is written to it.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  public static func write(_ text: String, to path: String) throws(MeasurementError) {
    var info = stat()
    let kind = stat(path, &info) == 0 ? info.st_mode & S_IFMT : S_IFREG
    let isFile = kind == S_IFREG || kind == S_IFDIR
    let file = isFile ? URL(filePath: path).resolvingSymlinksInPath().path : path
    do { try text.write(toFile: file, atomically: isFile, encoding: .utf8) } catch {
      let folder = URL(filePath: path).deletingLastPathComponent().path
      let reason =
        isFolder(path)
        ? "is a folder"
        : isFolder(folder) ? error.localizedDescription : "there is no folder \(folder)"
      throw .file(path: path, reason: "cannot be written: \(reason)")
    }
  }

  /// Returns all files that `paths` refers to, without duplicates. If a path is a folder, the `.csv` files
  /// directly inside it are returned instead.
  ///
  /// - Returns: The path of each file, and whether `paths` contains this file itself, as opposed to its
  ///   folder.
  /// - Throws: ``MeasurementError/file(path:reason:)`` if a folder cannot be listed or contains no `.csv`
  ///   file.
  public static func tables(
    in paths: [String]
  ) throws(MeasurementError) -> [(path: String, isNamed: Bool)] {
    var found: [(path: String, isNamed: Bool)] = []
    var seen: Set<String> = []
    for path in paths {
      let inside = try TextFile.isFolder(path) ? tables(inFolder: path) : nil
      for file in inside ?? [path]
      where seen.insert(URL(filePath: file).resolvingSymlinksInPath().path).inserted {
        found.append((file, inside == nil))
      }
    }
    return found
  }

  private static func tables(inFolder folder: String) throws(MeasurementError) -> [String] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw .file(path: folder, reason: "cannot be listed: \(error.localizedDescription)")
    }
    let tables = names.filter { $0.hasSuffix(".csv") }.sorted()
    guard !tables.isEmpty else {
      throw .file(path: folder, reason: "contains no .csv file (subfolders are not searched)")
    }
    return tables.map { URL(filePath: folder).appending(path: $0).relativePath }
  }

  private static func bytes(at path: String, limit: Int) throws(MeasurementError) -> [UInt8] {
    guard !isFolder(path) else { throw .file(path: path, reason: "is a folder, but a file is needed") }
    let bytes: [UInt8]
    do throws(SystemFile.Failure) { bytes = try SystemFile.bytes(ofFileOrPipe: path, limit: limit + 1) } catch
    {
      switch error {
      case .missing: throw .file(path: path, reason: "no such file")
      case .refused(let reason): throw .file(path: path, reason: "cannot be read: \(reason)")
      }
    }
    guard bytes.count <= limit else {
      throw .file(path: path, reason: "is larger than \(limit >> 20) MiB, the largest size that can be read")
    }
    return bytes
  }

  private static func decoded(_ bytes: [UInt8], _ path: String) throws(MeasurementError) -> String {
    guard let text = PlainText.decoded(bytes) else {
      throw .file(path: path, reason: "cannot be read as UTF-8 text: it is \(FileKind(bytes).words)")
    }
    return text
  }
}
