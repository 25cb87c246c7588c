import Blur
import BlurText

/// The results as text tables. Cases that blur the same image in the same way form a block, in which they are
/// sorted by median time.
public struct ResultTable {
  /// One row of the table, with the results of one case.
  private struct Row {
    let item: Case
    let record: Record
    /// The wall times of all repetitions in nanoseconds.
    let times: [Double]
    let memcpyRatio: Estimate?
    /// The frame times and related figures, with one element for each repetition.
    let frames: [FrameFigures]

    /// The median of the times with its interval, or nil if the case has no time.
    var time: Estimate? { Estimate(times) }
    /// The word SKIPPED or WRONG, followed by the reason why the case has no time.
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
      (picture, rows.sorted { ($0.time?.median ?? .infinity) < ($1.time?.median ?? .infinity) })
    }
  }

  /// The number of lines that the table needs.
  public var lineCount: Int { blocks.reduce(0) { $0 + $1.rows.count + 3 } }

  /// The part of the table that is about scenes and about blurs that run once per frame.
  public var ofFrames: ResultTable { filtered { $0.isOfFrames } }

  /// The part of the table that is about ordinary blurs, without scenes and without blurs that run once per
  /// frame.
  public var ofBlurs: ResultTable { filtered { !$0.isOfFrames } }

  private func filtered(_ keeps: (Workload) -> Bool) -> ResultTable {
    var table = self
    table.blocks = blocks.filter { keeps($0.picture) }
    return table
  }

  /// The table as text, followed by an explanation of the columns. If a case has no time, the reason is
  /// shortened so that the line has at most 100 columns.
  public var text: String {
    blocks.map { block in
      let (timed, others) = (block.rows.filter { !$0.times.isEmpty }, block.rows.filter(\.times.isEmpty))
      let lines =
        block.picture.isOfFrames
        ? Self.frameTable.withoutEmptyColumns(timed).lines(timed, indent: 2)
        : Self.table.lines(timed, indent: 2)
      let reasons = Self.reasons.lines(others, indent: 2).map(Self.cut)
      return ([block.picture.title] + lines + reasons).map { $0 + "\n" }.joined()
    }.joined(separator: "\n") + meaning
  }

  /// Returns the line, shortened with an ellipsis if it is longer than 100 columns.
  private static func cut(_ line: String) -> String { line.count <= 100 ? line : line.prefix(99) + "…" }

  /// An explanation of the columns that appear in the table.
  private var meaning: String {
    let hasFrames = blocks.contains { $0.picture.isOfFrames }
    let hasBlurs = blocks.contains { !$0.picture.isOfFrames }
    return (hasFrames ? Self.frameMeaning : "") + (hasBlurs ? Self.intervals : "")
  }

  private static let table = Table<Row>([
    Column("kernel") { $0.item.kernel }, Column("isa") { $0.item.isa.name },
    Column("threads", .right) { $0.item.workload.threads },
    Column("median ms", .right) { row in row.time.map { milliseconds($0.median, as: $0.median) } },
    Column("interval", .right) { row in
      row.time.map { time in
        [time.low, time.high].map { milliseconds($0, as: time.median) }.joined(separator: "–")
      }
    },
    Column("x memcpy", .right) { $0.memcpyRatio?.interval },
    Column("error", .right) { $0.record.maxErrorLevels?.fixed(3) },
  ])

  /// The table of the cases without a time.
  private static let reasons = Table<Row>([
    Column { $0.item.kernel }, Column { $0.item.isa.name }, Column { $0.item.workload.threads },
    Column { $0.reason },
  ])

  /// An explanation of the intervals and of the columns for single blurs.
  private static let intervals = """

    Intervals describe the medians of this run only (95 % confidence from 6 samples on, otherwise the
    range of all samples); another run may differ by more. x memcpy: the time relative to the fastest
    copy of the image on any number of threads. error: the largest error on this image, in levels
    (1/255 of full scale).

    """

  /// Returns a time in milliseconds as text.
  ///
  /// - Parameter other: The time that determines the number of decimals: the larger it is, the fewer decimals
  ///   are shown. For the ends of an interval, pass the median, so that all three numbers have the same
  ///   number of decimals.
  private static func milliseconds(_ nanoseconds: Double, as other: Double) -> String {
    let size = other / 1e6
    return (nanoseconds / 1e6).fixed(size < 0.1 ? 5 : size < 10 ? 3 : size < 100 ? 2 : 1)
  }
}

