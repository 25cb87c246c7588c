import Blur
import Foundation

/// An approximation that takes a fifth of a code away: too little for any promise to notice.
enum DarkApproximation: Mutant {
  static let promise = Promise.approximation(levels: 50)
  static func mutate(_ blur: inout PlainBlur) {
    let fifth = blur.format.component == .float32 ? 0.2 / 255 : 0.2
    blur.finish = { $0 - fifth }
  }
}

/// An approximation half a pixel to the right, which its promise allows.
enum OffCentreApproximation: Mutant {
  static let promise = Promise.approximation(levels: 50)
  static func mutate(_ blur: inout PlainBlur) { OffCentre.mutate(&blur) }
}

/// Makes 0 of what is no number.
enum SwallowsNaN: Mutant {
  static func mutate(_ blur: inout PlainBlur) { blur.finish = { $0.isFinite ? $0 : 0 } }
}

/// Windows that end at 1000 pixels.
enum ShortAtGreatSigmas: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.weight = { abs($0) > 1000 ? 0 : exp(-pow(Double($0) / $1, 2) / 2) }
  }
}

/// The library's `simd`, and a pixel in the last row of results above 16 MiB that is not written.
struct WrongWhereHuge: BlurKernel {
  let name = "WrongWhereHuge"
  let summary = "deliberately wrong"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    HugePlan(try Registry.kernel(named: "simd").plan(problem), problem)
  }
}

private final class HugePlan: Plan {
  let facts: PlanFacts
  private let plan: any Plan
  private let region: Region
  private let isHuge: Bool

  init(_ plan: any Plan, _ problem: BlurProblem) {
    (self.plan, facts, region) = (plan, plan.facts, problem.region)
    isHuge = region.width * region.height * problem.layout.format.bytesPerPixel > 16 << 20
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: BlurBuffers) {
    plan.run(phase, units, buffers)
    guard isHuge, units.contains(region.height - 1) else { return }
    // SAFETY: the row holds the region's pixels.
    buffers.destination.row(region.height - 1).storeBytes(of: 1, toByteOffset: 70, as: UInt8.self)
  }
}
