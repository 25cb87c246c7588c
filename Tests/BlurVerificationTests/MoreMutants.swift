import Blur
import Foundation

/// An approximation that subtracts a fifth of a code value, which is too little for any promise to notice.
enum DarkApproximation: Mutant {
  static let promise = Promise.approximation(levels: 50)
  static func mutate(_ blur: inout PlainBlur) {
    let fifth = blur.format.component == .float32 ? 0.2 / 255 : 0.2
    blur.finish = { $0 - fifth }
  }
}

/// An approximation that moves the image half a pixel to the right, which its promise allows.
enum OffCentreApproximation: Mutant {
  static let promise = Promise.approximation(levels: 50)
  static func mutate(_ blur: inout PlainBlur) { OffCentre.mutate(&blur) }
}

/// A kernel that replaces NaN and infinities by 0.
enum SwallowsNaN: Mutant {
  static func mutate(_ blur: inout PlainBlur) { blur.finish = { $0.isFinite ? $0 : 0 } }
}

/// A kernel that cuts windows at a distance of 1000 pixels.
enum ShortAtGreatSigmas: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.weight = { abs($0) > 1000 ? 0 : exp(-pow(Double($0) / $1, 2) / 2) }
  }
}

/// The library's `simd` kernel, except for one pixel in the last row of results above 16 MiB.
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

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    plan.run(phase, units, buffers)
    guard isHuge, units.contains(region.height - 1) else { return }
    // SAFETY: the row holds the pixels of the region, which are more than 70 bytes in the huge images of this
    // property.
    buffers.destination.unsafeRow(region.height - 1).storeBytes(of: 1, toByteOffset: 70, as: UInt8.self)
  }
}

/// The library's `separable` kernel, except that it never reports the last row as finished.
struct KeepsLastRow: BlurKernel {
  let name = "KeepsLastRow"
  let summary = "deliberately wrong"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    ChangedPlan(try Registry.kernel(named: "separable").plan(problem)) { units, buffers in
      let rows = units.clamped(to: 0..<problem.region.height - 1)
      if !rows.isEmpty { buffers.finished(rows) }
    }
  }
}

/// The library's `simd` kernel, except that one pixel is brighter by one unit of 16 bits. That is a hundredth
/// of the promised error.
struct WrongByAUnit: BlurKernel {
  let name = "WrongByAUnit"
  let summary = "deliberately wrong"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let plan = try Registry.kernel(named: "simd").plan(problem)
    guard problem.layout.format.component == .uint16 else { return plan }
    return ChangedPlan(plan) { units, buffers in
      guard units.contains(0), problem.region.x == 0, problem.region.y == 0 else { return }
      // SAFETY: row 0 is among the rows that were just written, so its first component is inside the
      // destination.
      let row = buffers.destination.unsafeRow(0)
      let value = row.loadUnaligned(as: UInt16.self)
      row.storeBytes(of: value == 65_535 ? 65_534 : value + 1, as: UInt16.self)
    }
  }
}

/// The library's `simd` kernel, except that its estimated cost is ten times as high with the edge mode
/// mirror.
struct DearMirror: BlurKernel {
  let name = "DearMirror"
  let summary = "deliberately wrong"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    try Registry.kernel(named: "simd").plan(problem)
  }

  func cost(_ problem: BlurProblem) -> Cost {
    let cost = (try? Registry.kernel(named: "simd").cost(problem)) ?? .unknown
    return problem.edge == .mirror ? cost * 10 : cost
  }
}

/// The library's `simd` kernel, except that it asks for too much scratch memory: space for the whole image
/// and for all pixels beyond its edges that a window reaches, even if the image is tiny.
struct HoldsWindows: BlurKernel {
  let name = "HoldsWindows"
  let summary = "deliberately wrong"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let (layout, reach) = (problem.layout, Int(12 * max(problem.sigma.x, problem.sigma.y)))
    return ChangedPlan(
      try Registry.kernel(named: "simd").plan(problem),
      moreScratch: (layout.width + reach) * (layout.height + reach) * layout.format.bytesPerPixel)
  }

  func cost(_ problem: BlurProblem) -> Cost {
    (try? Registry.kernel(named: "simd").cost(problem)) ?? .unknown
  }
}

/// The library's `simd` kernel, except that it blurs an image a hundred times while it makes a plan, as if to
/// measure its own speed.
struct BlursWhenPlanning: BlurKernel {
  let name = "BlursWhenPlanning"
  let summary = "deliberately wrong"
  let promise = Promise.exact()

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let kernel = try Registry.kernel(named: "simd")
    let plan = try BlurPlan(
      kernel, for: problem.layout, BlurParameters(sigma: problem.sigma, edge: problem.edge))
    let source = try Image(problem.layout)
    var target = try Image(problem.layout)
    for _ in 0..<100 { try plan.blur(source, into: &target) }
    return try kernel.plan(problem)
  }
}

