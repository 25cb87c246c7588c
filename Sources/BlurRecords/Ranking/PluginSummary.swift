import BlurText

/// A summary of how the kernels of plug-ins compare with the fastest kernels. The table of winners does not
/// show this, because it lists only the fastest kernels.
public struct PluginSummary {
  private let records: [Record], names: [String]

  /// Creates a summary from the records of a run, in any order, and the names of the plug-ins' kernels.
  public init(_ records: [Record], of names: [String]) { (self.records, self.names) = (records, names) }

  /// The summary as text, with a few lines for each kernel that has records.
  public var text: String {
    let (ranking, winners) = (Ranking(records), Winners(records))
    return names.compactMap { name in
      let own = records.filter { $0.item?.kernel == name }
      guard let first = own.first(where: \.errorOccurred) ?? own.first else { return nil }
      guard let score = ranking.scores.first(where: { $0.kernel == name }) else {
        return "\(name) was not timed: \(first.errorOccurred ? "WRONG: " : "")\(first.errorMessage)\n"
      }
      let count = winners.workloads.count
      let wins = "\(winners.wins[name] ?? 0) of \(count.of("workload"))"
      return """
        \(name) (\(score.caveats)) is fastest or tied in \(wins):
          it takes \(score.slowdown.median.fixed(2)) times as long as the fastest kernel on average, and at \
        most \(score.worst.fixed(2)) times as long (\(score.worstWorkload))

        """
    }.joined()
  }
}
