import Blur
import BlurText

/// Which kernel is fastest within one level of the true Gaussian: a row for each format and size, a column
/// for each sigma. Scenes and blurs once a frame are left out.
public struct WinnerMatrix {
  /// The fastest kernel of a workload, and those whose intervals overlap with its own.
  struct Cell: Equatable {
    let time: Double
    let winners: [String]
  }

  private var cells: [Workload: Cell] = [:]
  private var order: [Workload] = []
  /// On how many workloads each kernel is fastest or tied.
  private var wins: [String: Int] = [:]

  /// The largest error of a winner on the measured picture, in levels.
  static let bound = 1.0

  /// Finds the winners of records in any order.
  public init(_ records: [Record]) {
    let measured = records.filter { $0.isMeasured && !$0.isCopy }
    let workloads = measured.inGroups { $0.item?.workload }
    for (workload, records) in workloads where !workload.isOfFrames {
      let times = records.inGroups(by: \.item).compactMap {
        item, records -> (kernel: String, time: Estimate)? in
        guard records.compactMap(\.maxErrorLevels).max() ?? .infinity <= Self.bound else { return nil }
        return Estimate(records.compactMap(\.realTime)).map { (item.kernel, $0) }
      }.sorted { $0.time.median < $1.time.median }
      order.append(workload)
      cells[workload] = times.first.map { fastest in
        var winners: [String] = []
        for entry in times where entry.time.low <= fastest.time.high && !winners.contains(entry.kernel) {
          winners.append(entry.kernel)
        }
        for kernel in winners { wins[kernel, default: 0] += 1 }
        return Cell(time: fastest.time.median, winners: winners)
      }
    }
  }

  /// Whether there is nothing to show.
  public var isEmpty: Bool { order.isEmpty }

  /// The verdict in a sentence, then the matrix; at most 100 columns wide.
  ///
  /// - Parameter colour: whether single winners are green, and ties yellow.
  public func text(colour: Bool) -> String {
    isEmpty ? "" : verdict + "\n\n" + blocks(colour).joined(separator: "\n\n") + "\n"
  }

  /// The verdict and the matrix as Markdown; empty where there is nothing to show.
  public var markdown: String {
    guard !isEmpty else { return "" }
    let (titles, columns) = table
    let rows = titles.indices.map { row in
      MarkdownTable.row([titles[row].markdown] + columns.map { $0[row + 1].markdown })
    }
    return verdict.markdown + "\n\n" + MarkdownTable([""] + columns.map { $0[0] }).text(rows) + "\n"
  }

  /// Which kernel wins how often.
  var verdict: String {
    let missing = order.count { cells[$0] == nil }
    let nothing =
      "In \(missing) of \(order.count) workloads no kernel is within 1 level of the true Gaussian."
    let ranked = wins.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    guard let first = ranked.first else { return nothing }
    let others = ranked.dropFirst().map { "\($0.key) in \($0.value)" }
    let count = order.count == 1 ? "1 workload" : "\(order.count) workloads"
    let also = others.isEmpty ? "" : "; " + others.joined(separator: ", ")
    let sentence =
      "\(first.key) is fastest or tied in \(first.value) of \(count), within 1 level of the true "
      + "Gaussian\(also)."
    return missing == 0 ? sentence : sentence + "\n" + nothing
  }

  // MARK: The matrix

  /// The rows' titles, and for each sigma its title and a cell for each row.
  private var table: (titles: [String], columns: [[String]]) {
    let rows = order.inGroups(by: \.row)
    let columns = Set(order.map(\.sigma)).sorted().map { sigma in
      ["sigma \(sigma.short)"]
        + rows.map { row in row.elements.first { $0.sigma == sigma }.map { text(cells[$0]) } ?? "" }
    }
    return (rows.map { $0.key.rowTitle }, columns)
  }

  /// The matrix, in several blocks where it is too wide for one.
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

  /// The line with its times in colour: padding is counted before, for terminals do not show the codes.
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

  /// Such as `0.104 ms pyramid, simd`.
  private func text(_ cell: Cell?) -> String {
    guard let cell else { return "none" }
    let shown = cell.winners.prefix(2).joined(separator: ", ")
    return "\((cell.time / 1e6).threeDigits) ms \(shown)"
      + (cell.winners.count > 2 ? " +\(cell.winners.count - 2)" : "")
  }
}

extension Workload {
  /// The workload with a sigma in place of its own: what the cells of a row have in common.
  fileprivate var row: Workload {
    var row = self
    row.sigma = 0
    return row
  }

  fileprivate var rowTitle: String {
    "\(imageTitle)\(edge == .clamp ? "" : ", \(edge.name)")" + (threads > 1 ? ", \(threads) threads" : "")
  }
}
