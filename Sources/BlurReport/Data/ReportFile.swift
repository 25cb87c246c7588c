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
  private(set) var content: Content
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
    let kind = FileKind(text: text)
    content =
      switch kind {
      case .comparison: try Self.comparison(text, path)
      case .records, .certificates, .table: try Self.table(text, path)
      // Other programs may have quoted the columns, or added some, whatever these are called.
      case .text where Self.hasKnownColumns(text): try Self.table(text, path)
      default: throw Self.error(kind, path)
      }
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
      throw .file(path: path, reason: "is a comparison of another version of `blurbench compare --json`")
    }
  }

  /// What is said of a file of another kind.
  private static func error(_ kind: FileKind, _ path: String) -> MeasurementError {
    .file(
      path: path,
      reason: "is \(kind.words); a report is of records (FILE.csv of `blurbench run --output`), "
        + "certificates (`certify --csv`) and comparisons (`compare --json`)")
  }

  /// The columns of certificates.
  private static let certificateColumns = ["kernel", "sigma", "certified_levels"]

  private static func hasKnownColumns(_ text: String) -> Bool {
    let columns = (try? TableFile(text.prefix { !$0.isNewline } + "\n", path: ""))?.header ?? []
    return [RecordsCSV.essentialColumns, certificateColumns].contains { $0.allSatisfy(columns.contains) }
  }

  private static func table(_ text: String, _ path: String) throws(MeasurementError) -> Content {
    let table = try TableFile(text, path: path)
    if RecordsCSV.essentialColumns.allSatisfy(table.header.contains) { return try records(table) }
    guard certificateColumns.allSatisfy(table.header.contains) else {
      throw error(.table(columns: table.header), path)
    }
    return .certificates(table)
  }

  /// Records, and what columns beyond the essential ones hold: those of scenes, and any others.
  private static func records(_ table: TableFile) throws(MeasurementError) -> Content {
    let names = RecordsCSV.header.dropLast().split(separator: ",").map(String.init)
    let lines = CSVField.lines(table.fields(names))
    let further = table.header.filter { !RecordsCSV.essentialColumns.contains($0) }
    let extras = table.fields(further).map { fields in
      Dictionary(zip(further, fields)) { first, _ in first }.filter { !$0.value.isEmpty }
    }
    return .records(
      try RecordsCSV.read(RecordsCSV.header + lines, path: table.path), extras: extras)
  }
}

extension ReportFile {
  /// The names of the blurs that it has times of; none where it holds no records.
  var measured: Set<String> {
    guard case .records(let records, _) = content else { return [] }
    return Set(records.lazy.filter { $0.isMeasured && !$0.isCopy }.map(\.name))
  }

  /// The file with some of its records; nil where no blur is left.
  func keeping(_ isKept: (Record) -> Bool) -> ReportFile? {
    guard case .records(let records, let extras) = content else { return nil }
    let places = records.indices.filter { isKept(records[$0]) }
    guard places.contains(where: { !records[$0].isCopy }) else { return nil }
    var file = self
    file.content = .records(
      places.map { records[$0] }, extras: extras.isEmpty ? [] : places.map { extras[$0] })
    return file
  }

  /// The value of a line of the provenance; the first, if the run was resumed.
  func origin(_ key: String) -> String? { provenance.first { $0.key == key }?.value }
}
