import Blur
import BlurRecords
import BlurVerification

/// Which rows of an output are checked against the truth. All of them, where that is fast.
public enum RowSample {
  /// Above this many million pixels times sigma, a sample is checked: the truth is slow by design.
  static let limit = 1.0
  /// Rows chosen at random in a sample.
  static let random = 24

  /// The rows to check, or nil for all: the first and last, those where the rows of `threads` threads
  /// meet, and some random ones, the same in every run.
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
