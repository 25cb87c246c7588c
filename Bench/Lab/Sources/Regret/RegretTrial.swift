import Blur
import BlurMeasurement
import BlurRecords
import BlurVerification
import Foundation

/// A randomly chosen workload and the largest error that is accepted.
struct RegretTrial {
  let workload: Workload
  let bound: ErrorBound

  /// Returns `count` random workloads, each with a largest accepted error. The same seed always gives the
  /// same workloads.
  ///
  /// They cover all pixel formats, and images of many shapes from a thumbnail to a megapixel. The widths and
  /// heights are odd. The sigmas are random, so they differ from the round values that the benchmark suites
  /// use. Most workloads use one thread and the edge mode `clamp`.
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
      edge: Int.random(in: 0..<4, using: &random) == 0 ? EdgeMode.allCases.drawn(using: &random) : .clamp)
    // The smallest error bound, in levels, that kernels promise in this format. It is 1 level if no bound is
    // known.
    let finest = Promise.exact().bound(for: format) ?? 1
    bound = .levels([1, 1, 3, finest, max(finest, 0.255)].drawn(using: &random))
  }

  /// Returns the kernels whose promised error is small enough for this workload. Each kernel is listed once
  /// for each of its instruction sets.
  func candidates(_ kernels: [Kernel]) -> [LikelyKernel] {
    workload.candidates(kernels).filter { $0.bound <= bound.levels }
  }

  /// Returns the kernel that the library would choose for this workload. The `chooser` decides by estimated
  /// or by measured times.
  func choice(_ chooser: Chooser) throws(BlurError) -> LikelyKernel.Name {
    let choice = try chooser.choices(
      for: workload.layout, try workload.parameters(isa: .best), within: bound, threads: workload.threads)[0]
    return LikelyKernel.Name(kernel: choice.kernel.name, isa: choice.instructionSet)
  }

  /// Returns the kernel that is picked by ``Regret/Method/null``, the method that ignores all times. This is
  /// the last of the candidates, with its widest instruction set.
  func nullChoice(_ candidates: [LikelyKernel]) throws(BlurError) -> LikelyKernel.Name {
    guard let last = candidates.last else {
      throw .noKernel(within: bound.levels, format: workload.layout.format)
    }
    return last.name
  }
}

extension Array {
  /// Returns a random element of the array, which must not be empty.
  fileprivate func drawn(using random: inout SplitMix64) -> Element {
    self[Int.random(in: indices, using: &random)]
  }
}
