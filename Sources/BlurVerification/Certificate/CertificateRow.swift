import Blur
import BlurText
import Foundation

/// A record that contains a certificate, or the reason why no certificate could be made.
public struct CertificateRow: Codable, Sendable {
  /// The name of the certified kernel, and the instruction set, format, sigma and edge mode for which it was
  /// certified, as text.
  public let kernel: String, isa: String, format: String, sigma: String, edge: String
  /// The kernel's promise as text, and a description of how the kernel broke its promise or failed. The
  /// description is nil if nothing went wrong.
  public let promise: String, violation: String?
  /// The reason why nothing was certified, or nil.
  public let skipped: String?
  /// The measured values of the certificate, or nil if no certificate could be made.
  public let figures: Figures?

  /// The measured values of a certificate, such as the largest possible error.
  public struct Figures: Codable, Sendable {
    /// The kind of the kernel: separable, linear but not separable, nonlinear, or stateful. A stateful kernel
    /// gives different results for the same image.
    public let kind: Linearity
    /// The width and height, in pixels, of the images that were blurred to make the certificate.
    public let side: Int
    /// The largest error over all possible images, relative to the Gaussian and relative to the definition
    /// that the kernel promises to equal. Each is nil if it is not known.
    public let worst: WorstCase?, specified: WorstCase?
    /// The predicted and the measured error of the worst-case image.
    public let adversary: Certificate.Adversary?
    /// The measured characteristics of the kernel along rows and along columns.
    public let across: AxisFigures, down: AxisFigures
    /// The position of the worst case in words (`place`), and a remark about anything that could not be
    /// determined (`note`). Each is nil if there is nothing to say.
    public let place: String?, note: String?
  }

  /// Creates the record of a certificate.
  public init(_ certificate: Certificate) {
    self.init(certificate.kernel, certificate.subject, failure: certificate.violation, certificate)
  }

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - failure: A description of how the kernel broke its promise or failed, or nil.
  ///   - skipped: The reason why no certificate was made, or nil.
  public init(
    _ kernel: Kernel, _ subject: Subject, failure: String? = nil, skipped: String? = nil,
    _ certificate: Certificate? = nil
  ) {
    self.kernel = kernel.name
    (isa, format, edge) = (subject.instructionSet.name, subject.format.rawValue, subject.edgeName)
    (sigma, promise) = (subject.sigma.spelled, kernel.promise.description)
    (violation, self.skipped) = (failure, skipped)
    figures = certificate.map {
      Figures(
        kind: $0.linearity, side: $0.side, worst: $0.worst, specified: $0.specified, adversary: $0.adversary,
        across: $0.across, down: $0.down, place: $0.place, note: $0.note)
    }
  }

  /// A Boolean value that indicates whether the kernel broke its promise or failed, or the measured error of
  /// the worst-case image differs from the prediction. A wrong prediction is ignored if the kernel promises
  /// nothing.
  public var isFailure: Bool {
    violation != nil || !promisesNothing && figures?.adversary?.agrees == false
  }

  fileprivate var promisesNothing: Bool {
    [Promise.nothing, .notGaussian].map(\.description).contains(promise)
  }
}

/// Converts certificates to a report in text, CSV or JSON.
extension [CertificateRow] {
  /// A Boolean value that indicates whether any certificate shows a failure: a broken promise, or a
  /// worst-case image whose measured error differs from the prediction.
  public var hasFailures: Bool { contains(where: \.isFailure) }

  /// A Boolean value that indicates whether the largest possible error is unknown in every row.
  public var areUncertified: Bool {
    allSatisfy { $0.figures?.worst == nil && $0.figures?.specified == nil }
  }

  /// All certificates as text, one after the other.
  public var text: String { map(\.text).joined(separator: "\n") }

  /// A CSV table with a header line and a line for each row of the report. Missing values are empty.
  public var csv: String { CertificateRow.table.csv(self) }

  /// Returns a JSON array with one object for each row of the report.
  public func json() throws -> String { try JSONDocument.text(of: self) }
}

extension CertificateRow {
  /// The table that CSV files contain. It has a column for each value of a certificate.
  fileprivate static let table = Table(
    start + columns("across") { $0.axes.first } + columns("down") { $0.axes.last } + end)

  private static let start: [Column<CertificateRow>] = [
    Column("kernel") { $0.kernel }, Column("isa") { $0.isa }, Column("format") { $0.format },
    Column("sigma") { $0.sigma }, Column("edge") { $0.edge }, Column("kind") { $0.figures?.kind.rawValue },
    Column("certified_levels") { $0.figures?.worst?.levels },
    Column("uncertainty_levels") { $0.figures?.worst?.uncertainty },
    Column("specified_levels") { $0.figures?.specified?.levels }, Column("worst_x") { $0.figures?.worst?.x },
    Column("worst_y") { $0.figures?.worst?.y },
    Column("predicted_levels") { $0.figures?.adversary?.predicted },
    Column("measured_levels") { $0.figures?.adversary?.measured },
  ]

  private static let end: [Column<CertificateRow>] = [
    Column("promise") { $0.promise }, Column("violation") { $0.violation }, Column("skipped") { $0.skipped },
    Column("note") { $0.figures?.note },
  ]

