import Blur
import BlurText
import Foundation

/// The record of a certificate, or of the reason why there is none.
public struct CertificateRow: Codable, Sendable {
  /// The names of the kernel, instruction set, format and edge mode that were certified, and sigma as text.
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
    /// Whether the kernel is separable, linear but not separable, nonlinear, or gives different results for
    /// the same image.
    public let kind: Linearity
    /// The width and height of the images in pixels.
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
    self.init(certificate.kernel, certificate.subject, violation: certificate.violation, certificate)
  }

  /// Creates the record of a kernel and conditions for which no certificate was made, with the reason.
  public init(_ kernel: Kernel, _ subject: Subject, skipped: String) {
    self.init(kernel, subject, skipped: skipped, nil)
  }

  /// Creates the row of a kernel that failed while it was being certified.
  public init(_ kernel: Kernel, _ subject: Subject, failure: String) {
    self.init(kernel, subject, violation: failure, nil)
  }

  private init(
    _ kernel: Kernel, _ subject: Subject, violation: String? = nil, skipped: String? = nil,
    _ certificate: Certificate?
  ) {
    self.kernel = kernel.name
    (isa, format, edge) = (subject.instructionSet.name, subject.format.rawValue, subject.edgeName)
    (sigma, promise) = (subject.sigma.spelled, kernel.promise.description)
    (self.violation, self.skipped) = (violation, skipped)
    figures = certificate.map {
      Figures(
        kind: $0.linearity, side: $0.side, worst: $0.worst, specified: $0.specified, adversary: $0.adversary,
        across: $0.across, down: $0.down, place: $0.place, note: $0.note)
    }
  }

  /// A Boolean value that indicates whether the kernel breaks its promise or failed, or the measured error of
  /// the worst-case image differs from the prediction.
  public var isFailure: Bool { violation != nil || figures?.adversary?.agrees == false }
}

extension CertificateRow {
  /// The names of the columns of the CSV file.
  static let columns =
    [
      "kernel", "isa", "format", "sigma", "edge", "kind", "certified_levels", "uncertainty_levels",
      "specified_levels", "worst_x", "worst_y", "predicted_levels", "measured_levels",
    ] + ["across", "down"].flatMap { axis in AxisFigures.columns.map { "\(axis)_\($0)" } } + [
      "promise", "violation", "skipped", "note",
    ]

  /// The values of ``columns`` in the same order. Missing values are empty.
  var fields: [String] {
    func text(_ value: (some CustomStringConvertible)?) -> String { value?.description ?? "" }
    let (worst, adversary, axes) = (figures?.worst, figures?.adversary, figures?.axes ?? [])
    let none = AxisFigures.columns.map { _ in "" }
    return [kernel, isa, format, sigma, edge, text(figures?.kind.rawValue)]
      + [text(worst?.levels), text(worst?.uncertainty), text(figures?.specified?.levels)]
      + [text(worst?.x), text(worst?.y), text(adversary?.predicted), text(adversary?.measured)]
      + (axes.isEmpty ? none + none : axes.flatMap(\.fields))
      + [promise, text(violation), text(skipped), text(figures?.note)]
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
    if promise == Promise.nothing.description { return "there is no promise to keep" }
    return figures.worst == nil && figures.specified == nil ? "not certified" : "kept"
  }
}

extension CertificateRow {
  /// The titles of the table columns for the values that ``line`` returns.
  static let lineColumns = [
    "kernel", "format", "sigma", "edge", "isa", "kind", "worst case", "±", "vs own definition",
    "achieved sigma", "promise",
  ]

  /// The cells that a text table shows for this record: only its most important values.
  var line: [String] {
    let sigmas = figures?.axes.map(\.achievedSigma.precise) ?? []
    return [kernel, format, sigma, edge, isa, figures?.kind.rawValue ?? ""]
      + [figures?.worst?.levels.inLevels ?? "", figures?.worst?.uncertainty.short ?? ""]
      + [figures?.specified?.levels.inLevels ?? "", Set(sigmas).sorted().joined(separator: "x")]
      + [violation.map { "BROKEN: \($0)" } ?? promise]
  }
}

extension CertificateRow.Figures {
  /// The kernel's measured characteristics along rows and along columns. The array is empty if the kernel is
  /// not linear, because such a kernel cannot be described by weights.
  fileprivate var axes: [AxisFigures] { [.separable, .planar].contains(kind) ? [across, down] : [] }

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
        + (adversary.agrees ? "" : ", WHICH DOES NOT AGREE")
    }
  }

  fileprivate var table: String? {
    guard !axes.isEmpty else { return nil }
    let header = [
      "  axis", "worst", "l1", "achieved sigma", "sigma ratio", "smallest sum", "largest sum",
      "smallest weight", "asymmetry", "period", "shift variance",
    ]
    let rows = zip(["  across", "  down"], axes).map { name, axis in
      [
        name, axis.worstLevels.short, axis.l1.short, axis.achievedSigma.precise,
        axis.sigmaRatio?.precise ?? "", axis.leastSum.precise, axis.greatestSum.precise,
        axis.leastWeight.short, axis.asymmetry.short, "\(axis.period)", axis.shiftVariance.short,
      ]
    }
    return TextTable.aligned([header] + rows)
  }
}

extension AxisFigures {
  /// The column names that belong to ``fields``.
  fileprivate static let columns = [
    "period", "worst_levels", "worst_at", "l1", "achieved_sigma", "sigma_ratio", "least_sum", "greatest_sum",
    "least_weight", "asymmetry_levels", "shift_variance_levels",
  ]

  fileprivate var fields: [String] {
    let numbers = [
      l1, achievedSigma, sigmaRatio ?? .nan, leastSum, greatestSum, leastWeight, asymmetry, shiftVariance,
    ]
    return ["\(period)", "\(worstLevels)", "\(worstAt)"] + numbers.map { $0.isNaN ? "" : "\($0)" }
  }
}

extension Double {
  /// The number as text. The property `short` gives three significant digits, and `precise` gives five
  /// decimal places.
  fileprivate var short: String { String(format: "%.3g", self) }
  fileprivate var precise: String { String(format: "%.5f", self) }
}
