import Blur
import BlurText
import Foundation

/// Certificates of blurs of variable sigma as text, CSV and JSON.
public struct VariableCertificateReport: Sendable {
  /// What was certified.
  public let rows: [VariableCertificate]

  /// Takes certificates.
  public init(_ rows: [VariableCertificate]) { self.rows = rows }

  /// Whether a statement is broken, or a worst image is not as bad as predicted.
  public var hasFailures: Bool { rows.contains { $0.violation != nil } }

  /// A table, and what is broken.
  public var text: String {
    let header = ["kernel", "mask", "sigma", "edge", "worst", "stated", "at", "the worst image"]
    let lines = rows.map { row in
      [
        row.kernel, row.mask, "\(row.sigma)", row.edge, row.levels.short, row.stated?.short ?? "none",
        "x \(row.x), y \(row.y)", row.measured.short,
      ]
    }
    let broken = rows.compactMap { row in
      row.violation.map { "BROKEN: \(row.kernel), mask \(row.mask), sigma \(row.sigma), \(row.edge): \($0)" }
    }
    let side = rows.first?.side ?? 0
    return
      "Largest error of any image of \(side)x\(side) pixels, in levels. A method states\n"
      + "the error of its mixing; that of the blurs comes on top, so that the worst may be larger.\n"
      + TextTable.aligned([header] + lines) + "\n" + broken.map { $0 + "\n" }.joined()
  }

  /// A header line and a line for each certificate; missing values are empty.
  public var csv: String {
    let header = [
      "kernel", "mask", "sigma", "edge", "side", "certified_levels", "stated_levels", "worst_x", "worst_y",
      "measured_levels", "violation",
    ]
    let lines = rows.map { row in
      [row.kernel, row.mask, "\(row.sigma)", row.edge, "\(row.side)", "\(row.levels)"]
        + [row.stated.map { "\($0)" } ?? "", "\(row.x)", "\(row.y)", "\(row.measured)", row.violation ?? ""]
    }
    return CSVField.lines([header] + lines)
  }

  /// A JSON array with an object for each certificate.
  public func json() throws -> String { try JSONDocument.text(of: rows) }
}

/// Methods × masks × sigmas × edge modes: what `blurbench certify --mask` runs.
public struct VariableCertificateRun: Sendable {
  /// What is certified.
  public let methods: [VariableMethod], shapes: [MaskShape], sigmas: [Sigma], edges: [EdgeMode]
  /// The widest instruction set of the blurs that are mixed.
  public let instructionSet: InstructionSet
  /// Width and height of the images: enough pixels for a scattered mask to have every value.
  static let side = 24

  /// Names what is certified.
  public init(
    methods: [VariableMethod], shapes: [MaskShape], sigmas: [Sigma], edges: [EdgeMode],
    instructionSet: InstructionSet
  ) {
    (self.methods, self.shapes, self.sigmas, self.edges) = (methods, shapes, sigmas, edges)
    self.instructionSet = instructionSet
  }

  /// Certifies everything.
  ///
  /// - Parameter progress: called before each certificate, with its number and the number of all.
  /// - Throws: ``Blur/BlurError``.
  public func report(progress: (_ number: Int, _ all: Int) -> Void) throws -> VariableCertificateReport {
    let all = methods.flatMap { method in
      shapes.flatMap { shape in
        sigmas.flatMap { sigma in edges.map { (method, shape, sigma, $0) } }
      }
    }
    return VariableCertificateReport(
      try all.enumerated().map { index, item in
        progress(index + 1, all.count)
        return try VariableCertificate(
          item.0, item.1, sigma: item.2, edge: item.3, instructionSet: instructionSet, side: Self.side)
      })
  }
}

extension Double {
  fileprivate var short: String { String(format: "%.3g", self) }
}
