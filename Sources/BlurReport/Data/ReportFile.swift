import BlurComparison
import BlurRecords
import BlurText
import Foundation

/// A file that a report is made of, told by its contents: records, certificates, or a comparison.
public struct ReportFile: Sendable {
  /// What the file holds.
  enum Content: Sendable {
    /// Records, and for each the columns that other records lack, by name.
    case records([Record], extras: [[String: String]])
    /// The lines of `blurbench certify --csv`.
    case certificates(TableFile)
    /// What `blurbench compare --json` printed.
    case comparison(Comparison)
  }

  /// The path as it was given.
  public let path: String
  let content: Content
  /// The lines `key: value` that say where the contents come from.
  let provenance: [ProvenanceReader.Line]

  /// Reads a file, and the `.txt` beside it if there is one.
  ///
  /// - Throws: ``BlurMeasurement/MeasurementError/file(path:reason:)`` for a file of another kind.
  public init(at path: String) throws(MeasurementError) {
    try self.init(TextFile.text(at: path), path: path, origins: ProvenanceReader.beside(path))
  }

  /// Takes the text of a file.
  init(_ text: String, path: String, provenance: String) throws(MeasurementError) {
    try self.init(text, path: path, origins: ProvenanceReader(provenance).lines)
  }

  private init(_ text: String, path: String, origins: [ProvenanceReader.Line]) throws(MeasurementError) {
    self.path = path
    let isJSON = text.first { !$0.isWhitespace } == "{"
    content = isJSON ? try Self.comparison(text, path) : try Self.table(text, path)
    if case .comparison(let comparison) = content {
      self.provenance = comparison.provenance.compactMap { ProvenanceReader.Line($0) }
    } else {
      provenance = origins
    }
  }

  private static func comparison(_ text: String, _ path: String) throws(MeasurementError) -> Content {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do { return .comparison(try decoder.decode(Comparison.self, from: Data(text.utf8))) } catch {
      throw .file(
        path: path,
        reason: "is JSON, but not of `blurbench compare --json`; of a run, name the .csv")
    }
  }

  private static func table(_ text: String, _ path: String) throws(MeasurementError) -> Content {
    let table = try TableFile(text, path: path)
    if RecordsCSV.essentialColumns.allSatisfy(table.header.contains) { return try records(table) }
    guard ["kernel", "sigma", "certified_levels"].allSatisfy(table.header.contains) else {
      throw .file(
        path: path,
        reason: "has neither the columns of records nor those of `blurbench certify --csv` in line 1")
    }
    return .certificates(table)
  }

  /// Records, and what columns beyond the essential ones hold: those of scenes, and any others.
  private static func records(_ table: TableFile) throws(MeasurementError) -> Content {
    let names = RecordsCSV.header.dropLast().split(separator: ",").map(String.init)
    let lines = table.fields(names).map { $0.map(CSVField.quoted).joined(separator: ",") + "\n" }
    let further = table.header.filter { !RecordsCSV.essentialColumns.contains($0) }
    let extras = table.fields(further).map { fields in
      Dictionary(zip(further, fields)) { first, _ in first }.filter { !$0.value.isEmpty }
    }
    return .records(
      try RecordsCSV.read(RecordsCSV.header + lines.joined(), path: table.path), extras: extras)
  }
}

extension ReportFile {
  /// The value of a line of the provenance; the first, if the run was resumed.
  func origin(_ key: String) -> String? { provenance.first { $0.key == key }?.value }
}
