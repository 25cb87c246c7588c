import Blur
import BlurRecords
import BlurVerification

/// Selects the rows of an output that are compared with the exact blur. All rows are compared unless that
/// would take too long.
public enum RowSample {
  /// The largest product of megapixels and sigma for which all rows are compared. For a larger product only
  /// some rows are compared, because the reference implementation is slow.
  static let limit = 1.0
  /// The number of rows that are chosen at random when only some rows are compared with the exact blur.
  static let random = 24

  /// Returns the rows to compare, or nil for all rows. The same arguments always give the same rows.
  ///
  /// Each thread blurs a range of rows. The rows to compare are the first and last rows, the rows near at
  /// most 16 of the boundaries between these ranges, and some random rows.
  public static func rows(for layout: ImageLayout, sigma: Double, threads: Int, seed: UInt64) -> [Int]? {
    let cost = Double(layout.pixelCount) * max(sigma, 1) / 1e6
    let height = layout.height
    guard cost > limit, height > 64 else { return nil }
    let seams = (0...threads).map { height * $0 / threads }
    let ends = [0, height]
    var generator = SplitMix64(seed: seed)
    let inner = seams.dropFirst().dropLast().shuffled(using: &generator).prefix(16)
    let nearSeams = (ends + inner).flatMap { Array($0 - 2...$0 + 1) }
    let others = (0..<random).map { _ in Int.random(in: 0..<height, using: &generator) }
    return Set((nearSeams + others).filter { (0..<height).contains($0) }).sorted()
  }
}
