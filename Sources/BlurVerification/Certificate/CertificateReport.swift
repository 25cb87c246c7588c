import Blur
import BlurText

/// A report of certificates as text, CSV or JSON.
public struct CertificateReport: Sendable {
  /// One row for each combination of kernel, format, sigma, edge mode and instruction set, with its
  /// certificate or the reason why there is none.
  public let rows: [CertificateRow]

  /// Creates a report of the given rows.
  public init(_ rows: [CertificateRow]) { self.rows = rows }

  /// A Boolean value that indicates whether any certificate shows a failure. Either a kernel breaks its
  /// promise, or a worst-case image, when blurred, shows another error than predicted.
  public var hasFailures: Bool { rows.contains(where: \.isFailure) }

  /// A Boolean value that indicates whether the report contains no certified error: the largest possible
  /// error could not be determined in any of its rows.
  public var isEmpty: Bool {
    rows.allSatisfy { $0.figures?.worst == nil && $0.figures?.specified == nil }
  }

  /// All certificates as text, one after the other.
  public var text: String { rows.map(\.text).joined(separator: "\n") }

  /// A CSV table with a header line and a line for each row of the report. Missing values are empty.
  public var csv: String { CertificateRow.table.csv(rows) }

  /// Returns a JSON array with one object for each row of the report.
  public func json() throws -> String {
    try JSONDocument.text(of: rows)
  }
}

extension Certificate {
  /// A description of the position of the worst case, with its distance from nearby edges, or nil if there is
  /// no worst case.
  var place: String? {
    worst.map { worst in
      let radius = KernelUnderTest(kernel: kernel, subject: subject).radius
      let edges = [
        (worst.x, radius.x, "left"), (side - 1 - worst.x, radius.x, "right"), (worst.y, radius.y, "top"),
        (side - 1 - worst.y, radius.y, "bottom"),
      ]
      let near = edges.filter { $0.0 <= $0.1 }.map { "\($0.0) px from the \($0.2) edge" }
      let place = near.isEmpty ? "far from all edges" : near.joined(separator: " and ")
      return "x \(worst.x), y \(worst.y) of \(side)x\(side), \(place)"
    }
  }
}

extension Sigma {
  /// The sigma as text, such as "5", or "5x2" if the two axes differ.
  package var spelled: String { x == y ? "\(x)" : "\(x)x\(y)" }
}
