import BlurText

/// Reads and writes records as comma-separated values, with one header line and one line per record.
public enum RecordsCSV {
  /// The header line, including its line break.
  public static let header = table.csvHeader

  private static let table = Table(RecordColumn.all.map(\.column))

  /// The names of the columns that every records file has. Files from newer versions of the program have more
  /// columns after these.
  public static let essentialColumns = RecordColumn.essential.map(\.column.title)

  /// Returns whether a CSV file contains the records of a run, judging by the column names in its first line.
  /// Other CSV files of blurbench, such as tables of certificates, have different columns.
  public static func begins(_ text: String) -> Bool { isHeader(TableFile.header(of: text)) }

  /// Returns whether a table with these columns is a records file. The columns may be in any order, and
  /// another program may have added more columns.
  static func isHeader(_ columns: [String]) -> Bool { essentialColumns.allSatisfy(columns.contains) }

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
    guard TableFile.header(of: text).contains(essentialColumns[0]) else {
      throw .file(
        path: path,
        reason: "is not a records file but \(FileKind(text: text).words(at: path)); "
          + "`blurbench run --output FILE.csv` writes records files")
    }
    let table = try TableFile(text, path: path)
    let missing = essentialColumns.filter { !table.header.contains($0) }
    guard missing.isEmpty else {
      throw .file(
        path: path,
        reason: "line 1 is not the header of a records file: these columns are missing: \(missing.listed)")
    }
    return try read(table)
  }

  /// Parses the rows of a table as records. The columns can be in any order. Unknown columns are ignored, and
  /// the values of missing columns are nil or have their defaults.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)`` that states the line and the column of a wrong value.
  public static func read(_ table: TableFile) throws(MeasurementError) -> [Record] {
    var records: [Record] = []
    var lines: [Sample: Int] = [:]
    for (line, row) in zip(table.lines, table.fields(RecordColumn.all.map(\.column.title))) {
      let record = try record(row, after: records.last, at: line, of: table.path)
      records.append(record)
      guard let sample = Sample(record), let first = lines.updateValue(line, forKey: sample) else { continue }
      throw .file(
        path: table.path,
        reason: "line \(line): repetition \(sample.repetition) of \(record.name) is already in line \(first)")
    }
    return records
  }

  /// The properties that identify one timed sample. If two rows have the same identity, the file is wrong: it
  /// may have been appended to itself, for example. Such duplicates would make the times look more certain
  /// than they are.
  private struct Sample: Hashable {
    let name: String, process: Int?, repetition: Int, machine: String, build: String

    /// Returns the identity of a row, or nil if the row has no time. The result is also nil for a memcpy,
    /// because memcpys are timed again when a run is resumed.
    init?(_ record: Record) {
      guard record.isMeasured, !record.isCopy, let repetition = record.repetition else { return nil }
      (name, process, self.repetition) = (record.name, record.process, repetition)
      (machine, build) = (record.machineKey, record.build)
    }
  }

  /// The warning about a file whose last line is incomplete.
  static let truncated = "the last line is incomplete and is dropped"

  /// Reads a records file whose last line may be incomplete because the run was interrupted. An incomplete
  /// last line is ignored.
  ///
  /// - Returns: The records, and whether an incomplete line was ignored.
  /// - Throws: ``MeasurementError/file(path:reason:)``.
  static func readWholeLines(
    at path: String
  ) throws(MeasurementError) -> (records: [Record], isTruncated: Bool) {
    var (text, rest) = try TextFile.wholeLines(at: path)
    // Spreadsheets and editors may leave out the last line break. Without this line break, the last line is
    // known to be complete only if it has all fields and the last of them is empty or quoted. Otherwise, the
    // last field may have been cut off.
    let isComplete =
      (rest.hasSuffix(",") || rest.hasSuffix("\""))
      && TableFile.header(of: rest).count == TableFile.header(of: text).count
    if isComplete { text += rest }
    return (text.isEmpty ? [] : try read(text, path: path), !rest.isEmpty && !isComplete)
  }

  private static func record(
    _ row: [String], after last: Record?, at line: Int, of path: String
  ) throws(MeasurementError) -> Record {
    // The rows of a case are usually adjacent. If this row belongs to the same case as the row before it, the
    // case name need not be parsed again.
    var record = last.flatMap { $0.name == row[0] ? Record(ofCaseOf: $0) : nil } ?? Record(name: row[0])
    for (column, text) in zip(RecordColumn.all, row) where !column.set(&record, text) {
      throw .file(
        path: path,
        reason: "line \(line): '\(text)' is not a valid value of \(column.column.title); it must be "
          + column.allowed)
    }
    guard !record.name.isEmpty else { throw .file(path: path, reason: "line \(line): the name is empty") }
    guard record.name.hasPrefix(Case.family + "/") else {
      throw .file(
        path: path,
        reason: "line \(line): '\(record.name)' is not a valid value of name; it must begin with "
          + "\(Case.family)/")
    }
    guard let item = record.item else {
      guard let part = Case.impossiblePart(of: record.name) else { return record }
      throw .file(path: path, reason: "line \(line): '\(part)' in the name is impossible")
    }
    // These columns may be empty, but they must not contradict the case name.
    let columns = [
      ("isa", record.isa, item.isa.name), ("threads", "\(record.threads)", "\(item.workload.threads)"),
    ]
    for (column, text, named) in columns where text != named && !text.isEmpty {
      throw .file(
        path: path,
        reason:
          "line \(line): '\(text)' is not a valid value of \(column); it must be \(named), as in the name")
    }
    return record
  }
}