// The table of frame times, for scenes and for blurs that run once per frame.
extension ResultTable {
  private static let frameTable = Table<Row>([
    Column("kernel") { $0.item.kernel }, Column("isa") { $0.item.isa.name },
    Column("threads") { $0.item.workload.threads },
    Column("p50 ms", .right) { milliseconds(median($0, \.p50)) },
    Column("p90 ms", .right) { milliseconds(median($0, \.p90)) },
    // This column shows a confidence interval only for scenes. For blurs that run once per frame, the column
    // with the jitter shows a confidence interval instead. Scenes have no jitter.
    Column("p99 ms", .right) {
      values($0, \.jitter).isEmpty ? interval(values($0, \.p99)) : milliseconds(median($0, \.p99))
    },
    Column("max ms", .right) { milliseconds(most($0, \.longest)) },
    Column("jitter ms", .right) { interval(values($0, \.jitter)) },
    Column("p99 / 8.3 ms", .right) { row in median(row, \.share120).map { ($0 * 100).fixed(0) + " %" } },
    Column("frames over 8.3 ms", .right) { row in
      let over = row.frames.compactMap(\.over120)
      return over.isEmpty ? nil : over.reduce(0, +)
    },
    Column("first frame ms", .right) { milliseconds(median($0, \.first)) },
    Column("memory MiB", .right) { row in
      row.frames.compactMap(\.heldBytes).max().map { (Double($0) / 1_048_576).fixed(0) }
    },
    Column("allocated bytes", .right) { $0.frames.compactMap(\.allocatedBytes).max() },
    Column("error", .right) { $0.record.maxErrorLevels?.fixed(0) },
    Column("flicker", .right) { most($0, \.flickerLevels)?.fixed(0) },
  ])

  /// An explanation of the columns about frames.
  private static let frameMeaning = """

    Figures are medians over the repetitions, followed by their interval in brackets. "max ms" and
    "frames over 8.3 ms" cover all repetitions. A frame at 120 Hz lasts 8.3 ms. p99: 99 of 100 frames
    take at most this long; with fewer than 100 frames, it is the longest frame. jitter: p99 minus p50.
    error: the largest error on this image, in levels (1/255 of full scale). flicker: the largest
    difference, in levels, between the change of a pixel from one frame to the next and its change in
    the exact reference.

    """

  /// Returns the values of one field of ``FrameFigures`` for all repetitions of a case.
  private static func values(_ row: Row, _ field: (FrameFigures) -> Double?) -> [Double] {
    row.frames.compactMap(field)
  }

  private static func median(_ row: Row, _ field: (FrameFigures) -> Double?) -> Double? {
    Statistics.median(values(row, field))
  }

  private static func most(_ row: Row, _ field: (FrameFigures) -> Double?) -> Double? {
    values(row, field).max()
  }

  /// Returns the median of the times with its confidence interval in milliseconds, such as `1.204
  /// (1.190–1.310)`. The interval is left out if there is only one time.
  private static func interval(_ values: [Double]) -> String? {
    guard let estimate = Estimate(values), let median = milliseconds(estimate.median) else { return nil }
    let ends = [estimate.low, estimate.high].compactMap { milliseconds($0) }.joined(separator: "–")
    return median + (values.count > 1 ? " (\(ends))" : "")
  }

  private static func milliseconds(_ nanoseconds: Double?) -> String? {
    nanoseconds.map { ($0 / 1e6).fixed($0 < 1e7 ? 3 : 1) }
  }
}
