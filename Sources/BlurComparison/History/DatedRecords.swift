import BlurRecords
import Foundation

/// A file of records, and when they were measured.
public struct DatedRecords: Sendable {
  /// The file's path.
  public let path: String
  /// When the run began.
  public let date: Date
  public let records: [Record]

  /// Makes one of records that are read already.
  public init(path: String, date: Date, records: [Record]) {
    self.path = path
    self.date = date
    self.records = records
  }

  /// Reads `FILE.csv`. Its date is the `date:` line of `FILE.txt` beside it, or else the beginning of its
  /// name.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``, also when there is no date.
  public init(at path: String) throws(MeasurementError) {
    self.path = path
    records = try RecordsCSV.read(TextFile.text(at: path), path: path)
    guard let date = Self.provenanceDate(of: path) ?? Self.nameDate(of: path) else {
      throw .file(
        path: path,
        reason:
          "has no date: neither a line 'date: ' with a date as 2026-11-21T14:31:07Z in the .txt beside it, "
          + "nor a name that begins as 2026-11-21")
    }
    self.date = date
  }

  /// Reads files, and all record files that lie directly in folders, each once.
  ///
  /// - Parameter paths: of `.csv` files and of folders.
  /// - Returns: the files in any order, and what was passed over in folders, in words.
  /// - Throws: ``MeasurementError/file(path:reason:)`` for a file that is named and has no records, and for a
  ///   folder without any.
  public static func read(_ paths: [String]) throws(MeasurementError) -> (files: [Self], notes: [String]) {
    var files: [Self] = []
    var notes: [String] = []
    for (file, isNamed) in try RecordPaths.tables(in: paths) {
      if !isNamed, try !RecordsCSV.begins(TextFile.text(at: file)) {
        notes.append("\(file): has no records and is passed over")
      } else {
        files.append(try DatedRecords(at: file))
      }
    }
    return (files, notes)
  }

  private static func provenanceDate(of path: String) -> Date? {
    guard let beside = try? RecordFiles.Paths(path).txt, let text = try? TextFile.text(at: beside) else {
      return nil
    }
    let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("date:") }
    return line.flatMap { date($0.dropFirst(5).trimmingCharacters(in: .whitespaces)) }
  }

  private static func nameDate(of path: String) -> Date? {
    date(String(URL(filePath: path).lastPathComponent.prefix(10)))
  }

  /// A date as `2026-11-21T14:31:07Z`, or a day as `2026-11-21`.
  private static func date(_ text: String) -> Date? { (try? Date(text, strategy: .iso8601)) ?? day(text) }

  /// The beginning of a day, such as `2026-11-21`.
  public static func day(_ text: String) -> Date? { try? Date(text + "T00:00:00Z", strategy: .iso8601) }
}
