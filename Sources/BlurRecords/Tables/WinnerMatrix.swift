import Blur
import BlurText

/// Shows ``Winners`` as a table with a row for each format and size and a column for each sigma.
public struct WinnerMatrix {
  private let winners: Winners

  /// Creates the table from records in any order.
  public init(_ records: [Record]) { winners = Winners(records) }

  /// Whether the table is empty.
  public var isEmpty: Bool { winners.workloads.isEmpty }

  /// Returns a sentence about the most frequent winner, followed by the table, at most 100 columns wide.
  ///
  /// - Parameter colour: Whether to show single winners in green and ties in yellow.
  public func text(colour: Bool) -> String {
    isEmpty ? "" : verdict + "\n\n" + blocks(colour).joined(separator: "\n\n") + "\n"
  }

  /// A sentence that states how wide the confidence intervals of the times are, or an empty string if there
  /// are no times.
  public var precision: String {
    let spreads = winners.cells.values.map { $0.spread * 100 }
    guard let median = Statistics.median(spreads), let most = spreads.max() else { return "" }
    return "The median interval of these times is ±\(median.fixed(1)) %, and the widest is "
      + "±\(most.fixed(1)) %."
  }

  private var verdict: String {
    [winners.verdict.first, winners.verdict.others].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The verdict and the table as Markdown, or an empty string if there are no results.
  public var markdown: String {
    isEmpty ? "" : verdict.markdown + "\n\n" + Table([title] + sigmas).markdown(rows) + "\n"
  }

  /// The rows of the table. Each one holds the workloads that differ only in sigma.
  private var rows: [[Workload]] { winners.workloads.inGroups(by: \.row).map(\.elements) }

  private let title = Column<[Workload]> { $0.first?.rowTitle }

  /// The columns of the table, one for each sigma. Single winners are green, and ties are yellow.
  private var sigmas: [Column<[Workload]>] {
    Set(winners.workloads.map(\.sigma)).sorted().map { [cells = winners.cells] sigma in
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
  private static func text(_ cell: Winners.Cell?) -> String {
    guard let cell else { return "none" }
    // If three kernels are tied, all three names are shown, because the third name needs hardly more space
    // than "and 1 more".
    let shown = cell.kernels.count == 3 ? 3 : 2
    return "\((cell.time / 1e6).threeDigits) ms \(cell.kernels.prefix(shown).joined(separator: ", "))"
      + (cell.kernels.count > shown ? " and \(cell.kernels.count - shown) more" : "")
  }
}
