import BlurText

/// The table of the times of frames, for scenes and for blurs that run once per frame.
enum FrameTable {
  static let table = Table<ResultTable.Row>([
    Column("kernel") { $0.item.kernel }, Column("isa") { $0.item.isa.name },
    Column("threads") { $0.item.workload.threads },
    Column("p50 ms", .right) { milliseconds(median($0, \.p50)) },
    Column("p90 ms", .right) { milliseconds(median($0, \.p90)) },
    // Only one column shows a confidence interval: the jitter for blurs that run once per frame, and the 99th
    // percentile for scenes, which have no jitter.
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

  /// An explanation of the figures in the table.
  static let meaning = """

    Figures are medians over the repetitions, followed by their interval in brackets. "max ms" and
    "frames over 8.3 ms" cover all repetitions. A frame at 120 Hz lasts 8.3 ms. p99: 99 of 100 frames
    take at most this long; with fewer than 100 frames, it is the longest frame. jitter: p99 minus p50.
    error: the largest error on this image, in levels (1/255 of full scale). flicker: how much more a
    pixel changes between two frames than it does in the reference, at most, in levels.

    """

  /// Returns the values of one field of the repetitions.
  private static func values(_ row: ResultTable.Row, _ field: (FrameFigures) -> Double?) -> [Double] {
    row.frames.compactMap(field)
  }

  private static func median(_ row: ResultTable.Row, _ field: (FrameFigures) -> Double?) -> Double? {
    Statistics.median(values(row, field))
  }

  private static func most(_ row: ResultTable.Row, _ field: (FrameFigures) -> Double?) -> Double? {
    values(row, field).max()
  }

  /// Returns the median of the times with its confidence interval in milliseconds, such as `1.204
  /// (1.190–1.310)`. The interval is left out if there is only one time.
  private static func interval(_ values: [Double]) -> String? {
    guard let estimate = Estimate(values), let median = milliseconds(estimate.median) else { return nil }
    let ends = [estimate.low, estimate.high].compactMap(milliseconds).joined(separator: "–")
    return median + (values.count > 1 ? " (\(ends))" : "")
  }

  private static func milliseconds(_ nanoseconds: Double?) -> String? {
    nanoseconds.map { ($0 / 1e6).fixed($0 < 1e7 ? 3 : 1) }
  }
}