  /// Returns the table columns that show the kernel's characteristics along one axis.
  private static func columns(
    _ name: String, _ axis: @escaping @Sendable (Figures) -> AxisFigures?
  ) -> [Column<CertificateRow>] {
    let values: [(String, @Sendable (AxisFigures) -> Column<CertificateRow>.Value?)] = [
      ("period", { $0.period }), ("worst_levels", { $0.worstLevels }), ("worst_at", { $0.worstAt }),
      ("l1", { $0.l1 }), ("achieved_sigma", { $0.achievedSigma }), ("sigma_ratio", { $0.sigmaRatio }),
      ("truth_ratio", { $0.truthRatio }),
      ("least_sum", { $0.leastSum }), ("greatest_sum", { $0.greatestSum }),
      ("least_weight", { $0.leastWeight }), ("asymmetry_levels", { $0.asymmetry }),
      ("shift_variance_levels", { $0.shiftVariance }),
    ]
    return values.map { title, value in
      Column("\(name)_\(title)") { row in
        guard let value = row.figures.flatMap(axis).flatMap(value) else { return nil }
        return (value as? Double)?.isNaN == true ? nil : value
      }
    }
  }

  /// Returns a text table with only the most important values of the certificates. Columns without values are
  /// left out. The column of edge modes is also left out if every row has the edge mode `clamp`.
  static func summary(_ rows: [CertificateRow]) -> String {
    let areClamped = rows.allSatisfy { $0.edge == EdgeMode.clamp.name }
    let table = Table<CertificateRow>([
      Column("kernel") { $0.kernel }, Column("format") { $0.format }, Column("sigma") { $0.sigma },
      Column("achieved sigma") { row in
        (row.figures?.axes ?? []).map(\.achievedSigma.threeDigits).uniqued.joined(separator: "x")
      },
      Column("edge") { areClamped ? nil : $0.edge }, Column("isa") { $0.isa },
      Column("kind") { $0.figures?.kind.rawValue },
      Column("worst case") { $0.figures?.worst?.levels.inLevels },
      Column("±") { $0.figures?.worst?.uncertainty.short },
      Column("vs own definition") { $0.figures?.specified?.levels.inLevels },
      Column("promise") { row in row.violation.map { "BROKEN: \($0)" } ?? row.promise },
    ])
    return table.withoutEmptyColumns(rows).text(rows)
  }

  /// The certificate as several lines of text.
  var text: String {
    let subject = "\(kernel)  \(format) sigma \(sigma) \(edge) \(isa)"
    guard let figures else {
      return (violation.map { "FAILED(\($0))" } ?? "SKIPPED(\(skipped ?? ""))") + " \(subject)\n"
    }
    let verdict = violation.map { "BROKEN: \($0)" } ?? kept(figures)
    let lines = [subject, figures.worstLine, "  promise: \(promise): \(verdict)", figures.specifiedLine]
    let rest = [figures.table, figures.adversaryLine, figures.note.map { "  note: \($0)" }]
    return (lines + rest).compactMap(\.self).joined(separator: "\n") + "\n"
  }

  private func kept(_ figures: Figures) -> String {
    if promisesNothing { return "there is no promise to keep" + figures.wrongSigma(sigma) }
    return figures.worst == nil && figures.specified == nil ? "not certified" : "kept"
  }
}

extension CertificateRow.Figures {
  /// The kernel's measured characteristics along rows and along columns. The array is empty if the kernel is
  /// not linear, because such a kernel cannot be described by weights.
  fileprivate var axes: [AxisFigures] { [.separable, .planar].contains(kind) ? [across, down] : [] }

  /// A remark that the kernel blurs with a different sigma from the one requested. It is an empty string if
  /// the kernel's sigma differs by at most 3 % from the sigma of the exact Gaussian.
  fileprivate func wrongSigma(_ requested: String) -> String {
    let isWrong = axes.contains { abs(($0.sigmaRatio ?? 1) / ($0.truthRatio ?? 1) - 1) > 0.03 }
    guard isWrong else { return "" }
    let achieved = axes.map(\.achievedSigma.short)
    return ", but the kernel blurs with sigma \(achieved[0]) across and \(achieved[1]) down instead of "
      + requested
  }

  fileprivate var worstLine: String? {
    worst.map {
      "  worst case over all images: \($0.levels.inLevels) (± \($0.uncertainty.short)), at \(place ?? "")"
    }
  }

  fileprivate var specifiedLine: String? {
    specified.map {
      "  worst case relative to its own definition: \($0.levels.inLevels) (± \($0.uncertainty.short))"
    }
  }

  fileprivate var adversaryLine: String? {
    adversary.map { adversary in
      guard let predicted = adversary.predicted else {
        return "  error of an image that was built to show a large error: \(adversary.measured.inLevels)"
      }
      return
        "  measured error of the worst-case image: \(adversary.measured.inLevels); predicted: "
        + "\(predicted.short) (± \(adversary.allowance.short) for rounding)"
        + (adversary.agrees ? "" : "; THE TWO DO NOT AGREE")
    }
  }

  fileprivate var table: String? {
    guard !axes.isEmpty else { return nil }
    let table = Table<(name: String, figures: AxisFigures)>([
      Column("axis") { $0.name }, Column("worst") { $0.figures.worstLevels.short },
      Column("l1") { $0.figures.l1.short }, Column("achieved sigma") { $0.figures.achievedSigma.precise },
      Column("sigma ratio") { $0.figures.sigmaRatio?.precise },
      Column("of the truth") { $0.figures.truthRatio?.precise },
      Column("smallest sum") { $0.figures.leastSum.precise },
      Column("largest sum") { $0.figures.greatestSum.precise },
      Column("smallest weight") { $0.figures.leastWeight.short },
      Column("asymmetry") { $0.figures.asymmetry.short }, Column("period") { $0.figures.period },
      Column("shift variance") { $0.figures.shiftVariance.short },
    ])
    return table.text([("across", across), ("down", down)], indent: 2)
  }
}

extension Double {
  /// The number as text. The property `short` gives three significant digits, and `precise` gives five
  /// decimal places.
  fileprivate var short: String { String(format: "%.3g", self) }
  fileprivate var precise: String { String(format: "%.5f", self) }
}
