import BlurText
import Foundation

extension Ranking {
  /// The ranking as text: a table for each workload, then the wrong results, then the means over all
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
    let table = MarkdownTable(Self.meanTitles, Self.meanAlignments)
    let parts = blocks.map { block in
      let rows = zip(block.entries, Self.cells(block)).map { entry, cells in
        MarkdownTable.row(cells.map(\.markdown) + [entry.quality.title])
      }
      return String.folded(block.title, MarkdownTable(Self.titles + ["accuracy"], Self.alignments).text(rows))
    }
    return
      ([
        "The time of each kernel relative to the fastest kernel, as the geometric mean over all workloads.",
        table.text(means.map { MarkdownTable.row($0.map(\.markdown)) }),
      ] + wrong.map(\.line.markdown) + parts + [Self.legend.markdown]).joined(separator: "\n\n") + "\n"
  }

  /// The ranking as CSV, with one line for each kernel and workload.
  public var csv: String {
    let header =
      "workload,threads,quality,kernel,isa,median_ns,ratio,ratio_low,ratio_high,memcpy_ratio,"
      + "memcpy_ratio_low,memcpy_ratio_high,max_error_levels,certified_levels,psnr_db,pareto"
    let lines = blocks.flatMap { block in
      block.entries.map { entry in
        let numbers = [entry.time.median] + Self.fields(entry.ratio) + Self.fields(entry.memcpyRatio)
        return
          [block.workload, "\(block.threads)", entry.quality.rawValue, entry.kernel, entry.isa]
          + (numbers + [entry.maxErrorLevels, entry.certifiedLevels, entry.psnr])
          .map { $0.map { "\($0)" } ?? "" }
          + [entry.isPareto ? "true" : ""]
      }
    }
    return header + "\n" + CSVField.lines(lines)
  }

  /// Returns the ranking as one JSON object.
  public func json() throws -> String {
    try JSONDocument.text(of: self)
  }

  private static func fields(_ estimate: Estimate?) -> [Double?] {
    [estimate?.median, estimate?.low, estimate?.high]
  }

  private static let right = TextTable.Alignment.right

  private static let titles = [
    "Pareto", "kernel", "isa", "x fastest", "interval", "time", "max error", "certified", "PSNR, dB",
  ]
  private static let alignments = [.left, .left, .left, right, right, right, right, right, right]

  private static func cells(_ block: Block) -> [[String]] {
    block.entries.map { entry in
      [
        entry.isPareto ? "*" : "", entry.kernel, entry.isa, entry.ratio.median.fixed(2),
        entry.ratio.interval, "\((entry.time.median / 1e6).threeDigits) ms",
        entry.maxErrorLevels.fixed(2), entry.certifiedLevels?.threeDigits ?? "",
        entry.psnr?.fixed(1) ?? "",
      ]
    }
  }

  private static func table(_ block: Block) -> String {
    let lines = TextTable.aligned([titles] + cells(block), alignments).split(separator: "\n").map(String.init)
    var text = [lines[0]]
    for (index, entry) in block.entries.enumerated() {
      let isFirst = index == 0 || block.entries[index - 1].quality != entry.quality
      text += (isFirst ? [entry.quality.title] : []) + [lines[index + 1]]
    }
    return text.joined(separator: "\n")
  }

  private static let meanTitles = [
    "kernel", "isa", "x fastest", "interval", "worst", "workloads", "accuracy",
  ]
  private static let meanAlignments = [.left, .left, right, right, right, right]

  private var means: [[String]] {
    scores.map { score in
      [
        score.kernel, score.isa, score.slowdown.median.fixed(2), score.slowdown.interval,
        score.worst.fixed(2), "\(score.count) of \(score.all)", score.caveats,
      ]
    }
  }

  private var summary: String {
    """
    The time of each kernel relative to the fastest kernel, as the geometric mean over all workloads
    \(TextTable.aligned([Self.meanTitles] + means, Self.meanAlignments))

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
  fileprivate var title: String { self == .looser ? "larger errors" : rawValue }
}

extension Ranking.Score {
  /// A short text that qualifies the kernel's mean slowdown. It names the accuracy group of the kernel's
  /// least accurate result, and gives the number of workloads on which the kernel has no time, with the
  /// reasons.
  var caveats: String {
    let unmeasured = all - count - skipped - wrong
    let missing = [(skipped, "skipped"), (wrong, "wrong"), (unmeasured, "not measured")]
      .filter { $0.0 > 0 }.map { "\($0.1) on \($0.0.of("workload"))" }
    let group = bound.title + (boundCount < count ? " on \(boundCount) of \(count)" : "")
    return ([group] + missing).joined(separator: "; ")
  }
}
