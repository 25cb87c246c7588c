import Blur
import BlurRecords
import BlurVerification
import Foundation

/// A workload drawn at random, and the error that is accepted.
struct RegretTrial {
  let workload: Workload
  let bound: ErrorBound

  /// `count` trials, the same for the same seed: any format, odd sizes of any aspect from a thumbnail to a
  /// megapixel, sigmas between those of suites, mostly one thread and clamped edges.
  static func list(count: Int, seed: UInt64, cores: Int) throws(BlurError) -> [RegretTrial] {
    var random = SplitMix64(seed: seed)
    var trials: [RegretTrial] = []
    for _ in 0..<count { trials.append(try RegretTrial(&random, cores: cores)) }
    return trials
  }

  private init(_ random: inout SplitMix64, cores: Int) throws(BlurError) {
    let format = PixelFormat.allCases.drawn(using: &random)
    let pixels = exp(Double.random(in: log(600.0)...log(1.0e6), using: &random))
    let aspect = exp(Double.random(in: -log(6.0)...log(6.0), using: &random))
    let width = Int((pixels * aspect).squareRoot()) | 1
    let height = Int((pixels / aspect).squareRoot()) | 1
    let layout = try ImageLayout(format, width: width, height: height)
    let sigma = exp(Double.random(in: log(0.4)...log(120.0), using: &random))
    workload = Workload(
      threads: Int.random(in: 0..<3, using: &random) == 0 ? cores : 1,
      layout: layout,
      sigma: (sigma * 100).rounded() / 100,
      edge: Int.random(in: 0..<4, using: &random) == 0 ? EdgeMode.all.drawn(using: &random) : .clamp)
    // What the kernels of this format promise at their best, or a level.
    let finest = Promise.exact().bound(for: format) ?? 1
    bound = .levels([1, 1, 3, finest, max(finest, 0.255)].drawn(using: &random))
  }
}

extension Array {
  /// One of the elements, of which there is at least one.
  fileprivate func drawn(using random: inout SplitMix64) -> Element {
    self[Int.random(in: indices, using: &random)]
  }
}

extension RegretTrial {
  /// The kernels that keep the bound.
  func candidates(_ kernels: [Kernel]) -> [LikelyKernel] {
    workload.candidates(kernels).filter { $0.bound <= bound.levels }
  }

  /// What a chooser takes.
  func choice(_ chooser: Chooser) throws(BlurError) -> LikelyKernel.Name {
    let choice = try chooser.choices(
      for: workload.layout, try workload.parameters(isa: .best), within: bound, threads: workload.threads)[0]
    return LikelyKernel.Name(kernel: choice.kernel.name, isa: choice.instructionSet)
  }

  /// The last of the list that keeps the bound, with the widest instruction set: see ``Regret/Method/null``.
  func nullChoice(_ candidates: [LikelyKernel]) throws(BlurError) -> LikelyKernel.Name {
    guard let last = candidates.last else {
      throw .noKernel(within: bound.levels, format: workload.layout.format)
    }
    return last.name
  }
}
