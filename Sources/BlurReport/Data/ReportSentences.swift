import Blur
import BlurComparison
import BlurRecords
import BlurText

// The sentences at the top of a report. Wrong results come first, then the verdicts of comparisons and the
// fastest kernels.
extension ReportData {
  /// The maximum number of runs that the sentences at the top of the report describe. The tables below the
  /// sentences contain all runs.
  private static let most = 3
  /// The maximum length of an error message in the report's sentences, in characters. Longer messages are cut
  /// off.
  private static let longest = 200

  /// Returns the sentences at the top of a report.
  ///
  /// - Parameter runs: The benchmark runs, most important first. Only the first run is described in full.
  static func sentences(
    _ cases: [ReportCase], _ runs: [ReportRun], _ comparisons: [Comparison], _ histories: [History],
    _ certificates: Certificates
  ) -> [String] {
    let measured = cases.count { !$0.times.isEmpty }
    let verdicts =
      comparisons.map { sentence($0, isOne: comparisons.count == 1) }
      + histories.filter { $0.trends.contains(where: \.isLongEnough) }.map { $0.sentence + "." }
      + told(runs.filter { !$0.winners.workloads.isEmpty }) + runs.flatMap(\.sentencesOnScenes)
    let count = "\(measured) \(measured == 1 ? "case was" : "cases were") measured."
    let sentences: [String?] =
      [wrong(cases)] + verdicts
      + [verdicts.isEmpty && measured > 0 ? count : nil, broken(certificates), skipped(cases)]
    return sentences.compactMap(\.self)
  }

  /// Returns a sentence with the number of wrong blurs and the error message of the first one, or nil if no
  /// blur is wrong.
  private static func wrong(_ cases: [ReportCase]) -> String? {
    let blurs = cases.filter { !$0.record.isCopy }
    let wrong = blurs.filter(\.record.errorOccurred)
    guard let first = wrong.first else { return nil }
    let place = first.record.item.map { " on \($0.workload.fullTitle)" } ?? ""
    let message = first.record.errorMessage
    let reason = message.count > longest ? message.prefix(longest - 1) + "…" : message[...]
    return "\(wrong.count) of \(blurs.count) cases gave a wrong result"
      + "\(wrong.count > 1 ? ", the first" : ""): \(first.kernel)\(place): \(reason)."
  }

  /// Returns sentences that describe benchmark runs. The first run is described in full. Every other run gets
  /// a single line, which begins with the run's file name.
  private static func told(_ runs: [ReportRun]) -> [String] {
    let sentences = runs.prefix(most).enumerated().flatMap { index, run -> [String] in
      let lines = run.sentences
      guard runs.count > 1 else { return lines }
      let isFirst = index == 0
      let of = "These figures are from \(run.name), which has the most workloads of \(runs.count) runs."
      return isFirst
        ? lines.prefix(1) + [of] + lines.dropFirst() : ["\(run.name): \(lines.joined(separator: " "))"]
    }
    let rest = runs.count - most
    return sentences + (rest > 0 ? ["The tables below have \(rest) more \(rest == 1 ? "run" : "runs")."] : [])
  }

  /// Returns a sentence with the outcome of a comparison and the largest change that it found.
  private static func sentence(_ comparison: Comparison, isOne: Bool) -> String {
    let sides = isOne ? "" : " (\(comparison.base) to \(comparison.head))"
    return comparison.sentence + sides + (largest(of: comparison).map { "; \($0)." } ?? ".")
  }

  /// Returns a sentence about the largest change in a comparison, or nil if nothing changed. If anything
  /// became slower, only the slowdowns are considered.
  private static func largest(of comparison: Comparison) -> String? {
    let changed = [Verdict.regressed, .improved].lazy.map { verdict in
      comparison.cases.filter { $0.verdict == verdict && $0.ratio != nil && $0.faults.isEmpty }
    }.first { !$0.isEmpty }
    let effect = { (item: CaseComparison) in max(item.ratio?.estimate ?? 1, 1 / (item.ratio?.estimate ?? 1)) }
    guard let item = changed?.max(by: { effect($0) < effect($1) }), let ratio = item.ratio,
      let named = try? Case(name: item.name)
    else { return nil }
    return "the largest change: \(named.kernel) takes \(ratio.estimate.fixed(2))x as long "
      + "(\(ratio.low.fixed(2)) to \(ratio.high.fixed(2))) on \(named.workload.fullTitle)"
  }

  private static func broken(_ certificates: Certificates) -> String? {
    let rows = certificates.rows
    guard !rows.isEmpty else { return nil }
    let broken = rows.filter { $0["violation"] != nil }
    guard let first = broken.first else {
      let made = rows.count { $0["certified_levels"] != nil || $0["specified_levels"] != nil }
      let rest = rows.count - made
      return "No promise is broken in \(made.of("certificate"))"
        + (rest > 0 ? "; \(rest) more could not be made." : ".")
    }
    return "\(broken.count) of \(rows.count) certificates break a promise; the first one is for kernel "
      + "\(first["kernel"] ?? "")."
  }

  private static func skipped(_ cases: [ReportCase]) -> String? {
    let blurs = cases.filter { !$0.record.isCopy }
    let skipped = blurs.count { $0.record.isSkipped }
    return skipped == 0
      ? nil : "\(skipped) of \(blurs.count) cases were skipped; the reasons are given below."
  }
}
