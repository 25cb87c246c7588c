import BlurRecords
import SwiftCSV

/// Comma-separated values with a header, read by the names of columns.
struct TableFile: Sendable {
  let path: String
  let header: [String]
  /// The fields of each line; as many as the header has.
  let rows: [[String]]

  /// Reads all of a file's text.
  ///
  /// - Throws: ``BlurMeasurement/MeasurementError/file(path:reason:)`` with the number of the line.
  init(_ text: String, path: String) throws(MeasurementError) {
    self.path = path
    var rows: [[String]] = []
    do {
      try CSV<Enumerated>(string: text, loadColumns: false)
        .enumerateAsArray(startAt: 0, rowLimit: nil) { rows.append($0) }
    } catch {
      throw .file(
        path: path, reason: "cannot be read as CSV: a quotation mark is missing, or one too many")
    }
    guard let header = rows.first else { throw .file(path: path, reason: "is empty") }
    if let line = rows.firstIndex(where: { $0.count != header.count }) {
      throw .file(
        path: path, reason: "line \(line + 1) has \(rows[line].count) fields instead of \(header.count)")
    }
    self.header = header
    self.rows = Array(rows.dropFirst())
  }

  /// The fields of some columns, line by line; empty where a column is missing.
  func fields(_ names: [String]) -> [[String]] {
    let places = names.map { header.firstIndex(of: $0) }
    return rows.map { row in places.map { $0.map { row[$0] } ?? "" } }
  }
}
