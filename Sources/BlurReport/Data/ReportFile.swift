import BlurComparison
import BlurRecords
import BlurText
import Foundation

/// A file that goes into a report. Its contents determine whether it holds records, certificates or a
/// comparison.
public struct ReportFile: Sendable {
  /// The contents of the file.
  enum Content: Sendable {
    /// The records of a file. For each record, `extras` holds the values of the columns that only some files
    /// have, by column name.
    case records([Record], extras: [[String: String]])
    /// The rows that `blurbench certify --csv` printed.
    case certificates(TableFile)
    /// The comparison that `blurbench compare --json` printed.
    case comparison(Comparison)
  }

  /// The path, as the user gave it.
  public let path: String
  private(set) var content: Content
  /// The machine, the program and the command that produced the file.
  let provenance: ProvenanceReader

  /// Reads a file, and the `.txt` file next to it if there is one.
  ///
  /// - Throws: ``BlurRecords/MeasurementError/file(path:reason:)`` if the file is of another kind.
  public init(at path: String) throws(MeasurementError) {
    try self.init(TextFile.text(at: path), path: path, provenance: ProvenanceReader(beside: path))
  }

  /// Creates a file of the report from its text and its provenance.
  init(
    _ text: String, path: String, provenance: ProvenanceReader = ProvenanceReader()
  ) throws(MeasurementError) {
    self.path = path
    let kind = FileKind(text: text)
    content =
      switch kind {
      case .comparison: try Self.comparison(text, path)
      // A table may have further columns, as long as it also has all columns that are needed.
      case .records, .certificates, .table: try Self.table(text, path)
      default: throw Self.error(kind, path)
      }
    self.provenance =
      if case .comparison(let comparison) = content {
        ProvenanceReader(comparison.provenance.joined(separator: "\n"))
      } else { provenance }
  }

  private static func comparison(_ text: String, _ path: String) throws(MeasurementError) -> Content {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let comparison = try? decoder.decode(Comparison.self, from: Data(text.utf8)) else {
      throw .file(
        path: path,
        reason: "is a comparison that another version of `blurbench compare --json` wrote; make it again")
    }
    for item in comparison.cases {
      guard let wrong = item.impossible else { continue }
      let line = line(of: wrong.key, wrong.value, in: text, near: item.name)
      throw .file(
        path: path,
        reason: "line \(line): \(wrong.value) is not a valid value of \(wrong.key) of \(item.name)")
    }
    return .comparison(comparison)
  }

  /// Returns the number of the line that has a key with the given number. If there are several such lines, it
  /// is the one that is nearest to the name of the case.
  private static func line(of key: String, _ value: Double, in text: String, near name: String) -> Int {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let place = lines.firstIndex { $0.contains("\"\(name)\"") } ?? 0
    let found = lines.indices.filter { index in
      guard let start = lines[index].firstRange(of: "\"\(key)\"")?.upperBound else { return false }
      return Double.decimal(lines[index][start...].filter { !" :,".contains($0) }) == value
    }
    return 1 + (found.min { abs($0 - place) < abs($1 - place) } ?? place)
  }

  /// Returns the error for a file of a kind that does not go into a report.
  private static func error(_ kind: FileKind, _ path: String) -> MeasurementError {
    .file(
      path: path,
      reason: "is \(kind.words(at: path)); a report shows records (FILE.csv of `blurbench run --output`), "
        + "certificates (`certify --csv`) and comparisons (`compare --json`)")
  }

  private static func table(_ text: String, _ path: String) throws(MeasurementError) -> Content {
    let table = try TableFile(text, path: path)
    if RecordsCSV.begins(text) { return try records(table) }
    guard FileKind.certificateColumns.allSatisfy(table.header.contains) else {
      throw error(.table(columns: table.header), path)
    }
    try checkNumbers(of: table)
    return .certificates(table)
  }

  /// Throws an error that states the line and the column of the first error or sigma of a certificate that is
  /// negative or not a number.
  private static func checkNumbers(of table: TableFile) throws(MeasurementError) {
    for (column, name) in table.header.enumerated() where name == "sigma" || name.hasSuffix("_levels") {
      for (line, row) in zip(table.lines, table.rows) where !row[column].isEmpty {
        // A sigma may have one number for each axis, as in 3x0.5.
        let text = row[column][...]
        let numbers = name == "sigma" ? text.split(separator: "x", omittingEmptySubsequences: false) : [text]
        guard !numbers.allSatisfy({ Double.decimal($0).map { $0 >= 0 && $0.isFinite } ?? false }) else {
          continue
        }
        throw .file(
          path: table.path, reason: "line \(line): '\(row[column])' is not a valid value of \(name)")
      }
    }
  }

  /// Parses the rows of a table as records. The values of columns that only some files have, such as the
  /// columns for scenes, are kept as extras.
  private static func records(_ table: TableFile) throws(MeasurementError) -> Content {
    let further = table.header.filter { !RecordsCSV.essentialColumns.contains($0) }
    let extras = table.fields(further).map { fields in
      Dictionary(zip(further, fields)) { first, _ in first }.filter { !$0.value.isEmpty }
    }
    return .records(try RecordsCSV.read(table), extras: extras)
  }
}

extension CaseComparison {
  /// The first number that no measurement gives, with its key in the JSON document. Times and ratios are
  /// above 0, and errors are not negative. The lower end of a ratio is 0 if there were too few times for a
  /// confidence interval.
  fileprivate var impossible: (key: String, value: Double)? {
    let times = [base, head].compactMap(\.time)
    if let time = times.first(where: { !Record.possibleTimes.contains($0) }) { return ("time", time) }
    let errors = [base, head].compactMap(\.maxErrorLevels)
    if let error = errors.first(where: { $0 < 0 }) { return ("max_error_levels", error) }
    for ratio in [ratio, control].compactMap(\.self) {
      if ratio.estimate <= 0 { return ("estimate", ratio.estimate) }
      if ratio.low < 0 { return ("low", ratio.low) }
      if ratio.high <= 0 { return ("high", ratio.high) }
    }
    return nil
  }
}

extension ReportFile {
  /// The names of the blurs that were timed. The set is empty if the file does not hold records.
  var measured: Set<String> {
    guard case .records(let records, _) = content else { return [] }
    return Set(records.lazy.filter { $0.isMeasured && !$0.isCopy }.map(\.name))
  }

  /// Returns the file with only the records that `isKept` accepts, or nil if none of them is a blur.
  func keeping(_ isKept: (Record) -> Bool) -> ReportFile? {
    guard case .records(let records, let extras) = content else { return nil }
    let places = records.indices.filter { isKept(records[$0]) }
    guard places.contains(where: { !records[$0].isCopy }) else { return nil }
    var file = self
    file.content = .records(
      places.map { records[$0] }, extras: extras.isEmpty ? [] : places.map { extras[$0] })
    return file
  }
}
