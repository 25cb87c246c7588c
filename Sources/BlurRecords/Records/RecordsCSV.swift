import BlurText

/// Reads and writes records as comma-separated values, with one header line and one line per record.
public enum RecordsCSV {
  /// The header line, including its line break.
  public static let header = table.csvHeader

  private static let table = Table(RecordColumn.all.map(\.column))

  /// The names of the columns that every records file has. Newer files have further columns after these.
  public static let essentialColumns = RecordColumn.essential.map(\.column.title)

  /// The possible lists of column names, one for each version of the file format.
  static let headers = (0...RecordColumn.later.count).map { groups in
    essentialColumns + RecordColumn.later.prefix(groups).joined().map(\.column.title)
  }

  /// Returns whether a CSV file contains the records of a run, judging by the column names in its first line.
  /// The column names of older versions of blurbench are accepted too. Other CSV files that blurbench writes,
  /// for example about the accuracy of kernels, have other columns.
  public static func begins(_ text: String) -> Bool { headers.contains(TableFile.header(of: text)) }

  /// Returns the text of a records file.
  public static func text(_ records: [Record]) -> String { table.csv(records) }

  /// Returns the CSV lines of the records, without the header.
  public static func lines(_ records: [Record]) -> String { table.csvLines(records) }

  /// Reads a records file.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` that states the line and the column of a wrong value.
  public static func read(at path: String) throws(MeasurementError) -> [Record] {
    try read(TextFile.text(at: path), path: path)
  }

  /// Parses the text of a records file.
  ///
  /// - Parameters:
  ///   - text: The whole text.
  ///   - path: The path of the file, for error messages.
  /// - Throws: ``MeasurementError/file(path:reason:)`` that states the line and the column of a wrong value.
  public static func read(_ text: String, path: String) throws(MeasurementError) -> [Record] {
    guard TableFile.header(of: text).first == essentialColumns[0] else {
      throw .file(
        path: path,
        reason: "is not a records file but \(FileKind(text: text).words(at: path)); "
          + "`blurbench run --output FILE.csv` writes records files")
    }
    let table = try TableFile(text, path: path)
    guard headers.contains(table.header) else {
      let missing = essentialColumns.filter { !table.header.contains($0) }
      throw .file(
        path: path,
        reason: "line 1 is not the header of a records file: "
          + (missing.isEmpty
            ? "it has other columns, or has them in another order"
            : "these columns are missing: \(missing.listed)"))
    }
    return try read(table)
  }

  /// Parses the rows of a table as records. The columns can be in any order. Columns with unknown names are
  /// ignored, and records lack the values of missing columns.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` that states the line and the column of a wrong value.
  public static func read(_ table: TableFile) throws(MeasurementError) -> [Record] {
    var records: [Record] = []
    for (index, row) in table.fields(RecordColumn.all.map(\.column.title)).enumerated() {
      records.append(try record(row, after: records.last, at: index + 2, of: table.path))
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
    _ row: [String], after last: Record?, at line: Int, of path: String
  ) throws(MeasurementError) -> Record {
    // The rows of a case follow one another in the table. If this row belongs to the case of the row before,
    // the name of the case need not be parsed again.
    var record = last.flatMap { $0.name == row[0] ? Record(ofCaseOf: $0) : nil } ?? Record(name: row[0])
    for (column, text) in zip(RecordColumn.all, row) where !column.set(&record, text) {
      let range = column.range.map { range in
        let isUnlimited = range.upperBound == .greatestFiniteMagnitude
        return "; it must be from \(range.lowerBound.short) "
          + (isUnlimited ? "upwards" : "to \(range.upperBound.short)")
      }
      throw .file(
        path: path,
        reason: "line \(line): '\(text)' is not a valid value of \(column.column.title)\(range ?? "")")
    }
    guard !record.name.isEmpty else { throw .file(path: path, reason: "line \(line): the name is empty") }
    return record
  }
}
