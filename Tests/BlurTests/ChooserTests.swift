import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Blur

@Suite("Choosing a kernel")
struct ChooserTests {
  static let bounds: [ErrorBound] = [
    .levels(1), .levels(3), .levels(0.255), .share(1e-3), .share(1.0001 / 65535), .share(1e-5), .levels(30),
    .levels(.infinity),
  ]
  static let sigmas = [
    0, .leastNonzeroMagnitude, 0.01, 0.3, 0.5, 1, 2, 2.9, 3.1, 5, 7.5, 12, 20, 50, 137, 400, 1000,
  ]
  static let sizes = [(1, 1), (1, 9), (7, 1), (5000, 1), (1, 3000), (31, 33), (640, 480), (4000, 3000)]

  /// Returns times for all kernels. The kernels whose error exceeds a strict bound seem to be by far the
  /// fastest, to tempt the chooser.
  static func tempting(_ layout: ImageLayout, _ sigma: Double, _ edge: EdgeMode) throws -> MeasuredTimes {
    let times = MeasuredTimes()
    times.record(
      Registry.kernels.enumerated().flatMap { place, kernel in
        kernel.instructionSets.map {
          KernelTime(
            kernel: kernel.name, instructionSet: $0,
            nanoseconds: kernel.promise == .exact() ? 1e6 + Double(place) : 1)
        }
      },
      of: MeasuredProblem(layout, sigma: try Sigma(sigma), edge: edge, threads: 1))
    return times
  }

  static func problem(
    _ format: PixelFormat = .gray8, _ width: Int = 100, _ height: Int = 100, _ sigma: Double = 2,
    _ edge: EdgeMode = .clamp, threads: Int = 1
  ) throws -> MeasuredProblem {
    MeasuredProblem(
      try ImageLayout(format, width: width, height: height), sigma: try Sigma(sigma), edge: edge,
      threads: threads)
  }

  @Test(
    "A kernel over the error bound is never chosen, whatever was measured", arguments: PixelFormat.allCases)
  func bound(format: PixelFormat) throws {
    for (width, height) in Self.sizes {
      let layout = try ImageLayout(format, width: width, height: height)
      for sigma in Tiers.some(of: Self.sigmas) {
        for chooser in [Chooser(), Chooser(try Self.tempting(layout, sigma, .mirror))] {
          for bound in Self.bounds { try check(chooser, layout, sigma, bound) }
        }
      }
    }
  }

