import BlurText
import Foundation

extension Comparison {
  /// Returns the comparison as one JSON object. It contains the stored values with keys in snake_case, and
  /// also `outcome` and `sentence`.
  ///
  /// Numbers that are not finite are left out.
  public func json() throws -> String {
    try JSONDocument.text(of: Document(comparison: finite))
  }

  /// The comparison as CSV, with one line for each case.
  public var csv: String {
    let header =
      "name,verdict,faults,ratio,ratio_low,ratio_high,control,control_low,control_high,p,pairs,"
      + "smallest_detectable,instruction_ratio,base_ns,head_ns,base_max_error_levels,head_max_error_levels,"
      + "base_output_hash,head_output_hash,base_problem,head_problem,threshold,caveat"
    let lines = finite.cases.map { item in
      let number = { (value: Double?) in value.map(\.description) ?? "" }
      let ratio = { (ratio: Ratio?) in [ratio?.estimate, ratio?.low, ratio?.high].map(number) }
      let (base, head) = (item.base, item.head)
      let start = [
        item.name, item.verdict.rawValue,
        item.faults.map { ($0.isAccepted ? "accepted: " : "") + "\($0.kind.rawValue): \($0.reason)" }
          .joined(separator: "; "),
      ]
      let numbers = [
        number(item.p), "\(item.pairs)", number(item.smallestDetectable), number(item.instructionRatio),
        number(base.time), number(head.time), number(base.maxErrorLevels), number(head.maxErrorLevels),
      ]
      let words =
        [base.outputHash, head.outputHash, base.problem, head.problem].map { $0 ?? "" }
        + [number(item.threshold), item.caveat ?? ""]
      return (start + ratio(item.ratio) + ratio(item.control) + numbers + words).map(\.plain)
    }
    return header + "\n" + CSVField.lines(lines)
  }

  /// A copy of the comparison in which infinite and NaN numbers are replaced by nil, because JSON cannot
  /// represent them.
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
