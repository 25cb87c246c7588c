import Blur
import BlurText
import Foundation

/// The accuracy experiment of P. Getreuer, "A survey of Gaussian convolution algorithms", Image Processing On
/// Line 3 (2013), with the filters of this library's own kernels.
///
/// Each algorithm, on lines of 1000 samples continued half-sample-symmetrically, is a matrix h̃; h is that of
/// the sampled Gaussian cut where 10⁻¹⁵ is left. The number is the largest row sum of |h̃ − h|: by how much a
/// result of samples between −1 and 1 can be off. Deriche's weights are the paper's own, not divided by their
/// sum.
public struct GetreuerTable: Sendable, Codable {
  /// The standard deviations of the paper, in pixels.
  public static let sigmas: [Double] = [1, 2, 5, 10, 20, 50]

  /// One line of the table.
  public struct Row: Sendable, Codable {
    /// Standard deviation in pixels.
    public let sigma: Double
    /// By algorithm: the largest row sum of |h̃ − h|.
    public let errors: [String: Double]
  }

  /// The names of the algorithms in the order of the paper.
  public let algorithms: [String]
  /// One for each sigma.
  public let rows: [Row]

  /// Runs the experiment for `sigmas`.
  public init(sigmas: [Double] = Self.sigmas) {
    let columns = Column.all
    algorithms = columns.map(\.name)
    rows = concurrentMap(sigmas) { sigma in
      let exact = LineOperator(truncatedGaussian: sigma, tolerance: 1e-15)
      let errors = columns.map { ($0.name, $0.matrix(sigma).distance(to: exact)) }
      return Row(sigma: sigma, errors: Dictionary(uniqueKeysWithValues: errors))
    }
  }

  /// The table as text: algorithms down, sigmas across.
  public var text: String {
    let head = ["largest row sum of |h̃ − h|"] + rows.map { "σ = \(Self.short($0.sigma))" }
    let lines = algorithms.map { name in
      [name] + rows.map { String(format: "%.4e", $0.errors[name] ?? .nan) }
    }
    return "Getreuer 2013, N = 1000, half-sample-symmetric\n\n"
      + TextTable.aligned([head] + lines, [.left] + rows.map { _ in .right }) + "\n"
  }

  /// A header line and a line for each algorithm and sigma.
  public var csv: String {
    let lines = algorithms.flatMap { name in
      rows.map { "\(CSVField.quoted(name)),\(Self.short($0.sigma)),\($0.errors[name] ?? .nan)" }
    }
    return (["algorithm,sigma,max_row_sum"] + lines).joined(separator: "\n") + "\n"
  }

  /// The table as one JSON object.
  public func json() throws -> String {
    try JSONDocument.text(of: self)
  }

  private static func short(_ sigma: Double) -> String {
    sigma == sigma.rounded() ? "\(Int(sigma))" : "\(sigma)"
  }
}

/// An algorithm of the table.
private struct Column: Sendable {
  let name: String
  let matrix: @Sendable (_ sigma: Double) -> LineOperator

  init(_ name: String, _ filter: @escaping @Sendable (Double) -> any AxisFilter) {
    self.name = name
    matrix = { LineOperator(filter($0)) }
  }

  init(truncated name: String, tolerance: Double) {
    self.name = name
    matrix = { LineOperator(truncatedGaussian: $0, tolerance: tolerance) }
  }

  static let all =
    [Column(truncated: "FIR, tolerance 1e-2", tolerance: 1e-2)]
    + [3, 4, 5].map { k in Column("box, K = \(k)") { ExtendedBoxFilter(plainSigma: $0, passes: k) } }
    + [3, 4, 5].map { k in Column("extended box, K = \(k)") { ExtendedBoxFilter(sigma: $0, passes: k) } }
    + [3, 4, 5].map { k in Column("SII, K = \(k)") { StackedIntegralsFilter(sigma: $0, boxes: k) } }
    + [Column("Alvarez-Mazorra, K = 4") { AlvarezMazorraFilter(sigma: $0) }]
    + [2, 3, 4].map { k in
      Column("Deriche, K = \(k)") { DericheFilter(sigma: $0, order: k, isNormalized: false) }
    }
    + [3, 4, 5].map { k in
      Column("Vliet-Young-Verbeek, K = \(k)") { VanVlietYoungVerbeekFilter(sigma: $0, order: k) }
    }
}
