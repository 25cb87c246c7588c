import Blur
import Foundation

/// The tables that a person reads: a block for each picture, its cases by median time, and a summary.
public struct ResultTable {
  /// One case of a block.
  struct Row {
    let item: Case
    let record: Record
    /// Wall times in nanoseconds.
    let times: [Double]
    let memcpyRatio: Estimate?

    var median: Double? { Statistics.median(times) }
    /// Why there is no time.
    var reason: String { "\(record.isSkipped ? "SKIPPED" : "WRONG"): \(record.errorMessage)" }
  }

  private let blocks: [(picture: Workload, rows: [Row])]
  private let promise: (String) -> Promise?

  /// Arranges records of any order; rows whose names are not cases are left out.
  ///
  /// - Parameter promise: what the kernel of a name promises.
  public init(_ records: [Record], promise: @escaping (String) -> Promise?) {
    self.promise = promise
    let rows = records.inGroups(by: \.item).map { item, records in
      let measured = records.filter(\.isMeasured)
      return Row(
        item: item, record: records[0], times: measured.compactMap(\.realTime),
        memcpyRatio: Estimate(ratioToMemcpy: measured))
    }
    blocks = rows.inGroups { $0.item.workload.picture }.map { picture, rows in
      (picture, rows.sorted { ($0.median ?? .infinity) < ($1.median ?? .infinity) })
    }
  }

  /// All blocks and the summary, at most 100 columns wide.
  public var text: String {
    blocks.map { block in
      let lines =
        block.picture.scene == nil && block.picture.pace.frameRate == nil
        ? [Self.heading] + block.rows.map(line) : FrameTable.lines(block.rows)
      return ([block.picture.title] + lines).map { $0 + "\n" }.joined()
    }.joined(separator: "\n") + (blocks.isEmpty ? "" : Self.intervals + "\nFastest\n" + summary)
  }

  /// Two lines for each picture: on one thread and on several, the fastest kernel within a level of the truth,
  /// and the fastest of all where that is another.
  public var summary: String {
    blocks.map { block in
      let kernels = block.rows.filter { $0.item.kernel != Case.memcpy && $0.median != nil }
      let single = Self.words(kernels.filter { $0.item.workload.threads == 1 })
      let dispatch = Self.words(kernels.filter { $0.item.workload.threads > 1 })
      let lines = [single, dispatch].compactMap { $0.map { "    \($0)\n" } }
      return "  \(block.picture.title)\n" + (lines.isEmpty ? "    nothing measured\n" : lines.joined())
    }.joined()
  }

  /// The first of `rows`, which are sorted by time, and the first that is within a level.
  private static func words(_ rows: [Row]) -> String? {
    guard let fastest = rows.first else { return nil }
    let close = rows.first { ($0.record.maxErrorLevels ?? .infinity) <= 1 }
    guard let close else { return words(fastest) + "; none within a level" }
    return close.item == fastest.item
      ? words(close) : words(close) + "; regardless of error " + words(fastest)
  }

  private static func words(_ row: Row) -> String {
    let threads = row.item.workload.threads
    let error = row.record.maxErrorLevels.map { ", off by \(number($0, 2))" } ?? ""
    let time = milliseconds(row.median) + (threads == 1 ? " ms" : " ms on \(threads) threads")
    return "\(row.item.kernel) \(time)\(error)"
  }

  private static let columns: [(title: String, width: Int)] = [
    ("kernel", -22), ("isa", -8), ("threads", 7), ("median ms", 9), ("interval", 15), ("x memcpy", 13),
    ("max error", 9), ("promise", -7),
  ]

  /// What the intervals mean.
  private static let intervals = """

    Intervals are those of this run's medians (95 % from 6 samples on, else all samples). Another run
    may be further off. x memcpy: over the fastest copy of the image on any number of threads.

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
          row.record.maxErrorLevels.map { Self.number($0, 3) } ?? "", promised(row),
        ])
  }

  /// `kept`, `spec` where the kernel promises a published definition rather than the Gaussian, or `none`.
  private func promised(_ row: Row) -> String {
    guard let promise = promise(row.item.kernel) else { return "" }
    return switch promise {
    case .exact, .approximation: "kept"
    case .specification: "spec"
    case .nothing: "none"
    }
  }

  /// With as many decimals as another time wants.
  private static func milliseconds(_ nanoseconds: Double?, as other: Double? = nil) -> String {
    guard let nanoseconds else { return "" }
    let size = (other ?? nanoseconds) / 1e6
    return number(nanoseconds / 1e6, size < 0.1 ? 5 : size < 10 ? 3 : size < 100 ? 2 : 1)
  }

  static func number(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }

  /// The line, with an ellipsis where it goes beyond 100 columns.
  private static func cut(_ line: String) -> String { line.count <= 100 ? line : line.prefix(99) + "…" }

  /// The fields side by side: to the left in columns of negative width.
  private static func aligned(_ fields: [String]) -> String {
    let line = zip(columns, fields).map { column, field in
      let space = String(repeating: " ", count: max(0, abs(column.width) - field.count))
      return column.width < 0 ? field + space : space + field
    }.joined(separator: " ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}
