import Blur
import BlurComparison
import BlurRecords

/// What a report says before any plot, in sentences: the first is the verdict.
enum ReportVerdict {
  static func sentences(
    _ cases: [ReportCase], of files: [String], _ comparisons: [Comparison], _ histories: [History],
    _ certificates: Certificates
  ) -> [String] {
    let wrong = cases.count { $0.record.errorOccurred }
    let runs = Dictionary(grouping: cases, by: \.file).sorted { $0.key < $1.key }
    // Of many runs, the last says it all.
    let told = runs.suffix(runs.count > 3 ? 1 : 3)
    let sentences: [String?] =
      [wrong > 0 ? "\(wrong) of \(cases.count) cases gave a wrong result." : nil]
      + comparisons.map { comparison in
        let sides = comparisons.count > 1 ? " (\(comparison.base) to \(comparison.head))" : ""
        return "\(comparison.sentence)\(sides)."
      } + histories.filter { $0.trends.contains(where: \.isLongEnough) }.map { $0.sentence + "." }
      + told.map { run in fastest(run.value).map { (runs.count > 1 ? "\(files[run.key]): " : "") + $0 } }
      + [broken(certificates), skipped(cases)]
    return sentences.compactMap(\.self)
  }

  /// Which kernel of one run is fastest most often among those near the Gaussian.
  private static func fastest(_ cases: [ReportCase]) -> String? {
    var best: [[String: String]: (kernel: String, time: Double)] = [:]
    for item in cases where item.isNear {
      guard let time = Statistics.median(item.times) else { continue }
      let workload = item.fields.filter { !["kernel", "isa"].contains($0.key) }
      if time < best[workload]?.time ?? .infinity { best[workload] = (item.kernel, time) }
    }
    let wins = Dictionary(grouping: best.values, by: \.kernel).mapValues(\.count)
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    guard let first = wins.first else { return nil }
    let rest = wins.dropFirst().prefix(3).map { "\($0.key) in \($0.value)" }
    let others = rest.isEmpty ? "" : "; " + rest.joined(separator: ", ")
    return
      "\(first.key) is the fastest within 1 level of the Gaussian in \(first.value) of \(best.count) "
      + "workloads\(others)."
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
  /// Whether the result is within 1 level in 8 bits, or within 10⁻³ of full scale, a quarter of a level.
  fileprivate var isNear: Bool {
    guard let error = record.maxErrorLevels, kernel != Case.memcpy else { return false }
    return error <= (fields["format"]?.hasSuffix("8") == true ? 1 : 0.255)
  }
}
