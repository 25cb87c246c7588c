import Blur
import BlurText
import BlurWisdom
import Foundation

/// Writes files of text, and reads those that others may have written: suites, records, provenance,
/// comparisons.
public enum TextFile {
  /// The most bytes that are read.
  public static let mostBytes = 256 << 20

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

  /// Whether a folder is there.
  public static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// Writes a file, or leaves it as it was.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  public static func write(_ text: String, to path: String) throws(MeasurementError) {
    do { try text.write(toFile: path, atomically: true, encoding: .utf8) } catch {
      let folder = URL(filePath: path).deletingLastPathComponent().path
      let reason =
        FileManager.default.fileExists(atPath: folder)
        ? error.localizedDescription : "there is no folder \(folder)"
      throw .file(path: path, reason: "cannot be written: \(reason)")
    }
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
      throw .file(path: path, reason: "cannot be read as text: it is \(FileKind(bytes).words), and not UTF-8")
    }
    return text
  }
}
