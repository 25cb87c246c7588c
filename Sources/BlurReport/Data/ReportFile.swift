import Blur
import BlurComparison
import BlurRecords
import BlurText
import Foundation

/// A file for a report, which holds records, certificates or a comparison. The kind of the file is determined
/// from its contents.
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
  /// - Throws: ``BlurRecords/MeasurementError/file(path:reason:)`` if the file cannot be read, or if its
  ///   contents are not records, certificates or a comparison.
  public init(at path: String) throws(MeasurementError) {
    try self.init(TextFile.text(at: path), path: path, provenance: ProvenanceReader(beside: path))
  }

  /// Parses the text of a file that the report shows.
  ///
  /// - Parameter provenance: The provenance of the file. It is ignored if the text is a comparison, because a
  ///   comparison contains its own provenance.
  init(
    _ text: String, path: String, provenance: ProvenanceReader = ProvenanceReader()
  ) throws(MeasurementError) {
    self.path = path
    let kind = FileKind(text: text)
    content =
      switch kind {
      case .comparison: try Self.comparison(text, path)
      // A table with additional columns is accepted if it has all the columns that are needed.
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
    let numbers = comparison.cases.map { ($0.name, $0.numbers) } + [("the comparison", comparison.numbers)]
    for (owner, numbers) in numbers {
      for (key, value, range) in numbers {
        guard let value, !range.contains(value) else { continue }
        let line = line(of: key, value, in: text, near: owner)
        throw .file(
          path: path,
          reason: "line \(line): \(value) is not a valid value of \(key) of \(owner); it must be "
            + RecordColumn.words(range))
      }
    }
    return .comparison(comparison)
  }

  /// Returns the number of the line in which `key` has the value `value`. If there are several such lines,
  /// the function chooses the one that is nearest to `name`, the name of the case.
  private static func line(of key: String, _ value: Double, in text: String, near name: String) -> Int {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let place = lines.firstIndex { $0.contains("\"\(name)\"") } ?? 0
    let found = lines.indices.filter { index in
      guard let start = lines[index].firstRange(of: "\"\(key)\"")?.upperBound else { return false }
      return Double.decimal(lines[index][start...].filter { !" :,".contains($0) }) == value
    }
    return 1 + (found.min { abs($0 - place) < abs($1 - place) } ?? place)
  }

  /// Returns the error for a file that a report cannot show. The message says what the file is, and which
  /// files are allowed.
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

  /// Checks the numbers in a table of certificates. Throws an error that states the line and the column of
  /// the first number that is impossible.
  private static func checkNumbers(of table: TableFile) throws(MeasurementError) {
    for (column, name) in table.header.enumerated() {
      guard let range = possibleNumbers(in: name) else { continue }
      for (line, row) in zip(table.lines, table.rows) where !row[column].isEmpty {
        // A sigma may consist of two numbers, one for each axis, as in 3x0.5.
        let text = row[column][...]
        let numbers = name == "sigma" ? text.split(separator: "x", omittingEmptySubsequences: false) : [text]
        if numbers.allSatisfy({ Double.decimal($0).map(range.contains) ?? false }) { continue }
        throw .file(
          path: table.path,
          reason: "line \(line): '\(row[column])' is not a valid value of \(name); it must be "
            + RecordColumn.words(range))
      }
    }
  }

  /// Returns the range of the numbers that a column of a certificate can contain, or nil for a column whose
  /// values are not checked.
  private static func possibleNumbers(in column: String) -> ClosedRange<Double>? {
    switch column {
    case "sigma": return Sigma.allowed
    // These columns hold the error of the worst pixel, which can be negative.
    case "predicted_levels", "measured_levels": return -1e15...1e15
    case "worst_x", "worst_y": return 0...1e15
    default: break
    }
    if column.hasSuffix("_levels") { return 0...Double.greatestFiniteMagnitude }
    guard column.hasPrefix("across_") || column.hasPrefix("down_") else { return nil }
    // The weights of a kernel, and their sums, can be negative.
    let isSigned = column.hasSuffix("_sum") || column.hasSuffix("_weight")
    return isSigned ? -1e15...1e15 : 0...1e15
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

/// A number in a comparison, with its key in the JSON document and the range of its possible values.
private typealias ComparedNumber = (key: String, value: Double?, range: ClosedRange<Double>)

private let notNegative = 0...Double.greatestFiniteMagnitude

extension Comparison {
  /// The threshold and the noise of the whole comparison, with the ranges of their possible values. Both are
  /// fractions. The threshold must be from 0.001 (0.1 %) to 10 (1000 %).
  fileprivate var numbers: [ComparedNumber] {
    [("threshold", threshold, 0.001...10), ("noise", noise, notNegative)]
  }
}

extension CaseComparison {
  /// The numbers of the case, with the ranges of their possible values.
  fileprivate var numbers: [ComparedNumber] {
    let sides = [base, head].flatMap { side -> [ComparedNumber] in
      [
        ("time", side.time, Record.possibleTimes), ("max_error_levels", side.maxErrorLevels, notNegative),
        ("instructions", side.instructions, notNegative),
        ("processes", side.processes.map(Double.init), notNegative),
      ]
    }
    // The smallest and the largest possible ratio of two times.
    let (least, most) = (1e-24, 1e24)
    let ratios = [ratio, control].compactMap(\.self).flatMap { ratio -> [ComparedNumber] in
      // If there were too few times to compute a confidence interval, the ends of the interval are 0 and the
      // largest finite number.
      [
        ("estimate", ratio.estimate, least...most),
        ("high", ratio.high, least...Double.greatestFiniteMagnitude),
        ("low", ratio.low, 0...max(0, ratio.high)),
      ]
    }
    return sides + ratios + [
      ("pairs", Double(pairs), notNegative), ("threshold", threshold, notNegative), ("p", p, 0...1),
      ("smallest_detectable", smallestDetectable, notNegative),
      ("instruction_ratio", instructionRatio, notNegative),
    ]
  }
}

extension ReportFile {
  /// The names of the cases that were timed, without memcpys. The set is empty if the file does not hold
  /// records.
  var measured: Set<String> {
    guard case .records(let records, _) = content else { return [] }
    return Set(records.lazy.filter { $0.isMeasured && !$0.isCopy }.map(\.name))
  }

  /// Returns the file with only the records that `isKept` accepts, or nil if none of them is from a kernel.
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
