import BlurText
import Foundation

extension Comparison {
  /// Returns the comparison as one JSON object. It contains the stored properties of the comparison, with
  /// keys in snake_case, and also `outcome` and `sentence`.
  ///
  /// Numbers that are not finite are left out.
  public func json() throws -> String {
    try JSONDocument.text(of: Document(comparison: finite))
  }

  /// The comparison as CSV, with one line for each case.
  public var csv: String { Self.csvTable.csv(finite.cases) }

  private static let csvTable = Table<CaseComparison>([
    Column("name") { $0.name.plain }, Column("verdict") { $0.verdict.rawValue },
    Column("faults") { item in
      item.faults.map { ($0.isAccepted ? "accepted: " : "") + "\($0.kind.rawValue): \($0.reason)".plain }
        .joined(separator: "; ")
    },
    Column("ratio") { $0.ratio?.estimate }, Column("ratio_low") { $0.ratio?.low },
    Column("ratio_high") { $0.ratio?.high }, Column("control") { $0.control?.estimate },
    Column("control_low") { $0.control?.low }, Column("control_high") { $0.control?.high },
    Column("p") { $0.p }, Column("pairs") { $0.pairs },
    Column("smallest_detectable") { $0.smallestDetectable },
    Column("instruction_ratio") { $0.instructionRatio }, Column("base_ns") { $0.base.time },
    Column("head_ns") { $0.head.time }, Column("base_max_error_levels") { $0.base.maxErrorLevels },
    Column("head_max_error_levels") { $0.head.maxErrorLevels },
    Column("base_output_hash") { $0.base.outputHash?.plain },
    Column("head_output_hash") { $0.head.outputHash?.plain },
    Column("base_problem") { $0.base.problem?.plain }, Column("head_problem") { $0.head.problem?.plain },
    Column("threshold") { $0.threshold }, Column("caveat") { $0.caveat?.plain },
  ])

  /// A copy of the comparison with nil in place of infinite and NaN numbers, because JSON cannot represent
  /// them.
  private var finite: Comparison {
    var copy = self
    copy.noise = noise.finite
    copy.cases = cases.map(\.finite)
    return copy
  }
}

/// The content of the JSON document: the stored values of a comparison, its outcome, and the sentence that
/// states the outcome.
private struct Document: Encodable {
  let comparison: Comparison

  private enum Key: String, CodingKey { case outcome, sentence }

  func encode(to encoder: any Encoder) throws {
    try comparison.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(comparison.outcome, forKey: .outcome)
    try container.encode(comparison.sentence, forKey: .sentence)
  }
}

extension CaseComparison {
  fileprivate var finite: CaseComparison {
    var copy = self
    copy.ratio = ratio.flatMap(\.finite)
    copy.control = control.flatMap(\.finite)
    copy.p = p.finite
    copy.threshold = threshold.finite
    copy.smallestDetectable = smallestDetectable.finite
    copy.instructionRatio = instructionRatio.finite
    copy.base = base.finite
    copy.head = head.finite
    return copy
  }
}

extension CaseComparison.Side {
  fileprivate var finite: Self {
    var copy = self
    copy.time = time.finite
    copy.maxErrorLevels = maxErrorLevels.finite
    copy.instructions = instructions.finite
    return copy
  }
}

extension Ratio {
  fileprivate var finite: Ratio? { [estimate, low, high].allSatisfy(\.isFinite) ? self : nil }
}

extension Double? {
  fileprivate var finite: Double? { flatMap { $0.isFinite ? $0 : nil } }
}
