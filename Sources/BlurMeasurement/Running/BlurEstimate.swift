import Blur
import BlurRecords

/// An estimate of how long one blur of a case takes, made by blurring only a few rows. A case that would take
/// minutes is recognised in this way and need not be run.
struct BlurEstimate {
  /// The estimated number of seconds for one blur as a text, such as "about 12", if it is more than twice the
  /// time limit. The value is nil for a faster blur, and for a blur whose time cannot be estimated.
  let beyondLimit: String?

  /// Estimates how long it takes to blur the whole image, by blurring a few rows in its middle.
  ///
  /// First, a single row is blurred. If the whole image could take more than twice `limit` seconds, a strip
  /// of several rows is blurred too. The two times show how much of the time is a fixed cost of each blur,
  /// and how much depends on the number of rows. The strip is made larger until it takes twice as long as the
  /// single row, because a smaller difference could be noise.
  init(
    _ item: Case, _ kernel: Kernel, _ input: Image, limit: Double, now: @escaping () -> Double
  ) throws(BlurError) {
    let rows = item.workload.layout.height
    let threads = Double(item.workload.threads)
    let strip = { (count: Int) throws(BlurError) in
      try Self.seconds(count, item, kernel, input, now)
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
    _ count: Int, _ item: Case, _ kernel: Kernel, _ input: Image, _ now: () -> Double
  ) throws(BlurError) -> Double {
    let layout = item.workload.layout
    let strip = Region(x: 0, y: (layout.height - count) / 2, width: layout.width, height: count)
    let buffers = try CaseBuffers(
      input, output: ImageLayout(layout.format, width: layout.width, height: count), isGuarded: false)
    return try PreparedCase(item, kernel, buffers, region: strip, threads: 1).seconds(now)
  }
}
