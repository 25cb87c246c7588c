import Blur
import BlurRecords
import BlurText
import BlurVerification

/// The certificates of a report, by column; empty values are left out.
struct Certificates: Encodable {
  /// In the order of the files, and at the end the command that certifies again.
  let columns: [String]
  let rows: [[String: String]]

  /// Seconds that a certificate may take that no file has.
  private static let limit = 2.0

  /// The columns that say of what a certificate is.
  private static let keys = ["kernel", "isa", "format", "sigma", "edge"]

  /// Gathers the lines of `blurbench certify --csv`, and what runs certified beside them.
  init(_ tables: [TableFile], _ cases: [ReportCase]) {
    var columns: [String] = []
    for column in tables.flatMap(\.header) where !columns.contains(column) { columns.append(column) }
    for column in Self.keys + ["certified_levels"] where !columns.contains(column) { columns.append(column) }
    self.columns = columns + ["command"]
    let given = tables.flatMap { table in
      table.rows.map { fields in
        Dictionary(zip(table.header, fields)) { first, _ in first }.filter { !$0.value.isEmpty }
      }
    }
    let known = Set(given.map(Self.key))
    let measured = Self.rows(of: cases).filter { !known.contains(Self.key($0)) }
    rows = given.map { Self.repeatable($0, words: "") } + measured
  }

  /// What a certificate is of; sigma as people write it.
  private static func key(_ row: [String: String]) -> [String] {
    keys.map { $0 == "sigma" ? short(row[$0] ?? "") : row[$0] ?? "" }
  }

  /// The largest certificate that a run has of a kernel, instruction set, format, sigma and edge mode.
  private static func rows(of cases: [ReportCase]) -> [[String: String]] {
    let certified = cases.filter { $0.record.certifiedLevels != nil && $0.fields["scene"] == nil }
    return certified.inGroups { item in keys.map { item.fields[$0] ?? "" } }.compactMap { _, items in
      guard let worst = items.max(by: { $0.levels < $1.levels }) else { return nil }
      var row = worst.fields.filter { keys.contains($0.key) }
      row["certified_levels"] = "\(worst.levels)"
      return repeatable(row, words: worst.words)
    }
  }

  /// The row with the command that certifies again.
  private static func repeatable(_ row: [String: String], words: String) -> [String: String] {
    let options = ["kernel", "format", "sigma", "edge", "isa"].compactMap { key in
      row[key].map { "--\(key) \((key == "sigma" ? short($0) : $0).inShell)" }
    }
    var row = row
    row["command"] = "blurbench certify " + options.joined(separator: " ") + words
    return row
  }

  /// A number as people write it: 2 for 2.0.
  private static func short(_ number: String) -> String { Double(number)?.short ?? number }

  /// The kernels that have certificates.
  var kernels: Set<String> { Set(rows.compactMap { $0["kernel"] }) }

  /// Certifies kernels as their summaries are made; what takes too long is taken down as skipped.
  static func table(of kernels: [Kernel], _ progress: (String) -> Void) -> TableFile? {
    guard let sigma = try? Sigma(KernelSummary.sigma), !kernels.isEmpty else { return nil }
    let run = CertificateRun(kernels: kernels, formats: [.grayf32], sigmas: [sigma], limit: limit)
    let report = run.report { number, all in
      progress("certificate \(number) of \(all)")
    }
    return try? TableFile(report.csv, path: "certificates")
  }
}

extension ReportCase {
  fileprivate var levels: Double { record.certifiedLevels ?? 0 }
}
