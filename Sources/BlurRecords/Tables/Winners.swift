import Blur
import BlurText

/// The fastest accurate kernel for each workload. Interface scenes, and blurs that run once per frame of a
/// screen, are left out.
public struct Winners: Sendable {
  /// The fastest kernel on a workload, and the kernels that are tied with it because the confidence intervals
  /// of their times overlap.
  public struct Cell: Equatable, Sendable {
    /// The median time of the fastest kernel in nanoseconds.
    public let time: Double
    /// The distance from the median to the farther end of its confidence interval, as a fraction of the
    /// median.
    public let spread: Double
    /// The fastest kernel, followed by the kernels that are tied with it.
    public let kernels: [String]
    /// The fastest of the kernels that are not tied with the winner, and its time divided by the winner's
    /// time. Both properties are nil if no such kernel exists.
    public let runnerUp: String?, lead: Estimate?
  }

  /// The workloads, in the order of the records.
  public private(set) var workloads: [Workload] = []
  /// The winner of each workload. A workload on which no kernel is accurate enough has no entry.
  public private(set) var cells: [Workload: Cell] = [:]

  /// Finds the winners from records in any order.
  ///
  /// Only kernels that are accurate enough can win: their largest error on the test image must be at most 1
  /// level, or 10⁻³ of full scale in 16-bit and float formats.
  public init(_ records: [Record]) {
    let measured = records.filter { $0.isMeasured && !$0.isCopy }
    for (workload, records) in measured.inGroups(by: { $0.item?.workload }) where !workload.isOfFrames {
      workloads.append(workload)
      cells[workload] = Cell(records)
    }
  }

  /// The number of workloads on which each kernel is fastest or tied.
  public var wins: [String: Int] {
    cells.values.flatMap(\.kernels).reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// A summary of the results in two parts. `first` is a sentence about the kernel that wins most often.
  /// `others` contains sentences about the other kernels and about workloads without a winner. A part is
  /// empty if there is nothing to say.
  public var verdict: (first: String, others: String) {
    let near =
      "within 1 level of the true Gaussian" + (isDeep ? " (10⁻³ of full scale in 16 bits and float)" : "")
    let missing = workloads.count { cells[$0] == nil }
    let nothing = "In \(missing) of \(workloads.count) workloads, no kernel is \(near)."
    let ranked = wins.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    guard let first = ranked.first else { return (workloads.isEmpty ? "" : nothing, "") }
    let count = workloads.count.of("workload")
    let others = ranked.dropFirst().map { "\($0.key) in \($0.value)" }.joined(separator: ", ")
    let sentences = [
      others.isEmpty ? nil : "Also fastest or tied: \(others).", missing == 0 ? nil : nothing,
    ]
    return (
      "\(first.key) is fastest or tied in \(first.value) of \(count), among the kernels \(near).",
      sentences.compactMap(\.self).joined(separator: " ")
    )
  }

  /// Whether any workload has 16-bit or float pixels. If so, the verdict also states the largest error that a
  /// winner may have in these formats: 10⁻³ of full scale.
  private var isDeep: Bool { workloads.contains { $0.layout.format.component != .uint8 } }
}

// The winners as a table, with a row for each format and size and a column for each sigma.
extension Winners {
  /// Returns a sentence about the kernel that wins most often, followed by the table, which is at most 100
  /// columns wide.
  ///
  /// - Parameter colour: Whether to show single winners in green and ties in yellow.
  public func text(colour: Bool) -> String {
    workloads.isEmpty ? "" : verdictLines + "\n\n" + blocks(colour).joined(separator: "\n\n") + "\n"
  }

  /// A sentence that states how wide the confidence intervals of the times are, or an empty string if there
  /// are no times.
  public var precision: String {
    let spreads = cells.values.map { $0.spread * 100 }
    guard let median = Statistics.median(spreads), let most = spreads.max() else { return "" }
    return "The median interval of these times is ±\(median.fixed(1)) %, and the widest is "
      + "±\(most.fixed(1)) %."
  }

