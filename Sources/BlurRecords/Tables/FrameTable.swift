import BlurText

/// The lines of frames in the tables that a person reads, a scene's or blurs once a frame: how long they
/// take, and how they look.
enum FrameTable {
  /// A heading, a line for each case, and what the columns mean.
  static func lines(_ rows: [ResultTable.Row]) -> [String] {
    let heading = [
      "kernel", "isa", "threads", "p50 ms", "p90 ms", "p99 ms", "max ms", "jitter ms",
      "of a 120 Hz frame", "frames over it",
      "first ms", "MiB", "allocated", "error", "flicker",
    ]
    let measured = rows.filter { !$0.times.isEmpty }.map(fields)
    // Scenes have no jitter, and blurs do not flicker.
    let shown = heading.indices.filter { column in column < 3 || measured.contains { !$0[column].isEmpty } }
    let table = TextTable.aligned(
      ([heading] + measured).map { fields in [" "] + shown.map { fields[$0] } },
      [.left, .left, .left, .left] + shown.dropFirst(3).map { _ in .right })
    let others = rows.filter(\.times.isEmpty).map { row in
      "  \(row.item.kernel) \(row.item.isa.name) \(row.item.workload.threads)  \(row.reason)"
    }
    return table.split(separator: "\n").map(String.init) + others
  }

  private static func fields(_ row: ResultTable.Row) -> [String] {
    let frames = row.record.frames
    return [
      row.item.kernel, row.item.isa.name, String(row.item.workload.threads),
      milliseconds(frames.p50), milliseconds(frames.p90), milliseconds(frames.p99),
      milliseconds(frames.longest), milliseconds(frames.jitter),
      frames.share120.map { ResultTable.number($0 * 100, 0) + " %" } ?? "",
      frames.over120.map(String.init) ?? "", milliseconds(frames.first),
      frames.heldBytes.map { ResultTable.number(Double($0) / 1_048_576, 0) } ?? "",
      frames.allocatedBytes.map(String.init) ?? "",
      row.record.maxErrorLevels.map { ResultTable.number($0, 0) } ?? "",
      frames.flickerLevels.map { ResultTable.number($0, 0) } ?? "",
    ]
  }

  private static func milliseconds(_ nanoseconds: Double?) -> String {
    nanoseconds.map { ResultTable.number($0 / 1e6, $0 < 1e7 ? 3 : 1) } ?? ""
  }
}
