import BlurText

extension Ranking {
  /// The ranking as text: a table for each workload, then the wrong results, then the mean slowdowns over all
  /// workloads.
  public var text: String {
    let tables = blocks.map { block in
      "\(block.title)\n" + Self.table(block)
    }
    let wrong = self.wrong.map(\.line).joined(separator: "\n")
    guard !tables.isEmpty else { return (self.wrong.isEmpty ? "" : wrong + "\n\n") + "nothing measured\n" }
    return (tables + (self.wrong.isEmpty ? [] : [wrong]) + [summary]).joined(separator: "\n\n") + "\n"
  }

  /// The ranking as Markdown. A table with the mean slowdowns over all workloads comes first, and a collapsed
  /// table for each workload follows.
  public var markdown: String {
    guard !blocks.isEmpty else { return "nothing measured\n" }
    let accuracy = Column<Entry>("accuracy") { $0.quality.title }
    let parts = blocks.map { block in
      String.folded(block.title, Table(Self.columns + [accuracy]).markdown(block.entries))
    }
    return
      ([
        "The time of each kernel relative to the fastest kernel, as the geometric mean over all workloads.",
        Self.means.markdown(scores),
      ] + wrong.map(\.line.markdown) + parts + [Self.legend.markdown]).joined(separator: "\n\n") + "\n"
  }

  /// The ranking as CSV, with one line for each kernel and workload.
  public var csv: String {
    Table<(block: Block, entry: Entry)>([
      Column("workload") { $0.block.workload }, Column("threads") { $0.block.threads },
      Column("quality") { $0.entry.quality.rawValue }, Column("kernel") { $0.entry.kernel },
      Column("isa") { $0.entry.isa }, Column("median_ns") { $0.entry.time.median },
      Column("ratio") { $0.entry.ratio.median }, Column("ratio_low") { $0.entry.ratio.low },
      Column("ratio_high") { $0.entry.ratio.high }, Column("memcpy_ratio") { $0.entry.memcpyRatio?.median },
      Column("memcpy_ratio_low") { $0.entry.memcpyRatio?.low },
      Column("memcpy_ratio_high") { $0.entry.memcpyRatio?.high },
      Column("max_error_levels") { $0.entry.maxErrorLevels },
      Column("certified_levels") { $0.entry.certifiedLevels }, Column("psnr_db") { $0.entry.psnr },
      Column("pareto") { $0.entry.isPareto ? true : nil },
    ]).csv(blocks.flatMap { block in block.entries.map { (block: block, entry: $0) } })
  }

  private static let columns: [Column<Entry>] = [
    Column("Pareto") { $0.isPareto ? "*" : nil }, Column("kernel") { $0.kernel }, Column("isa") { $0.isa },
    Column("x fastest", .right) { $0.ratio.median.fixed(2) },
    Column("interval", .right) { $0.ratio.interval },
    Column("time", .right) { "\(($0.time.median / 1e6).threeDigits) ms" },
    Column("max error", .right) { $0.maxErrorLevels.fixed(2) },
    Column("certified", .right) { $0.certifiedLevels?.threeDigits },
    Column("PSNR, dB", .right) { $0.psnr?.fixed(1) },
  ]

  private static func table(_ block: Block) -> String {
    let lines = Table(columns).lines(block.entries)
    var text = [lines[0]]
    for (index, entry) in block.entries.enumerated() {
      let isFirst = index == 0 || block.entries[index - 1].quality != entry.quality
      text += (isFirst ? [entry.quality.title] : []) + [lines[index + 1]]
    }
    return text.joined(separator: "\n")
  }

  private static let means = Table<Score>([
    Column("kernel") { $0.kernel }, Column("isa") { $0.isa },
    Column("x fastest", .right) { $0.slowdown.median.fixed(2) },
    Column("interval", .right) { $0.slowdown.interval }, Column("worst", .right) { $0.worst.fixed(2) },
    Column("workloads", .right) { "\($0.count) of \($0.all)" }, Column("accuracy") { $0.caveats },
  ])

  private var summary: String {
    """
    The time of each kernel relative to the fastest kernel, as the geometric mean over all workloads
    \(Self.means.text(scores))

    \(Self.legend)
    """
  }

  private static let legend = """
    Pareto: * if no other kernel is better in both time and error. x fastest: the time relative to the
    fastest kernel in the same group or in a more accurate group. max error: the largest error on the image
    that was timed, in levels (1/255 of full scale). certified: the largest error for any image before
    rounding; empty if it was not computed. PSNR: peak signal-to-noise ratio; larger is better.
    A mean can hide a workload on which a kernel is slow, so look at the workload that you need. Means over
    different workloads or of different groups cannot be compared. The groups are based on the largest error
    on one image. Intervals describe this run only (95 % confidence from 6 samples on, otherwise the range of
    all samples); another run may differ by more.
    """
}

extension Ranking.Quality {
  /// The name of the accuracy group in text and Markdown tables. CSV and JSON files contain the raw value
  /// instead.
  fileprivate var title: String {
    switch self {
    case .looser: "larger errors"
    case .suspect: "SUSPECT, unlike the Gaussian"
    default: rawValue
    }
  }
}

extension Ranking.Score {
  /// Caveats about the kernel's mean slowdown: the accuracy group of the kernel's least accurate result, and
  /// the number of workloads on which the kernel has no time, with the reasons.
  var caveats: String {
    let unmeasured = all - count - skipped - wrong
    let missing = [(skipped, "skipped"), (wrong, "wrong"), (unmeasured, "not measured")]
      .filter { $0.0 > 0 }.map { "\($0.1) on \($0.0.of("workload"))" }
    let group =
      bound.title + (boundCount < count ? " on \(boundCount) of \(count)" : "")
      + (doubt.map { ": \($0)" } ?? "")
    return ([group] + missing).joined(separator: "; ")
  }
}

extension [Record] {
  /// Returns a summary of how the kernels from plug-ins compare with the fastest kernels. Each kernel that
  /// has records gets a few lines. The table of winners does not show this, because it lists only the fastest
  /// kernels.
  ///
  /// - Parameter names: The names of the kernels from plug-ins.
  public func summary(ofPlugins names: [String]) -> String {
    let (ranking, winners) = (Ranking(self), Winners(self))
    return names.compactMap { name in
      let own = filter { $0.item?.kernel == name }
      guard let first = own.first(where: \.errorOccurred) ?? own.first else { return nil }
      guard let score = ranking.scores.first(where: { $0.kernel == name }) else {
        return "\(name) was not timed: \(first.errorOccurred ? "WRONG: " : "")\(first.errorMessage)\n"
      }
      let (wins, all) = (winners.wins[name] ?? 0, winners.workloads.count.of("workload"))
      let shortest = ranking.blocks.count { block in
        block.entries.min { $0.time.median < $1.time.median }?.kernel == name
      }
      let verdict =
        shortest <= wins
        ? "is fastest or tied in \(wins) of \(all)"
        : "has the shortest time in \(shortest) of \(all), but is accurate enough to be called the fastest "
          + "in only \(wins)"
      return """
        \(name) (\(score.caveats)) \(verdict):
          it takes \(score.slowdown.median.fixed(2)) times as long as the fastest kernel on average, and at \
        most \(score.worst.fixed(2)) times as long (\(score.worstWorkload))

        """
    }.joined()
  }
}
