import Blur
import BlurText

/// Certificates as text, CSV and JSON.
public struct CertificateReport: Sendable {
  /// What was certified, and what could not be.
  public let rows: [CertificateRow]

  /// Takes certificates.
  public init(_ rows: [CertificateRow]) { self.rows = rows }

  /// Whether a promise is broken, or a worst image is not as bad as predicted.
  public var hasFailures: Bool { rows.contains(where: \.isFailure) }

  /// Whether nothing was certified.
  public var isEmpty: Bool {
    rows.allSatisfy { $0.figures?.worst == nil && $0.figures?.specified == nil }
  }

  /// The certificates as text, one after the other.
  public var text: String { rows.map(\.text).joined(separator: "\n") }

  /// A header line and a line for each case; missing values are empty.
  public var csv: String {
    CSVField.lines([CertificateRow.columns] + rows.map(\.fields))
  }

  /// A JSON array with an object for each case.
  public func json() throws -> String {
    try JSONDocument.text(of: rows)
  }
}

extension Certificate {
  /// Where the worst case is, as text.
  var place: String? {
    worst.map { worst in
      let radius = KernelUnderTest(kernel: kernel, subject: subject).radius
      let edges = [
        (worst.x, radius.x, "left"), (side - 1 - worst.x, radius.x, "right"), (worst.y, radius.y, "top"),
        (side - 1 - worst.y, radius.y, "bottom"),
      ]
      let near = edges.filter { $0.0 <= $0.1 }.map { "\($0.0) px from the \($0.2) edge" }
      let place = near.isEmpty ? "inside" : near.joined(separator: " and ")
      return "x \(worst.x), y \(worst.y) of \(side)x\(side), \(place)"
    }
  }
}

extension Sigma {
  /// "5", or "5x2" where it differs by axis.
  var spelled: String { x == y ? "\(x)" : "\(x)x\(y)" }
}