/// A plan that runs another plan, and changes something after each block of units.
private final class ChangedPlan: Plan {
  let facts: PlanFacts
  private let plan: any Plan
  private let change: @Sendable (Range<Int>, PhaseContext) -> Void

  init(
    _ plan: any Plan, moreScratch: Int = 0,
    change: @escaping @Sendable (Range<Int>, PhaseContext) -> Void = { _, _ in }
  ) {
    var facts = plan.facts
    facts.hasRowEpilogue = true
    facts.scratchBytes += moreScratch
    (self.plan, self.facts, self.change) = (plan, facts, change)
  }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    plan.run(phase, units, buffers)
    change(units, buffers)
  }
}

/// A kernel that stores denormal results as 0.
enum FlushesDenormals: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    blur.finish = { abs($0) < Double(Float.leastNormalMagnitude) ? 0 : $0 }
  }
}

/// A kernel that rounds integer results up if their fraction is at least 0.2. No single pixel is wrong by
/// more than it promises.
enum RoundsUpTooOften: Mutant {
  static func mutate(_ blur: inout PlainBlur) {
    if blur.format.component != .float32 { blur.finish = { $0 + 0.3 } }
  }
}

/// A kernel in which a NaN in channel 1 spreads to channel 0.
enum MixesChannelsOfNaN: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    guard blur.format.component == .float32, blur.format.channels > 1 else { return }
    for y in units {
      for x in 0..<blur.region.width where !blur.read(buffers.destination.readOnly, x, y, 1).isFinite {
        blur.write(buffers.destination, x, y, 0, .nan)
      }
    }
  }
}

/// A kernel that leaves the CPU in another rounding mode.
enum ChangesRounding: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    fesetround(FE_UPWARD)
  }
}

/// A kernel that blocks a signal and does not unblock it.
enum BlocksSignals: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR1)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}

/// A kernel that allocates a megabyte in each blur and never frees it. Tests that run at the same time
/// allocate and free less than a hundred of these blocks.
enum LeaksMemory: Mutant {
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    _ = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
  }
}

/// An approximation that repeats the last column and the last row in edge mode `mirror`, as `reflect` does.
/// Its promise allows the error.
enum ReflectsAtFarEnd: Mutant {
  static let promise = Promise.approximation(levels: 122)
  static func mutate(_ blur: inout PlainBlur) {
    blur.index = { i, count, edge in
      (edge == .mirror && i >= count ? .reflect : edge).index(of: i, count: count)
    }
  }
}

/// A kernel that is too dark in the last column with mirrored edges, by 0.23 levels in float formats. Its
/// promise of 0.255 levels allows the error.
enum DarkLastColumn: Mutant {
  static let promise = Promise.exact(levels: 1, share: 1e-3)
  static func run(_ blur: PlainBlur, _ units: Range<Int>, _ buffers: PhaseContext) {
    blur.run(units, buffers)
    guard blur.edge == .mirror, blur.format.component == .float32 else { return }
    let x = blur.region.width - 1
    for y in units {
      for c in 0..<blur.format.channels {
        let value = blur.read(buffers.destination.readOnly, x, y, c)
        blur.write(buffers.destination, x, y, c, value - 9e-4)
      }
    }
  }
}

/// The library's `simd` kernel, except for one pixel if a threshold has its extreme value.
struct ShowsThreshold: BlurKernel {
  let name = "simd"
  let summary = "deliberately wrong"
  let promise = Promise.exact()
  private let isShown: @Sendable (Thresholds) -> Bool

  init(_ threshold: KeyPath<Thresholds, Int> & Sendable) {
    isShown = { $0[keyPath: threshold] < Thresholds()[keyPath: threshold] }
  }

  func plan(_ problem: BlurProblem) throws(BlurError) -> any Plan {
    let plan = try Registry.kernel(named: "simd").plan(problem)
    return isShown(problem.thresholds) ? DarkCornerPlan(plan) : plan
  }
}

private final class DarkCornerPlan: Plan {
  let facts: PlanFacts
  private let plan: any Plan

  init(_ plan: any Plan) { (self.plan, facts) = (plan, plan.facts) }

  func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
    plan.run(phase, units, buffers)
    // SAFETY: each row holds at least one pixel, which has at least one byte.
    if units.contains(0) { buffers.destination.unsafeRow(0).storeBytes(of: 0, as: UInt8.self) }
  }
}
