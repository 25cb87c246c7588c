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
    guard !isEmpty else { return "" }
    let (titles, columns) = table
    let rows = titles.indices.map { row in
      MarkdownTable.row([titles[row].markdown] + columns.map { $0[row + 1].markdown })
    }
    return verdict.markdown + "\n\n" + MarkdownTable([""] + columns.map { $0[0] }).text(rows) + "\n"
  }

  /// The texts of the table: a title for each row, and one column for each sigma. The first element of a
  /// column is its heading, followed by one text for each row.
  private var table: (titles: [String], columns: [[String]]) {
    let rows = winners.workloads.inGroups(by: \.row)
    let columns = Set(winners.workloads.map(\.sigma)).sorted().map { sigma in
      ["sigma \(sigma.short)"]
        + rows.map { row in row.elements.first { $0.sigma == sigma }.map { text(winners.cells[$0]) } ?? "" }
    }
    return (rows.map { $0.key.rowTitle }, columns)
  }

  /// Returns the table as text, split into several blocks if it is too wide for one.
  private func blocks(_ colour: Bool) -> [String] {
    let (titles, all) = table
    let room = 100 - (titles.map(\.count).max() ?? 0)
    var blocks: [String] = []
    var columns: [[String]] = []
    var used = 0
    for column in all {
      let width = 2 + (column.map(\.count).max() ?? 0)
      if used + width > room, !columns.isEmpty {
        blocks.append(block(titles, columns, colour))
        (columns, used) = ([], 0)
      }
      columns.append(column)
      used += width
    }
    return blocks + [block(titles, columns, colour)]
  }

  private func block(_ titles: [String], _ columns: [[String]], _ colour: Bool) -> String {
    let cells = ([""] + titles).indices.map { row in columns.map { $0[row] } }
    let lines = TextTable.aligned(zip([""] + titles, cells).map { [$0] + $1 })
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard colour else { return lines.joined(separator: "\n") }
    return zip(lines, cells).map(Self.painted).joined(separator: "\n")
  }

  /// Returns the line with its times in colour. The colour codes are inserted after the cells have been
  /// padded, because a terminal does not display them.
  private static func painted(_ line: Substring, _ cells: [String]) -> String {
    var (painted, rest) = ("", line)
    for cell in cells where cell.contains(" ms ") {
      guard let place = rest.firstRange(of: cell) else { continue }
      let tone = cell.contains(",") ? Tone.yellow : .green
      painted += rest[..<place.lowerBound] + tone.paint(cell)
      rest = rest[place.upperBound...]
    }
    return painted + rest
  }

  /// Returns a cell's text, such as `0.104 ms pyramid, simd`.
  private func text(_ cell: Winners.Cell?) -> String {
    guard let cell else { return "none" }
    // If three kernels are tied, all three names are shown, because the third name needs hardly more space
    // than "and 1 more".
    let shown = cell.kernels.count == 3 ? 3 : 2
    return "\((cell.time / 1e6).threeDigits) ms \(cell.kernels.prefix(shown).joined(separator: ", "))"
      + (cell.kernels.count > shown ? " and \(cell.kernels.count - shown) more" : "")
  }
}