  private var verdictLines: String {
    [verdict.first, verdict.others].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The verdict and the table as Markdown, or an empty string if there are no results.
  public var markdown: String {
    workloads.isEmpty ? "" : verdictLines.markdown + "\n\n" + Table([title] + sigmas).markdown(rows) + "\n"
  }

  /// The rows of the table. Each row consists of the workloads that differ only in sigma.
  private var rows: [[Workload]] { workloads.inGroups(by: \.row).map(\.elements) }

  private var title: Column<[Workload]> { Column { $0.first?.rowTitle } }

  /// The columns of the table, one for each sigma. Single winners are green, and ties are yellow.
  private var sigmas: [Column<[Workload]>] {
    Set(workloads.map(\.sigma)).sorted().map { [cells] sigma in
      let workload = { @Sendable (row: [Workload]) in row.first { $0.sigma == sigma } }
      return Column(
        "sigma \(sigma.short)",
        tone: { row in
          workload(row).flatMap { cells[$0] }.map { $0.kernels.count > 1 ? .yellow : .green }
        }, { row in workload(row).map { Self.text(cells[$0]) } })
    }
  }

  /// Returns the table as text, split into several blocks if it is too wide for one.
  private func blocks(_ colour: Bool) -> [String] {
    let room = 100 - title.width(rows)
    var blocks: [[Column<[Workload]>]] = []
    var used = 0
    for column in sigmas {
      let width = 2 + column.width(rows)
      if blocks.isEmpty || used + width > room {
        blocks.append([])
        used = 0
      }
      blocks[blocks.count - 1].append(column)
      used += width
    }
    return blocks.map { Table([title] + $0).lines(rows, colour: colour).joined(separator: "\n") }
  }

  /// Returns a cell's text, such as `0.104 ms pyramid, simd`.
  private static func text(_ cell: Cell?) -> String {
    guard let cell else { return "none" }
    // If exactly three kernels are tied, all three names are shown, because the third name takes hardly more
    // space than "and 1 more". If more are tied, only two names are shown.
    let shown = cell.kernels.count == 3 ? 3 : 2
    return "\((cell.time / 1e6).threeDigits) ms \(cell.kernels.prefix(shown).joined(separator: ", "))"
      + (cell.kernels.count > shown ? " and \(cell.kernels.count - shown) more" : "")
  }
}

extension Winners.Cell {
  /// Finds the winner among the records of one workload, or returns nil if no kernel is accurate enough.
  fileprivate init?(_ records: [Record]) {
    let times = records.inGroups(by: \.item).compactMap {
      item, records -> (kernel: String, time: Estimate)? in
      guard let levels = records.compactMap(\.maxErrorLevels).max(),
        Ranking.Quality(levels: levels, format: item.workload.layout.format).isNear
      else { return nil }
      return Estimate(records.compactMap(\.realTime)).map { (item.kernel, $0) }
    }.sorted { $0.time.median < $1.time.median }
    guard let fastest = times.first?.time else { return nil }
    let tied = times.filter { $0.time.low <= fastest.high }.map(\.kernel)
    kernels = tied.uniqued
    let behind = times.first { [kernels] in !kernels.contains($0.kernel) }
    time = fastest.median
    spread = max(fastest.high / fastest.median - 1, 1 - fastest.low / fastest.median)
    runnerUp = behind?.kernel
    lead = behind.map { $0.time / fastest }
  }
}

extension Workload {
  /// A copy of the workload with sigma set to 0. All workloads in the same row of the table have equal
  /// copies.
  public var row: Workload {
    var row = self
    row.sigma = 0
    return row
  }

  /// The title of the table row to which the workload belongs.
  public var rowTitle: String {
    "\(imageTitle)\(edge == .clamp ? "" : ", \(edge.name)")" + (mask.map { ", mask \($0.rawValue)" } ?? "")
      + (threads > 1 ? ", \(threads) threads" : "") + (pace == .warm ? "" : ", \(pace.rawValue)")
  }
}
