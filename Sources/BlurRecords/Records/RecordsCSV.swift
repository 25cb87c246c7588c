import BlurText
import SwiftCSV

/// Reads and writes records as comma-separated values, with one header line and one line per record.
public enum RecordsCSV {
  /// The header line, including its line break.
  public static let header = table.csvHeader

  private static let table = Table(RecordColumn.all.map(\.column))

  /// The names of the columns that every records file has. Newer files have further columns after these.
  public static let essentialColumns = RecordColumn.essential.map(\.column.title)

  /// The possible lists of column names, one for each version of the file format.
  private static let headers = (0...RecordColumn.later.count).map { groups in
    essentialColumns + RecordColumn.later.prefix(groups).joined().map(\.column.title)
  }

  /// Returns whether a CSV file contains the records of a run, judging by the column names in its first line.
  /// The column names of older versions of blurbench are accepted too. Other CSV files that blurbench writes,
  /// for example about the accuracy of kernels, have other columns.
  public static func begins(_ text: String) -> Bool {
    let header = text.prefix { !$0.isNewline }
    return headers.contains { header == $0.joined(separator: ",") }
  }

  /// Returns the CSV lines of the records, without the header.
  public static func lines(_ records: [Record]) -> String { table.csvLines(records) }

  /// Parses the text of a records file.
  ///
  /// - Parameters:
  ///   - text: The whole text, in which every line ends with a line break.
  ///   - path: The path of the file, for error messages.
  /// - Throws: ``MeasurementError/file(path:reason:)`` that states the number of the invalid line.
  public static func read(_ text: String, path: String) throws(MeasurementError) -> [Record] {
    guard text.hasPrefix(essentialColumns[0] + ",") else {
      throw .file(
        path: path,
        reason: "is not a records file but \(FileKind(text: text).words); "
          + "`blurbench run --output FILE.csv` writes records files")
    }
    let rows = try split(text, path)
    guard let header = rows.first, headers.contains(header) else {
      let found = rows.first.map(Set.init) ?? []
      let missing = essentialColumns.filter { !found.contains($0) }
      throw .file(
        path: path,
        reason: "line 1 is not the header of a records file: "
          + (missing.isEmpty
            ? "it has other columns, or has them in another order"
            : "these columns are missing: \(missing.listed)"))
    }
    var records: [Record] = []
    for (index, row) in rows.enumerated().dropFirst() {
      records.append(try record(row, after: records.last, of: header.count, at: index + 1, of: path))
    }
    return records
  }

  /// The warning about a file whose last line is incomplete.
  static let truncated = "the last line is incomplete and is dropped"

  /// Reads a file that an interrupted run may have left, and ignores an incomplete last line.
  ///
  /// - Returns: The records, and whether an incomplete line was ignored.
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
    // The rows of a case follow one another in the table. If this row belongs to the case of the row before,
    // the name of the case need not be parsed again.
    var record = last.flatMap { $0.name == row[0] ? Record(ofCaseOf: $0) : nil } ?? Record(name: row[0])
    for (column, text) in zip(RecordColumn.all, row) where !column.set(&record, text) {
      let title = column.column.title
      throw .file(path: path, reason: "line \(line): '\(text)' is not a valid value of \(title)")
    }
    guard !record.name.isEmpty else { throw .file(path: path, reason: "line \(line): the name is empty") }
    return record
  }

  private static func split(_ text: String, _ path: String) throws(MeasurementError) -> [[String]] {
    do { return try fields(text) } catch {
      // The faulty line is found by parsing each line by itself. This is possible because every record takes
      // up a single line.
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let line = lines.firstIndex { (try? fields(String($0))) == nil }.map { "line \($0 + 1) " } ?? ""
      throw .file(
        path: path, reason: "\(line)cannot be read as CSV: a quotation mark is missing or misplaced")
    }
  }

  private static func fields(_ text: String) throws -> [[String]] {
    var rows: [[String]] = []
    // The rows are read one by one. SwiftCSV can also return all rows at once, but then it fills short rows
    // up to the length of the longest row, and rows with missing fields could not be detected.
    try CSV<Enumerated>(string: text, loadColumns: false)
      .enumerateAsArray(startAt: 0, rowLimit: nil) { rows.append($0) }
    return rows
  }
}
