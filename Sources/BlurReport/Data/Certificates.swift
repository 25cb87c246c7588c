import Blur
import BlurRecords
import BlurText
import BlurVerification

/// The certificates of a report. A certificate states the largest error that a kernel can make on any image.
/// Each row maps the names of columns to values, and leaves out columns without a value.
struct Certificates: Encodable {
  /// The names of the columns, in the order of the columns in the CSV files. The last column, `command`,
  /// holds the command that computes the certificate again.
  let columns: [String]
  let rows: [[String: String]]

  /// The time limit in seconds for computing one certificate. Certificates are computed here only if the
  /// files of the report do not contain them.
  private static let limit = 2.0

  /// The columns that identify a certificate.
  private static let keys = ["kernel", "isa", "format", "sigma", "edge"]

  /// Gathers certificates from two sources: the CSV tables that `blurbench certify` prints, and the results
  /// of benchmark runs that have computed certificates for the blurs that they measured.
  init(_ tables: [TableFile], _ cases: [ReportCase]) {
    columns = (tables.flatMap(\.header) + Self.keys + ["certified_levels"]).uniqued + ["command"]
    let given = tables.flatMap { table in
      table.rows.map { fields in
        Dictionary(zip(table.header, fields)) { first, _ in first }.filter { !$0.value.isEmpty }
      }
    }
    let known = Set(given.map(Self.key))
    let measured = Self.rows(of: cases).filter { !known.contains(Self.key($0)) }
    rows = given.map { Self.repeatable($0, words: "") } + measured
  }

  /// Returns the values that identify a certificate. Sigma is written without unneeded digits, so that `2`
  /// and `2.0` identify the same certificate.
  private static func key(_ row: [String: String]) -> [String] {
    keys.map { $0 == "sigma" ? short(row[$0] ?? "") : row[$0] ?? "" }
  }

  /// Returns a row for each combination of kernel, instruction set, format, sigma and edge mode for which the
  /// runs have computed certificates. If there are several certificates for a combination, the row holds the
  /// largest error.
  private static func rows(of cases: [ReportCase]) -> [[String: String]] {
    // Cases with straight alpha are left out. Kernels can blur them in a different format, so their
    // certificates may not apply to the image's format.
    let certified = cases.filter {
      $0.record.certifiedLevels != nil && $0.fields["scene"] == nil && $0.fields["alpha"] == nil
    }
    return certified.inGroups { item in keys.map { item.fields[$0] ?? "" } }.compactMap { _, items in
      guard let worst = items.max(by: { $0.levels < $1.levels }) else { return nil }
      var row = worst.fields.filter { keys.contains($0.key) }
      row["certified_levels"] = "\(worst.levels)"
      return repeatable(row, words: worst.words)
    }
  }

  /// Returns a row of the table of certificates with one more column: the shell command that computes the
  /// row's certificate again.
  private static func repeatable(_ row: [String: String], words: String) -> [String: String] {
    let options = ["kernel", "format", "sigma", "edge", "isa"].compactMap { key in
      row[key].map { "--\(key) \((key == "sigma" ? short($0) : $0).inShell)" }
    }
    var row = row
    row["command"] = "blurbench certify " + options.joined(separator: " ") + words
    return row
  }

  /// Returns a number without unneeded digits, such as 2 for 2.0.
  private static func short(_ number: String) -> String { Double(number)?.short ?? number }

  /// The names of the kernels that have certificates.
  var kernels: Set<String> { Set(rows.compactMap { $0["kernel"] }) }

  /// Computes certificates for the kernels, with the same sigma as the pictures of the kernels on the report
  /// page. A certificate that would take too long to compute is recorded as skipped.
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
