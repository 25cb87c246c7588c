import BlurText

/// Formats the times of frames as text tables, for scenes and for blurs that run once per frame.
enum FrameTable {
  /// Returns a heading and a line for each case.
  static func lines(_ rows: [ResultTable.Row]) -> [String] {
    let heading = [
      "kernel", "isa", "threads", "p50 ms", "p90 ms", "p99 ms", "max ms", "jitter ms",
      "p99 / 8.3 ms", "frames over 8.3 ms",
      "first frame ms", "memory MiB", "allocated bytes", "error", "flicker",
    ]
    let measured = rows.filter { !$0.times.isEmpty }.map(fields)
    // The table omits a column if no row has a value in it. For example, only blurs that run once per frame
    // have a jitter, and only scenes have a flicker.
    let shown = heading.indices.filter { column in column < 3 || measured.contains { !$0[column].isEmpty } }
    let table = TextTable.aligned(
      ([heading] + measured).map { fields in [" "] + shown.map { fields[$0] } },
      [.left, .left, .left, .left] + shown.dropFirst(3).map { _ in .right })
    let others = rows.filter(\.times.isEmpty).map { row in
      "  \(row.item.kernel) \(row.item.isa.name) \(row.item.workload.threads)  \(row.reason)"
    }
    return table.split(separator: "\n").map(String.init) + others
  }

  /// An explanation of the figures in the table.
  static let meaning = """

    Figures are medians over the repetitions, followed by their interval in brackets. "max ms" and
    "frames over 8.3 ms" cover all repetitions. A frame at 120 Hz lasts 8.3 ms. p99: 99 of 100 frames
    take at most this long; with fewer than 100 frames, it is the longest frame. jitter: p99 minus p50.
    error: the largest error on this image, in levels (1/255 of full scale). flicker: how much more a
    pixel changes between two frames than it does in the reference, at most, in levels.

    """

  private static func fields(_ row: ResultTable.Row) -> [String] {
    let frames = row.frames
    let median = { (field: (FrameFigures) -> Double?) in Statistics.median(frames.compactMap(field)) }
    let most = { (field: (FrameFigures) -> Double?) in frames.compactMap(field).max() }
    // Only one column of this table shows a confidence interval. For blurs that run once per frame, it is the
    // column of the jitter. For scenes, it is the column of the 99th percentile.
    let jitters = frames.compactMap(\.jitter)
    let (p99, jitter) =
      jitters.isEmpty
      ? (interval(frames.compactMap(\.p99)), "") : (milliseconds(median(\.p99)), interval(jitters))
    let over = frames.compactMap(\.over120)
    return [
      row.item.kernel, row.item.isa.name, String(row.item.workload.threads),
      milliseconds(median(\.p50)), milliseconds(median(\.p90)), p99, milliseconds(most(\.longest)), jitter,
      median(\.share120).map { ResultTable.number($0 * 100, 0) + " %" } ?? "",
      over.isEmpty ? "" : String(over.reduce(0, +)), milliseconds(median(\.first)),
      most { $0.heldBytes.map(Double.init) }.map { ResultTable.number($0 / 1_048_576, 0) } ?? "",
      most { $0.allocatedBytes.map(Double.init) }.map { ResultTable.number($0, 0) } ?? "",
      row.record.maxErrorLevels.map { ResultTable.number($0, 0) } ?? "",
      most(\.flickerLevels).map { ResultTable.number($0, 0) } ?? "",
    ]
  }

  /// Returns the median of the times with its confidence interval in milliseconds, such as `1.204
  /// (1.190–1.310)`. The interval is left out if there is only one time.
  private static func interval(_ values: [Double]) -> String {
    guard let estimate = Estimate(values) else { return "" }
    let ends = [estimate.low, estimate.high].map(milliseconds).joined(separator: "–")
    return milliseconds(estimate.median) + (values.count > 1 ? " (\(ends))" : "")
  }

  private static func milliseconds(_ nanoseconds: Double?) -> String {
    nanoseconds.map { ResultTable.number($0 / 1e6, $0 < 1e7 ? 3 : 1) } ?? ""
  }
}
