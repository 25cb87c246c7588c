import SwiftCSV

/// A table of comma-separated values with a header line.
///
/// Fields may be quoted, lines may be blank or end with CR LF, and the last line need not end with a line
/// break.
public struct TableFile: Sendable {
  public let path: String
  public let header: [String]
  /// The fields of each row after the header. Every row has as many fields as the header.
  public let rows: [[String]]
  /// The line in the file at which each row begins. The first line has the number 1.
  public let lines: [Int]

  /// Parses the text of a CSV file.
  ///
  /// - Throws: ``MeasurementError/file(path:reason:)``, with the line number if a quotation mark is
  ///   misplaced, a row has the wrong number of fields, or the header appears again.
  public init(_ text: String, path: String) throws(MeasurementError) {
    let (all, isValid) = Self.fields(text)
    var rows: [(line: Int, row: [String])] = []
    var line = 1
    for row in all {
      // Spreadsheets may add rows of empty fields, which are ignored.
      let isBlank = row.allSatisfy { $0.allSatisfy(\.isWhitespace) }
      if !isBlank { rows.append((line, row)) }
      // A quoted field may contain line breaks, so a row can take up several lines.
      line += 1 + row.reduce(0) { $0 + $1.count(where: \.isNewline) }
    }
    // The row that cannot be read begins after the last row that was read.
    guard isValid else {
      throw .file(
        path: path,
        reason: "line \(line) cannot be read as CSV: a quotation mark is missing or misplaced")
    }
    guard let header = rows.first?.row else { throw .file(path: path, reason: "is empty") }
    if let (line, row) = rows.first(where: { $0.row.count != header.count }) {
      throw .file(path: path, reason: "line \(line) has \(row.count) fields instead of \(header.count)")
    }
    // Several columns may have an empty name, because spreadsheets may add empty columns at the end.
    if let name = header.first(where: { name in !name.isEmpty && header.count { $0 == name } > 1 }) {
      throw .file(path: path, reason: "line \(rows[0].line) has several columns called '\(name)'")
    }
    if let again = rows.dropFirst().first(where: { $0.row == header }) {
      throw .file(path: path, reason: "line \(again.line) is the header again; remove this line")
    }
    (self.path, self.header) = (path, header)
    (self.rows, lines) = (rows.dropFirst().map(\.row), rows.dropFirst().map(\.line))
  }

  /// Returns the fields of the first line that is not blank. Returns an empty array if this line is not valid
  /// CSV.
  public static func header(of text: String) -> [String] {
    fields(String(text.drop(while: \.isWhitespace).prefix { !$0.isNewline })).rows.first ?? []
  }

  /// Returns the fields of the columns with the given names, row by row. A field is empty if its column is
  /// missing.
  public func fields(_ names: [String]) -> [[String]] {
    let places = names.map { header.firstIndex(of: $0) }
    return rows.map { row in places.map { $0.map { row[$0] } ?? "" } }
  }

  /// Splits CSV text into rows of fields. If a row is not valid CSV, returns only the rows before it, with
  /// `isValid` set to false.
  private static func fields(_ text: String) -> (rows: [[String]], isValid: Bool) {
    var rows: [[String]] = []
    // Without a line break at the end, SwiftCSV would drop an empty last field.
    let isEnded = text.last?.isNewline ?? true
    // The rows are read one by one. If SwiftCSV returned all rows at once, it would pad short rows with empty
    // fields, so rows with missing fields could not be detected.
    do {
      try CSV<Enumerated>(
        string: isEnded ? text : text + "\n", delimiter: .comma, loadColumns: false, rowLimit: 0
      ).enumerateAsArray(startAt: 0, rowLimit: nil) { rows.append($0) }
      return (rows, true)
    } catch { return (rows, false) }
  }
}
