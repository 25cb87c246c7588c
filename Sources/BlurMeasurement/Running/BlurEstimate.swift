import Blur
import BlurRecords

extension PreparedCase {
  /// Estimates how long it takes to blur the whole image of a case, by blurring a few rows in its middle. The
  /// estimate makes it possible to skip a case that would take minutes.
  ///
  /// First, a single row is blurred. If the whole image could take more than twice `limit` seconds, a strip
  /// of several rows is blurred too. The times of the row and of the strip show how much of the time is a
  /// fixed cost of each blur, and how much is proportional to the number of rows. The strip is made larger
  /// until it takes at least twice as long as the single row, because a smaller difference could be noise.
  ///
  /// - Returns: The estimated number of seconds in words, such as "about 12", if it is more than twice the
  ///   limit. The result is nil if the blur is faster or its time cannot be estimated.
  static func secondsBeyondLimit(
    _ item: Case, _ kernel: Kernel, _ input: Image, limit: Double, now: @escaping () -> Double
  ) throws(BlurError) -> String? {
    let layout = item.workload.layout
    let rows = layout.height
    let threads = Double(item.workload.threads)
    // Returns the time in seconds for blurring `count` rows in the middle of the image on one thread.
    let strip = { (count: Int) throws(BlurError) -> Double in
      let region = Region(x: 0, y: (rows - count) / 2, width: layout.width, height: count)
      let buffers = try CaseBuffers(
        input,
        output: ImageLayout(layout.format, width: layout.width, height: count, alpha: layout.alpha),
        isGuarded: false)
      return try PreparedCase(item, kernel, buffers, region: region, threads: 1).seconds(now)
    }
    let first: Double
    do throws(BlurError) { first = try strip(1) } catch .unsupported {
      // A kernel that does not support regions cannot blur single rows, so its time cannot be estimated. The
      // time only becomes known when the whole image is blurred for the first time.
      return nil
    }
    guard rows > 1, first * Double(rows) / threads > 2 * limit else { return nil }
    guard first <= limit else { return "more than \(Int(first))" }
    var (count, time) = (1, first)
    while count < rows, time < 2 * first {
      count = min(rows, count == 1 ? 2 + Int(limit / first) : 4 * count)
      time = try strip(count)
    }
    let perRow = max(0, time - first) / Double(count - 1)
    let whole = first + perRow * Double(rows - 1) / threads
    return whole > 2 * limit ? "about \(Int(whole.rounded()))" : nil
  }
}
