import Blur
import BlurRecords

/// An estimate of how long one blur of a case takes, made by blurring only a few rows. A case that would take
/// minutes is recognised in this way and need not be run.
struct BlurEstimate {
  /// The estimated number of seconds for one blur as a text, such as "about 12". It is nil if the estimate is
  /// at most twice the time limit for a blur, or if there is no estimate.
  let beyondLimit: String?

  /// Estimates the time of a blur by blurring one row of the image. If that is slow, a strip with as many
  /// more rows as fit into `limit` seconds is blurred too.
  ///
  /// The kernel may need a fixed time for the whole image, even if only a part of the image is requested. Two
  /// strips of different heights are needed to separate this fixed time from the time per row. If both strips
  /// take about the same time, their difference is only noise, so the second strip is made larger.
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
      // A kernel that does not support regions cannot blur single rows, so its time cannot be estimated. The
      // time becomes known with the first blur of the whole image.
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

  /// Returns the time in seconds for blurring `count` rows in the middle of the image on one thread.
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
