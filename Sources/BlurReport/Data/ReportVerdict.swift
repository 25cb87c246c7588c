import Blur
import BlurComparison
import BlurRecords

/// What a report says before any plot, in sentences: the first is the verdict.
enum ReportVerdict {
  static func sentences(
    _ cases: [ReportCase], _ winners: [(path: String, winners: Winners)], _ comparisons: [Comparison],
    _ histories: [History], _ certificates: Certificates
  ) -> [String] {
    let wrong = cases.count { $0.record.errorOccurred }
    // Of many runs, the last says it all.
    let told = winners.suffix(winners.count > 3 ? 1 : 3)
    let sentences: [String?] =
      [wrong > 0 ? "\(wrong) of \(cases.count) cases gave a wrong result." : nil]
      + comparisons.map { comparison in
        let sides = comparisons.count > 1 ? " (\(comparison.base) to \(comparison.head))" : ""
        return "\(comparison.sentence)\(sides)."
      } + histories.filter { $0.trends.contains(where: \.isLongEnough) }.map { $0.sentence + "." }
      + told.flatMap { run in
        let lines = fastest(run.winners)
        return lines.prefix(1).map { (winners.count > 1 ? "\(run.path): " : "") + $0 } + lines.dropFirst()
      }
      + [broken(certificates), skipped(cases)]
    return sentences.compactMap(\.self)
  }

  /// Which kernels of one run are fastest, and each workload that a plug-in wins.
  private static func fastest(_ winners: Winners) -> [String] {
    guard !winners.cells.isEmpty else { return [] }
    let own = Set(Registry.all.map(\.name))
    let lost = winners.workloads.compactMap { workload in
      winners.cells[workload].flatMap { cell in
        own.isDisjoint(with: cell.kernels) ? "\(workload.fullTitle) (\(cell.kernels[0]))" : nil
      }
    }
    let shown = lost.prefix(12).joined(separator: "; ") + (lost.count > 12 ? "; and others" : "")
    let alone = "Plug-ins alone win \(lost.count) of \(winners.workloads.count): \(shown)."
    let (first, others) = winners.verdict
    return [first, others, lost.isEmpty ? "" : alone].filter { !$0.isEmpty }
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
