import BlurRecords
import Foundation

/// The records in a file, and the date when they were measured.
public struct DatedRecords: Sendable {
  /// The path of the file.
  public let path: String
  /// The time at which the run began.
  public let date: Date
  public let records: [Record]

  /// Creates dated records from records that have already been read.
  public init(path: String, date: Date, records: [Record]) {
    self.path = path
    self.date = date
    self.records = records
  }

  /// Reads `FILE.csv`. The date comes from the line that begins with `date:` in `FILE.txt` in the same
  /// folder. If there is no such line, it comes from the beginning of the file's name.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` if the file cannot be read or has no date.
  public init(at path: String) throws(MeasurementError) {
    self.path = path
    records = try RecordsCSV.read(at: path)
    guard let date = Self.date(of: path, stated: ProvenanceReader(beside: path)["date"]) else {
      throw .file(
        path: path,
        reason:
          "has no date; add a line 'date: 2026-11-21T14:31:07Z' to the .txt file next to it, or begin its "
          + "name with a date such as 2026-11-21")
    }
    self.date = date
  }

  /// Reads the given record files, and all record files that are directly inside the given folders. A file
  /// that is given twice is read only once.
  ///
  /// - Parameter paths: The paths of `.csv` files and of folders.
  /// - Returns: The files in any order, and one note for each file that was skipped because it has no
  ///   records. A file that `paths` names itself is never skipped.
  /// - Throws: ``MeasurementError/file(path:reason:)`` if a file in `paths` has no records, or if a folder in
  ///   `paths` has no record files.
  public static func read(_ paths: [String]) throws(MeasurementError) -> (files: [Self], notes: [String]) {
    var files: [Self] = []
    var notes: [String] = []
    for (file, isNamed) in try TextFile.tables(in: paths) {
      if !isNamed, try !RecordsCSV.begins(TextFile.text(at: file)) {
        notes.append("\(file): skipped, because it has no records")
      } else {
        files.append(try DatedRecords(at: file))
      }
    }
    return (files, notes)
  }

  /// Returns the date of a record file. The argument `stated` is the date in the file's provenance, such as
  /// `2026-11-21T14:31:07Z` or `2026-11-21`. If `stated` is not a date, the day at the beginning of the
  /// file's name is used. Returns nil if the name does not begin with a day either.
  package static func date(of path: String, stated: String?) -> Date? {
    let texts = [stated, String(URL(filePath: path).lastPathComponent.prefix(10))].compactMap(\.self)
    return texts.lazy.compactMap { (try? Date($0, strategy: .iso8601)) ?? day($0) }.first
  }

  /// Returns the moment at which a day such as `2026-11-21` begins in UTC, or nil if the string is not a day.
  public static func day(_ text: String) -> Date? { try? Date(text + "T00:00:00Z", strategy: .iso8601) }
}