  private func check(_ chooser: Chooser, _ layout: ImageLayout, _ sigma: Double, _ bound: ErrorBound) throws {
    let parameters = BlurParameters(sigma: try Sigma(sigma), edge: .mirror)
    let promises = Registry.kernels.compactMap { $0.promise.bound(for: layout.format) }
    guard promises.contains(where: { $0 <= bound.levels }) else {
      #expect(throws: BlurError.noKernel(within: bound.levels, format: layout.format)) {
        try chooser.choices(for: layout, parameters, within: bound)
      }
      return
    }
    let choices = try chooser.choices(for: layout, parameters, within: bound)
    for choice in choices {
      let promised = try #require(choice.kernel.promise.bound(for: layout.format))
      #expect(promised <= bound.levels)
      #expect(
        choice.instructionSet.isAvailable && choice.kernel.instructionSets.contains(choice.instructionSet))
    }
    #expect(choices.last?.kernel.isDefinition == true, "the definition comes last")
    #expect(choices.count == promises.count { $0 <= bound.levels })
  }

  @Test("Every choice can be planned, for any size and sigma", arguments: PixelFormat.allCases)
  func plans(format: PixelFormat) throws {
    for (width, height) in Self.sizes.dropLast() {
      for sigma in Self.sigmas {
        let layout = try ImageLayout(format, width: width, height: height)
        let plan = try BlurPlan(
          for: layout, BlurParameters(sigma: Sigma(sigma)), accuracy: .levels(1), threads: 2,
          chooser: Chooser())
        #expect(ErrorBound.levels(1).allows(plan.kernel, for: format))
        #expect(plan.choice?.kernel.name == plan.kernel.name)
        #expect(plan.choice?.instructionSet == plan.parameters.instructionSet)
      }
    }
  }

  @Test(
    "A bound that is NaN, negative, or too small for every kernel is an error",
    arguments: [.nan, -1, 0, 1e-9])
  func impossible(levels: Double) throws {
    let layout = try ImageLayout(.gray8, width: 4, height: 4)
    #expect(throws: BlurError.self) { try BlurPlan(for: layout, sigma: 2, accuracy: .levels(levels)) }
    #expect(throws: BlurError.self) { try BlurPlan(for: layout, sigma: 2, accuracy: .share(levels)) }
  }

  /// Returns a chooser that knows these times for a single problem.
  private static func planted(_ times: [(String, InstructionSet, Double)]) throws -> Chooser {
    let table = MeasuredTimes()
    table.record(
      times.map { KernelTime(kernel: $0.0, instructionSet: $0.1, nanoseconds: $0.2) }, of: try problem())
    return Chooser(table)
  }

  private func choices(
    _ chooser: Chooser, _ size: Int = 100, _ sigma: Double = 2, _ format: PixelFormat = .gray8,
    _ edge: EdgeMode = .clamp, upTo set: InstructionSet = .best, threads: Int = 1
  ) throws -> [Choice] {
    let layout = try ImageLayout(format, width: size, height: size)
    return try chooser.choices(
      for: layout, BlurParameters(sigma: Sigma(sigma), edge: edge, instructionSet: set), within: .levels(1),
      threads: threads)
  }

  @Test("Choices follow measured times, and their descriptions say so")
  func follows() throws {
    let chooser = try Self.planted([
      ("deriche-4", .baseline, 40_000), ("separable", .baseline, 10_000), ("naive", .baseline, 1),
      ("unheard-of", .avx512, 1),
    ])
    let choices = try choices(chooser)
    #expect(choices[0].kernel.name == "separable" && choices[0].basis == .measured)
    #expect(choices[0].time == 10_000 && choices[0].runnerUp?.kernel == "deriche-4")
    #expect(choices[0].runnerUp?.slowdown == 4)
    #expect("\(choices[0])".contains("separable (baseline) by measured time, 0.01 ms; next deriche-4, 4x"))
    #expect(choices[0].runnerUp?.basis == .measured && choices[1].runnerUp?.basis == .estimate)
    // Kernels that were measured come first. Kernels with only an estimated time follow, and the slow kernel
    // that implements the definition comes last.
    #expect(choices[1].kernel.name == "deriche-4" && choices[2].basis == .estimate)
    #expect(choices.last?.kernel.isDefinition == true)
  }

  @Test("If the next kernel was not measured, its slowdown is estimated or left out")
  func estimatedNext() throws {
    let choice = try #require(try choices(Self.planted([("pyramid", .baseline, 10_000)])).first)
    let next = try #require(choice.runnerUp)
    #expect(choice.basis == .measured && next.basis == .estimate)
    let parameters = BlurParameters(sigma: try Sigma(2))
    let layout = try ImageLayout(.gray8, width: 100, height: 100)
    let kernel = try Registry.kernel(named: next.kernel)
    let times = kernel.availableSets(upTo: .best).map { kernel.estimate(layout, parameters, $0, threads: 1) }
    let own = try Registry.kernel(named: "pyramid").estimate(layout, parameters, .baseline, threads: 1)
    let factor = try #require(times.min()) / own
    guard let slowdown = next.slowdown else { return #expect(factor < 1) }
    // A narrower instruction set is chosen only if it is faster by a quarter.
    #expect(slowdown >= 1 && (1...1.25).contains(slowdown / factor), "\(slowdown), \(factor)")
    #expect("\(choice)".hasSuffix("x as long by estimate"), "\(choice)")
  }

  @Test("A plan that measures reports how much longer the next kernel takes")
  func measuredNext() throws {
    let layout = try ImageLayout(.gray8, width: 200, height: 150)
    let plan = try BlurPlan(
      for: layout, BlurParameters(sigma: Sigma(12)), planning: .measured, chooser: Chooser(MeasuredTimes()))
    let next = try #require(plan.choice?.runnerUp)
    #expect(try #require(next.slowdown) >= 1)
  }

  @Test("Measured times apply only to exactly the same problem")
  func exact() throws {
    let chooser = try Self.planted([("separable", .baseline, 1)])
    #expect(try choices(chooser)[0].kernel.name == "separable")
    for other in [
      try choices(chooser, 101), try choices(chooser, 100, 2.01), try choices(chooser, 100, 2, .rgba8),
      try choices(chooser, 100, 2, .gray8, .mirror), try choices(chooser, threads: 2),
    ] {
      #expect(other[0].basis == .estimate && other[0].kernel.name != "separable")
    }
    let layout = try ImageLayout(.gray8, width: 100, height: 100)
    var part = BlurParameters(sigma: try Sigma(2))
    part.region = Region(x: 0, y: 0, width: 50, height: 50)
    #expect(try chooser.choices(for: layout, part, within: .levels(1))[0].basis == .estimate)
    let padded = try ImageLayout(.gray8, width: 100, height: 100, stride: 103)
    let whole = BlurParameters(sigma: try Sigma(2))
    #expect(try chooser.choices(for: layout, whole, within: .levels(1))[0].basis == .measured)
    #expect(try chooser.choices(for: padded, whole, within: .levels(1))[0].basis == .estimate)
  }

  @Test("Problems with a constant edge are the same, whatever the constant is")
  func constants() throws {
    let red = EdgeMode.constant(SIMD4(1, 0, 0, 1))
    #expect(try Self.problem(.rgba8, 9, 9, 1, red) == Self.problem(.rgba8, 9, 9, 1, .transparent))
    #expect(try Self.problem(.rgba8, 9, 9, 1, red) != Self.problem(.rgba8, 9, 9, 1, .clamp))
  }

  @Test("No instruction set beyond the limit is chosen, however fast it is")
  func limit() throws {
    let chooser = try Self.planted([
      ("pyramid", .avx512, 10), ("pyramid", .avx2, 20), ("simd", .baseline, 30),
    ])
    for set in InstructionSet.allCases {
      for choice in try choices(chooser, upTo: set) { #expect(choice.instructionSet <= set) }
    }
    #expect(try choices(chooser, upTo: .baseline)[0].kernel.name == "simd")
  }

  @Test("The fastest of the measured instruction sets is chosen", .enabled(if: InstructionSet.best >= .avx2))
  func sets() throws {
    let chooser = try Self.planted([("simd", .baseline, 10), ("simd", .avx2, 20)])
    #expect(try choices(chooser)[0].instructionSet == .baseline)
  }

  @Test("A kernel without a cost has an infinite estimate, and the definition comes last")
  func uncounted() throws {
    let kernel = Kernel(name: "plug-in", summary: "", promise: .exact()) { (problem) throws(BlurError) in
      try Separable().plan(problem)
    }
    let layout = try ImageLayout(.gray8, width: 50, height: 50)
    #expect(kernel.estimate(layout, BlurParameters(sigma: try Sigma(2)), .baseline, threads: 1) == .infinity)
    let estimated = try Chooser().choices(
      for: layout, BlurParameters(sigma: Sigma(2)), within: .levels(1))
    let (rest, last) = (estimated.dropLast(), estimated.last)
    #expect(last?.kernel.isDefinition == true && last?.basis == .estimate, "\(estimated)")
    // The cost of the more accurate -fine kernels is unknown for 8-bit images. They therefore come after all
    // kernels whose time can be estimated.
    let counted = rest.prefix { $0.basis == .estimate }
    #expect(
      !counted.isEmpty && rest.dropFirst(counted.count).allSatisfy { $0.basis == .order }, "\(estimated)")
    #expect(counted.count < rest.count)
  }

  @Test("A plan that measures records the times, and measures only once")
  func measuring() throws {
    let times = MeasuredTimes()
    let layout = try ImageLayout(.gray16, width: 40, height: 30)
    let parameters = BlurParameters(sigma: try Sigma(3), edge: .wrap)
    let plan = { (bound: ErrorBound) in
      try BlurPlan(for: layout, parameters, accuracy: bound, planning: .measured, chooser: Chooser(times))
    }
    let first = try plan(.levels(1))
    #expect(first.choice?.basis == .measured)
    let kept = try #require(times.all.first)
    let asked = try Self.problem(.gray16, 40, 30, 3, .wrap)
    #expect(times.all.count == 1 && kept.problem == asked)
    #expect(kept.times.allSatisfy { $0.nanoseconds > 0 })
    // The first plan has already measured the kernels of every accuracy that are likely to be fast. So a plan
    // with a stricter error bound finds their times, and measures nothing again.
    let strict = try plan(.levels(Promise.exact().bound(for: .gray16)!))
    #expect(strict.choice?.basis == .measured)
    #expect(times.all.first?.times == kept.times)
    let estimated = try BlurPlan(for: layout, parameters, chooser: Chooser())
    #expect(estimated.choice?.basis == .estimate)
  }

  @Test("Any number of threads may choose at once, and all get the same choice")
  func concurrency() throws {
    let chooser = try Self.planted([("separable", .baseline, 1)])
    let expected = try ChooserTests.Names(chooser)
    let wrong = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      let found = try? ChooserTests.Names(chooser)
      if found != expected { wrong.add(1, ordering: .relaxed) }
      let shared = try? Image(.gray8, width: 9, height: 9).blurred(sigma: 2)
      if shared == nil { wrong.add(1, ordering: .relaxed) }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }

  /// The names of the kernels that are chosen for several requests.
  private struct Names: Equatable {
    var names: [String] = []

    init(_ chooser: Chooser) throws {
      for sigma in ChooserTests.sigmas {
        let layout = try ImageLayout(.rgbaf32, width: 300, height: 200)
        let parameters = BlurParameters(sigma: try Sigma(sigma))
        names += try chooser.choices(for: layout, parameters, within: .levels(1)).map(\.kernel.name)
      }
    }
  }
}
