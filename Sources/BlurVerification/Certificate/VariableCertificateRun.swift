import Blur
import BlurText
import Foundation

/// A report of certificates for blurs with a variable sigma, as text, CSV or JSON.
extension [VariableCertificate] {
  /// A Boolean value that indicates whether a method exceeds its stated error, or the measured error of a
  /// worst-case image differs from the prediction.
  public var hasFailures: Bool { contains { $0.violation != nil } }

  /// A table of the certificates, followed by a line for each violation.
  public var text: String {
    let table = Table<VariableCertificate>([
      Column("kernel") { $0.kernel }, Column("mask") { $0.mask }, Column("sigma") { $0.sigma },
      Column("edge") { $0.edge }, Column("worst case") { $0.levels.short },
      Column("stated") { $0.stated?.short ?? "none" }, Column("pixel") { "x \($0.x), y \($0.y)" },
      Column("measured") { $0.measured.short },
    ])
    let broken = compactMap { row in
      row.violation.map { "BROKEN: \(row.kernel), mask \(row.mask), sigma \(row.sigma), \(row.edge): \($0)" }
    }
    let side = first?.side ?? 0
    return
      "The largest error over all images of \(side)x\(side) pixels, in levels. The stated error is that of\n"
      + "the mixing only. The mixed blurs add their own errors, so the worst case may be larger.\n"
      + table.text(self) + "\n" + broken.map { $0 + "\n" }.joined()
  }

  /// A CSV table with a header line and a line for each certificate. Missing values are empty.
  public var csv: String {
    Table<VariableCertificate>([
      Column("kernel") { $0.kernel }, Column("mask") { $0.mask }, Column("sigma") { $0.sigma },
      Column("edge") { $0.edge }, Column("side") { $0.side }, Column("certified_levels") { $0.levels },
      Column("stated_levels") { $0.stated }, Column("worst_x") { $0.x }, Column("worst_y") { $0.y },
      Column("measured_levels") { $0.measured }, Column("violation") { $0.violation },
    ]).csv(self)
  }

  /// Returns a JSON array with one object for each certificate.
  public func json() throws -> String { try JSONDocument.text(of: self) }
}

/// The certificates that `blurbench certify --mask` makes: all combinations of methods, masks, sigmas and
/// edge modes.
public struct VariableCertificateRun: Sendable {
  /// The methods, mask shapes, sigmas and edge modes to certify.
  public let methods: [VariableMethod], shapes: [MaskShape], sigmas: [Sigma], edges: [EdgeMode]
  /// The widest instruction set that kernels may use for the blurs that a method mixes.
  public let instructionSet: InstructionSet
  /// The width and height of the images in pixels. A mask of this size with scattered values contains every
  /// value from 0 to 255.
  static let side = 24

  /// Creates a run for all combinations of the arguments.
  public init(
    methods: [VariableMethod], shapes: [MaskShape], sigmas: [Sigma], edges: [EdgeMode],
    instructionSet: InstructionSet
  ) {
    (self.methods, self.shapes, self.sigmas, self.edges) = (methods, shapes, sigmas, edges)
    self.instructionSet = instructionSet
  }

  /// Makes all certificates.
  ///
  /// - Parameter progress: A closure that is called before each certificate with its number and the total
  ///   number.
  /// - Throws: ``Blur/BlurError``.
  public func report(progress: (_ number: Int, _ all: Int) -> Void) throws -> [VariableCertificate] {
    let all = methods.flatMap { method in
      shapes.flatMap { shape in
        sigmas.flatMap { sigma in edges.map { (method, shape, sigma, $0) } }
      }
    }
    return try all.enumerated().map { index, item in
      progress(index + 1, all.count)
      return try VariableCertificate(
        item.0, item.1, sigma: item.2, edge: item.3, instructionSet: instructionSet, side: Self.side)
    }
  }
}

extension Double {
  fileprivate var short: String { String(format: "%.3g", self) }
}
