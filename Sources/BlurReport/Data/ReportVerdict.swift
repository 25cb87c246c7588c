import Blur
import BlurComparison
import BlurMeasurement

/// What a report says before any plot, in sentences: the first is the verdict.
enum ReportVerdict {
  static func sentences(
    _ cases: [ReportCase], _ comparisons: [Comparison], _ histories: [History],
    _ certificates: Certificates
  ) -> [String] {
    let wrong = cases.count { $0.record.errorOccurred }
    let sentences =
      [wrong > 0 ? "\(wrong) of \(cases.count) cases gave a wrong result." : nil]
      + comparisons.map { "\($0.sentence) (\($0.base) to \($0.head))." } + histories.map { $0.sentence + "." }
      + [fastest(cases), broken(certificates), skipped(cases)]
    return sentences.compactMap(\.self)
  }

  /// Which kernel is fastest most often among those near the Gaussian.
  private static func fastest(_ cases: [ReportCase]) -> String? {
    var best: [[String: String]: (kernel: String, time: Double)] = [:]
    for item in cases where item.isNear {
      guard let time = Statistics.median(item.times) else { continue }
      var workload = item.fields
      (workload["kernel"], workload["isa"], workload["file"]) = (nil, nil, String(item.file))
      if time < best[workload]?.time ?? .infinity { best[workload] = (item.kernel, time) }
    }
    let wins = Dictionary(grouping: best.values, by: \.kernel).mapValues(\.count)
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    guard let first = wins.first else { return nil }
    let rest = wins.dropFirst().prefix(3).map { "\($0.key) in \($0.value)" }
    let others = rest.isEmpty ? "" : "; " + rest.joined(separator: ", ")
    return
      "Within 1 level of the Gaussian (10⁻³ of full scale in 16-bit and float formats), \(first.key) is the "
      + "fastest in \(first.value) of \(best.count) workloads\(others)."
  }

  private static func broken(_ certificates: Certificates) -> String? {
    let rows = certificates.rows
    guard !rows.isEmpty else { return nil }
    let broken = rows.filter { $0["breach"] != nil }
    guard let first = broken.first else { return "No promise is broken by \(rows.count) certificates." }
    return "\(broken.count) of \(rows.count) certificates break a promise, the first of "
      + "\(first["kernel"] ?? "")."
  }

  private static func skipped(_ cases: [ReportCase]) -> String? {
    let skipped = cases.count { $0.record.isSkipped }
    return skipped == 0
      ? nil : "\(skipped) of \(cases.count) cases were skipped, each for a reason given below."
  }
}

extension ReportCase {
  /// Whether the result is within 1 level in 8 bits, or 10⁻³ of full scale.
  fileprivate var isNear: Bool {
    guard let error = record.maxErrorLevels, kernel != Case.memcpy else { return false }
    return error <= (fields["format"]?.hasSuffix("8") == true ? 1 : 0.255)
  }
}
