import Blur
import BlurRecords

/// Whether one blur would take far too long, found out on a few rows: a kernel that would take minutes is
/// not waited for.
struct BlurEstimate {
  /// How many seconds one blur takes, in words, where that is more than twice the limit.
  let beyondLimit: String?

  /// Blurs one row, and where that looks slow, as many more as fit into `limit` seconds. Two strips tell the
  /// cost of a row apart from what a kernel spends on the whole image whatever it is asked for; as long as
  /// they take much the same, the second one grows, for their difference is noise.
  init(
    _ item: Case, _ kernel: Kernel, _ input: Image, _ stopwatch: some Stopwatch, limit: Double
  ) throws(BlurError) {
    let rows = item.workload.layout.height
    let threads = Double(item.workload.threads)
    let strip = { (count: Int) throws(BlurError) in
      try Self.seconds(count, item, kernel, input, stopwatch)
    }
    let first: Double
    do throws(BlurError) { first = try strip(1) } catch .unsupported {
      // Kernels without regions show their cost with the first whole blur.
      beyondLimit = nil
      return
    }
    guard rows > 1, first * Double(rows) / threads > 2 * limit else {
      beyondLimit = nil
      return
    }
    guard first <= limit else {
      beyondLimit = "more than \(Int(first))"
      return
    }
    var (count, time) = (1, first)
    while count < rows, time < 2 * first {
      count = min(rows, count == 1 ? 2 + Int(limit / first) : 4 * count)
      time = try strip(count)
    }
    let perRow = max(0, time - first) / Double(count - 1)
    let whole = first + perRow * Double(rows - 1) / threads
    beyondLimit = whole > 2 * limit ? "about \(Int(whole.rounded()))" : nil
  }

  /// The time of the `count` rows in the middle on one thread.
  private static func seconds(
    _ count: Int, _ item: Case, _ kernel: Kernel, _ input: Image, _ stopwatch: some Stopwatch
  ) throws(BlurError) -> Double {
    let layout = item.workload.layout
    let strip = Region(x: 0, y: (layout.height - count) / 2, width: layout.width, height: count)
    let buffers = try CaseBuffers(
      input, output: ImageLayout(layout.format, width: layout.width, height: count), isGuarded: false)
    return try PreparedCase(item, kernel, buffers, region: strip, threads: 1).seconds(stopwatch)
  }
}
