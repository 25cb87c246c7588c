import Blur
import BlurText
import Foundation

/// A certificate as a record, or why there is none.
public struct CertificateRow: Codable, Sendable {
  /// The case.
  public let kernel: String, isa: String, format: String, sigma: String, edge: String
  /// What the kernel promises, and how it violates that.
  public let promise: String, violation: String?
  /// Why nothing was certified.
  public let skipped: String?
  /// What the certificate says; nil where there is none.
  public let figures: Figures?

  /// The numbers of a certificate.
  public struct Figures: Codable, Sendable {
    /// What kind of operator the kernel is.
    public let kind: Linearity
    /// Width and height of the images.
    public let side: Int
    /// The worst case in the plane, against the Gaussian and against the promised specification.
    public let worst: WorstCase?, specified: WorstCase?
    /// The worst image.
    public let adversary: Certificate.Adversary?
    /// Along rows and columns.
    public let across: AxisFigures, down: AxisFigures
    /// Where the worst case is, as text, and what is not known.
    public let place: String?, note: String?
  }

  /// Makes a row of a certificate.
  public init(_ certificate: Certificate) {
    self.init(certificate.kernel, certificate.subject, violation: certificate.violation, certificate)
  }

  /// Makes a row of a certificate that was not made.
  public init(_ kernel: Kernel, _ subject: Subject, skipped: String) {
    self.init(kernel, subject, skipped: skipped, nil)
  }

  /// Makes a row of a kernel that failed while it was certified.
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

  /// Whether the promise is broken, the kernel failed, or the worst image is not as bad as predicted.
  public var isFailure: Bool { violation != nil || figures?.adversary?.agrees == false }
}

extension CertificateRow {
  /// The columns of a CSV file.
  static let columns =
    [
      "kernel", "isa", "format", "sigma", "edge", "kind", "certified_levels", "uncertainty_levels",
      "specified_levels", "worst_x", "worst_y", "predicted_levels", "measured_levels",
    ] + ["across", "down"].flatMap { axis in AxisFigures.columns.map { "\(axis)_\($0)" } } + [
      "promise", "violation", "skipped", "note",
    ]

  /// The values of ``columns``; missing ones are empty.
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

  /// The certificate as text.
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
    if promise == Promise.nothing.description { return "nothing to keep" }
    return figures.worst == nil && figures.specified == nil ? "not certified" : "kept"
  }
}

extension CertificateRow {
  /// Names of ``line``.
  static let lineColumns = [
    "kernel", "format", "sigma", "edge", "isa", "kind", "worst", "±", "own definition", "achieved sigma",
    "promise",
  ]

  /// What matters most, in short.
  var line: [String] {
    let sigmas = figures?.axes.map(\.achievedSigma.precise) ?? []
    return [kernel, format, sigma, edge, isa, figures?.kind.rawValue ?? ""]
      + [figures?.worst?.levels.inLevels ?? "", figures?.worst?.uncertainty.short ?? ""]
      + [figures?.specified?.levels.inLevels ?? "", Set(sigmas).sorted().joined(separator: "x")]
      + [violation.map { "BROKEN: \($0)" } ?? promise]
  }
}

extension CertificateRow.Figures {
  /// Along rows and columns; empty for a kernel that has no weights.
  fileprivate var axes: [AxisFigures] { [.separable, .planar].contains(kind) ? [across, down] : [] }

  fileprivate var worstLine: String? {
    worst.map {
      "  worst case of any image: \($0.levels.inLevels) (± \($0.uncertainty.short)), at \(place ?? "")"
    }
  }

  fileprivate var specifiedLine: String? {
    specified.map { "  from its own definition: \($0.levels.inLevels) (± \($0.uncertainty.short))" }
  }

  fileprivate var adversaryLine: String? {
    adversary.map { adversary in
      guard let predicted = adversary.predicted else {
        return "  an image built to show a large error: off by \(adversary.measured.inLevels)"
      }
      return
        "  that image, blurred: off by \(adversary.measured.inLevels); predicted: \(predicted.short) "
        + "± \(adversary.allowance.short) for rounding"
        + (adversary.agrees ? "" : ", WHICH DOES NOT AGREE")
    }
  }

  fileprivate var table: String? {
    guard !axes.isEmpty else { return nil }
    let header = [
      "  lines", "worst", "l1", "achieved sigma", "ratio", "least sum", "greatest", "least weight",
      "asymmetry", "period", "shift variance",
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
  /// Names of ``fields``.
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
  /// Three significant digits, and five places.
  fileprivate var short: String { String(format: "%.3g", self) }
  fileprivate var precise: String { String(format: "%.5f", self) }
}
