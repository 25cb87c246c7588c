import BlurText
import SwiftCSV

/// Records as comma-separated values: one header line, one line for each record.
public enum RecordsCSV {
  /// The header line, with its line break.
  public static let header = Column.all.map(\.name).joined(separator: ",") + "\n"

  /// The columns that every file of records has; others follow them in newer ones.
  public static let essentialColumns = Column.essential.map(\.name)

  /// The columns of files of any age.
  private static let headers = (0...Column.later.count).map { groups in
    essentialColumns + Column.later.prefix(groups).joined().map(\.name)
  }

  /// Whether a table's text begins with the columns of records, of whatever age: certificates, for instance,
  /// have others.
  public static func begins(_ text: String) -> Bool {
    let header = text.prefix { !$0.isNewline }
    return headers.contains { header == $0.joined(separator: ",") }
  }

  /// The lines of some records, without the header.
  public static func lines(_ records: [Record]) -> String {
    records.map { record in
      Column.all.map { CSVField.quoted($0.text(record).oneLine) }.joined(separator: ",") + "\n"
    }.joined()
  }

  /// Reads a file's text: the header, then records.
  ///
  /// - Parameters:
  ///   - text: all of it; every line ends with a line break.
  ///   - path: the file's name, for errors.
  /// - Throws: ``MeasurementError/file(path:reason:)`` with the number of the line.
  public static func read(_ text: String, path: String) throws(MeasurementError) -> [Record] {
    guard text.hasPrefix(essentialColumns[0] + ",") else {
      throw .file(
        path: path,
        reason: "is not a table of records, but \(FileKind(text: text).words); "
          + "`blurbench run --output FILE.csv` writes one")
    }
    let rows = try split(text, path)
    guard let header = rows.first, headers.contains(header) else {
      let found = rows.first.map(Set.init) ?? []
      let missing = essentialColumns.filter { !found.contains($0) }
      throw .file(
        path: path,
        reason: "line 1 is not the header of these records"
          + (missing.isEmpty ? " (other columns, or in another order)" : "; missing: \(missing.listed)"))
    }
    var records: [Record] = []
    for (index, row) in rows.enumerated().dropFirst() {
      records.append(try record(row, after: records.last, of: header.count, at: index + 1, of: path))
    }
    return records
  }

  /// The warning about a file that lost the end of its last line.
  static let truncated = "the last line was truncated and is dropped"

  /// Reads a file that a killed run may have left: without the beginning of a line at its end.
  ///
  /// - Returns: the records, and whether such a line was dropped.
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  static func readWholeLines(
    at path: String
  ) throws(MeasurementError) -> (records: [Record], isTruncated: Bool) {
    let (text, isTruncated) = try TextFile.wholeLines(at: path)
    return (text.isEmpty ? [] : try read(text, path: path), isTruncated)
  }

  private static func record(
    _ row: [String], after last: Record?, of count: Int, at line: Int, of path: String
  ) throws(MeasurementError) -> Record {
    guard row.count == count else {
      throw .file(path: path, reason: "line \(line) has \(row.count) fields instead of \(count)")
    }
    // Rows of one case stand together: its name is read once.
    var record = last.flatMap { $0.name == row[0] ? Record(ofCaseOf: $0) : nil } ?? Record(name: row[0])
    for (column, text) in zip(Column.all, row) where !column.set(&record, text) {
      throw .file(path: path, reason: "line \(line): '\(text)' is no value of \(column.name)")
    }
    guard !record.name.isEmpty else { throw .file(path: path, reason: "line \(line) has no name") }
    return record
  }

  private static func split(_ text: String, _ path: String) throws(MeasurementError) -> [[String]] {
    do { return try fields(text) } catch {
      // Every record is one line, so the line at fault is the first that cannot be read alone.
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let line = lines.firstIndex { (try? fields(String($0))) == nil }.map { "line \($0 + 1) " } ?? ""
      throw .file(
        path: path, reason: "\(line)cannot be read as CSV: a quotation mark is missing, or one too many")
    }
  }

  private static func fields(_ text: String) throws -> [[String]] {
    var rows: [[String]] = []
    // Its ready-made rows are filled up to the longest one, which would hide short lines.
    try CSV<Enumerated>(string: text, loadColumns: false)
      .enumerateAsArray(startAt: 0, rowLimit: nil) { rows.append($0) }
    return rows
  }
}
