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

  /// Gathers the lines of `blurbench certify --csv`.
  init(_ tables: [TableFile]) {
    var columns: [String] = []
    for column in tables.flatMap(\.header) where !columns.contains(column) { columns.append(column) }
    self.columns = columns + ["command"]
    rows = tables.flatMap { table in
      table.rows.map { fields in
        var row = Dictionary(zip(table.header, fields)) { first, _ in first }.filter { !$0.value.isEmpty }
        let options = ["kernel", "format", "sigma", "edge", "isa"].compactMap { key in
          row[key].map { "--\(key) \((key == "sigma" ? Self.short($0) : $0).inShell)" }
        }
        row["command"] = "blurbench certify " + options.joined(separator: " ")
        return row
      }
    }
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
