import BlurRecords
import SwiftCSV

/// A table of comma-separated values with a header line.
struct TableFile: Sendable {
  let path: String
  let header: [String]
  /// The fields of each row after the header. Every row has as many fields as the header.
  let rows: [[String]]

  /// Parses the text of a CSV file.
  ///
  /// - Throws: ``BlurRecords/MeasurementError/file(path:reason:)``, with the line number if a row has the
  ///   wrong number of fields.
  init(_ text: String, path: String) throws(MeasurementError) {
    self.path = path
    var rows: [[String]] = []
    do {
      try CSV<Enumerated>(string: text, loadColumns: false)
        .enumerateAsArray(startAt: 0, rowLimit: nil) { rows.append($0) }
    } catch {
      throw .file(
        path: path, reason: "cannot be read as CSV: there is one quotation mark too few or too many")
    }
    guard let header = rows.first else { throw .file(path: path, reason: "is empty") }
    if let line = rows.firstIndex(where: { $0.count != header.count }) {
      throw .file(
        path: path, reason: "line \(line + 1) has \(rows[line].count) fields instead of \(header.count)")
    }
    self.header = header
    self.rows = Array(rows.dropFirst())
  }

  /// Returns the fields of some columns, row by row. A field is empty if its column is missing.
  func fields(_ names: [String]) -> [[String]] {
    let places = names.map { header.firstIndex(of: $0) }
    return rows.map { row in places.map { $0.map { row[$0] } ?? "" } }
  }
}
