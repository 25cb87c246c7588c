import Blur
import Foundation

/// The results as text tables: a block for each image and blur, with its cases sorted by median time.
public struct ResultTable {
  /// One row of the table, with the results of one case.
  struct Row {
    let item: Case
    let record: Record
    /// The wall times of all repetitions in nanoseconds.
    let times: [Double]
    let memcpyRatio: Estimate?
    /// The measured values about frames, with one element for each repetition.
    let frames: [FrameFigures]

    var median: Double? { Statistics.median(times) }
    /// The reason why the case has no time.
    var reason: String { "\(record.isSkipped ? "SKIPPED" : "WRONG"): \(record.errorMessage)" }
  }

  private var blocks: [(picture: Workload, rows: [Row])]

  /// Creates the table from records in any order. Rows without a valid case name are left out.
  public init(_ records: [Record]) {
    let rows = records.inGroups(by: \.item).map { item, records in
      let measured = records.filter(\.isMeasured)
      return Row(
        item: item, record: records[0], times: measured.compactMap(\.realTime),
        memcpyRatio: Estimate(ratioToMemcpy: measured), frames: measured.map(\.frames))
    }
    blocks = rows.inGroups { $0.item.workload.picture }.map { picture, rows in
      (picture, rows.sorted { ($0.median ?? .infinity) < ($1.median ?? .infinity) })
    }
  }

  /// The number of lines that the table needs.
  public var lineCount: Int { blocks.reduce(0) { $0 + $1.rows.count + 3 } }

  /// The part of the table about scenes and blurs that run once per frame.
  public var ofFrames: ResultTable { filtered { $0.isOfFrames } }

  /// The part of the table about ordinary blurs. Scenes and blurs that run once per frame are left out.
  public var ofBlurs: ResultTable { filtered { !$0.isOfFrames } }

  private func filtered(_ keeps: (Workload) -> Bool) -> ResultTable {
    var table = self
    table.blocks = blocks.filter { keeps($0.picture) }
    return table
  }

  /// The table as text, at most 100 columns wide, followed by an explanation of the columns.
  public var text: String {
    blocks.map { block in
      let lines =
        block.picture.isOfFrames ? FrameTable.lines(block.rows) : [Self.heading] + block.rows.map(line)
      return ([block.picture.title] + lines).map { $0 + "\n" }.joined()
    }.joined(separator: "\n") + meaning
  }

  /// An explanation of the columns that appear in the table.
  private var meaning: String {
    let hasFrames = blocks.contains { $0.picture.isOfFrames }
    let hasBlurs = blocks.contains { !$0.picture.isOfFrames }
    return (hasFrames ? FrameTable.meaning : "") + (hasBlurs ? Self.intervals : "")
  }

  private static let columns: [(title: String, width: Int)] = [
    ("kernel", -22), ("isa", -8), ("threads", 7), ("median ms", 9), ("interval", 15), ("x memcpy", 13),
    ("error", 9),
  ]

  /// An explanation of the intervals and of the columns for single blurs.
  private static let intervals = """

    Intervals describe the medians of this run only (95 % confidence from 6 samples on, otherwise the
    range of all samples); another run may differ by more. x memcpy: the time relative to the fastest
    copy of the image on any number of threads. error: the largest error on this image, in levels
    (1/255 of full scale).

    """

  private static let heading = "  " + aligned(columns.map(\.title))

  private func line(_ row: Row) -> String {
    let threads = row.item.workload.threads
    let start = [row.item.kernel, row.item.isa.name, "\(threads)"]
    guard let time = Estimate(row.times) else {
      return Self.cut("  " + Self.aligned(start) + "  " + row.reason)
    }
    let ends = [time.low, time.high].map { Self.milliseconds($0, as: time.median) }
    return "  "
      + Self.aligned(
        start + [
          Self.milliseconds(time.median), ends.joined(separator: "–"), row.memcpyRatio?.interval ?? "",
          row.record.maxErrorLevels.map { Self.number($0, 3) } ?? "",
        ])
  }

  /// Returns a time in milliseconds as text. A larger time gets fewer decimals.
  ///
  /// - Parameter other: A time that determines the number of decimals instead. The ends of an interval pass
  ///   their median here, so that all three numbers have equally many decimals.
  private static func milliseconds(_ nanoseconds: Double?, as other: Double? = nil) -> String {
    guard let nanoseconds else { return "" }
    let size = (other ?? nanoseconds) / 1e6
    return number(nanoseconds / 1e6, size < 0.1 ? 5 : size < 10 ? 3 : size < 100 ? 2 : 1)
  }

  static func number(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }

  /// Returns the line, shortened with an ellipsis if it is longer than 100 columns.
  private static func cut(_ line: String) -> String { line.count <= 100 ? line : line.prefix(99) + "…" }

  /// Pads the fields to the widths of the columns and joins them to a line. A negative width means that the
  /// column is left-aligned.
  private static func aligned(_ fields: [String]) -> String {
    let line = zip(columns, fields).map { column, field in
      let space = String(repeating: " ", count: max(0, abs(column.width) - field.count))
      return column.width < 0 ? field + space : space + field
    }.joined(separator: " ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}
