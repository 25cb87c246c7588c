import Blur
import BlurRecords
import BlurVerification
import Foundation

/// A workload that no tuning has seen, and the error that is accepted.
struct RegretTrial {
  let workload: Workload
  let bound: ErrorBound

  /// So many trials, the same for the same seed: any format, odd sizes of any aspect from a thumbnail to a megapixel,
  /// sigmas between those of suites, mostly one thread and clamped edges.
  static func list(count: Int, seed: UInt64, cores: Int) -> [RegretTrial] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in RegretTrial(&random, cores: cores) }
  }

  private init(_ random: inout SplitMix64, cores: Int) {
    let format = PixelFormat.allCases.randomElement(using: &random)!
    let pixels = exp(Double.random(in: log(600.0)...log(1.0e6), using: &random))
    let aspect = exp(Double.random(in: -log(6.0)...log(6.0), using: &random))
    let width = Int((pixels * aspect).squareRoot()) | 1
    let height = Int((pixels / aspect).squareRoot()) | 1
    // From 600 to a million pixels, no side shorter than ten: always a layout.
    let layout = try! ImageLayout(format, width: width, height: height)
    let sigma = exp(Double.random(in: log(0.4)...log(120.0), using: &random))
    workload = Workload(
      threads: Int.random(in: 0..<3, using: &random) == 0 ? cores : 1,
      layout: layout,
      sigma: (sigma * 100).rounded() / 100,
      edge: Int.random(in: 0..<4, using: &random) == 0 ? EdgeMode.all.randomElement(using: &random)! : .clamp)
    // What the kernels of this format promise at their best, or a level.
    let finest = Promise.exact().bound(for: format)!
    bound = .levels([1, 1, 3, finest, max(finest, 0.255)].randomElement(using: &random)!)
  }
}
