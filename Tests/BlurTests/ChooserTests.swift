import Dispatch
import Foundation
import Synchronization
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

  /// Wisdom in which every kernel of the list is timed, those over the bound as the quickest.
  static let tempting: Wisdom = {
    var wisdom = Wisdom(.current, date: "")
    for format in PixelFormat.allCases {
      let times = Registry.kernels.enumerated().flatMap { place, kernel in
        kernel.instructionSets.map {
          Wisdom.Time(
            kernel: kernel.name, isa: $0.name, ns: kernel.promise == .exact() ? 1e6 + Double(place) : 1)
        }
      }
      wisdom.workloads.append(
        Wisdom.Workload(format: format, width: 100, height: 100, sigma: 5, times: times))
    }
    return wisdom
  }()

  @Test("Never a kernel over the bound, whatever the wisdom says", arguments: PixelFormat.allCases)
  func bound(format: PixelFormat) throws {
    for chooser in [Chooser(), Chooser(Self.tempting)] {
      for bound in Self.bounds {
        for (width, height) in Self.sizes {
          let layout = try ImageLayout(format, width: width, height: height)
          for sigma in Self.sigmas {
            try check(chooser, layout, sigma, bound)
          }
        }
      }
    }
  }

  private func check(_ chooser: Chooser, _ layout: ImageLayout, _ sigma: Double, _ bound: ErrorBound) throws {
    let parameters = BlurParameters(sigma: try Sigma(sigma), edge: .mirror)
    let promises = Registry.kernels.compactMap { $0.promise.bound(for: layout.format) }
    guard promises.contains(where: { $0 <= bound.levels }) else {
      #expect(throws: BlurError.noKernel(within: bound.levels)) {
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
    #expect(choices.last?.kernel.name == "naive", "the definition comes last")
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

  @Test("A bound that is no number, or that nobody keeps, is an error", arguments: [.nan, -1, 0, 1e-9])
  func impossible(levels: Double) throws {
    let layout = try ImageLayout(.gray8, width: 4, height: 4)
    #expect(throws: BlurError.self) { try BlurPlan(for: layout, sigma: 2, accuracy: .levels(levels)) }
    #expect(throws: BlurError.self) { try BlurPlan(for: layout, sigma: 2, accuracy: .share(levels)) }
  }

  /// Wisdom of gray8 on one thread at two sigmas: `separable` is the quickest at sigma 2, `deriche-4` at sigma 32. Neither says
  /// what its effort is.
  static func planted(threads: Int = 1) -> Wisdom {
    let times = { (deriche: Double, separable: Double) in
      [
        Wisdom.Time(kernel: "deriche-4", isa: "baseline", ns: deriche),
        Wisdom.Time(kernel: "separable", isa: "baseline", ns: separable),
        Wisdom.Time(kernel: "naive", isa: "baseline", ns: 1),
        Wisdom.Time(kernel: "unheard-of", isa: "avx9", ns: 1),
      ]
    }
    var wisdom = Wisdom(.current, date: "")
    wisdom.workloads = [
      Wisdom.Workload(
        format: .gray8, width: 100, height: 100, sigma: 2, threads: threads, times: times(40_000, 10_000)),
      Wisdom.Workload(
        format: .gray8, width: 100, height: 100, sigma: 32, threads: threads, times: times(10_000, 40_000)),
      Wisdom.Workload(
        format: .gray8, width: 200, height: 200, sigma: 2, threads: threads, times: times(160_000, 160_000)),
    ]
    return wisdom
  }

  private func first(_ chooser: Chooser, _ size: Int, _ sigma: Double, _ format: PixelFormat = .gray8) throws
    -> Choice
  {
    let layout = try ImageLayout(format, width: size, height: size)
    return try chooser.choices(for: layout, BlurParameters(sigma: Sigma(sigma)), within: .levels(1))[0]
  }

  @Test("Choices follow the wisdom, and say so")
  func follows() throws {
    let chooser = Chooser(Self.planted())
    let (small, large) = (try first(chooser, 100, 2), try first(chooser, 100, 32))
    #expect(small.kernel.name == "separable" && large.kernel.name == "deriche-4")
    #expect(small.basis == .wisdom && small.runnerUp?.kernel == "deriche-4")
    #expect(abs(small.runnerUp!.slowdown! - 4) < 1e-3 && abs(small.time! - 10_000) < 1)
    #expect("\(small)".contains("separable (baseline) by wisdom, predicted 0.01 ms; next deriche-4, 4x"))
  }

  @Test("Between measured sigmas and sizes, logarithms are interpolated; beyond the ends they stay")
  func interpolation() throws {
    let chooser = Chooser(Self.planted())
    // Half way from 2 to 32 is 8, where both take √(10,000 · 40,000).
    let middle = try first(chooser, 100, 8)
    #expect(abs(middle.time! - 20_000) < 2)
    #expect(try first(chooser, 100, 7.9).kernel.name == "separable")
    #expect(try first(chooser, 100, 8.1).kernel.name == "deriche-4")
    // A quarter of the way: 40,000 · 4^(−1/4) for deriche-4.
    let quarter = try chooser.choices(
      for: ImageLayout(.gray8, width: 100, height: 100), BlurParameters(sigma: Sigma(4)), within: .levels(1))
    #expect(abs(quarter.first { $0.kernel.name == "deriche-4" }!.time! - 28_284.27) < 3)
    // separable takes 1 ns a pixel at 100x100 and 4 at 200x200; no other size is there, so nearness counts.
    let share = log2(1.41)
    let weight = pow(share, 4) / (pow(share, 4) + pow(1 - share, 4))
    let layout = try ImageLayout(.gray8, width: 141, height: 141)
    let between = try chooser.choices(for: layout, BlurParameters(sigma: Sigma(2)), within: .levels(1))
    let expected = pow(4, weight) * 141 * 141
    #expect(abs(between.first { $0.kernel.name == "separable" }!.time! - expected) < 5)
    #expect(abs(try first(chooser, 100, 0.1).time! - 10_000) < 1)
    #expect(abs(try first(chooser, 60, 2).time! - 3600) < 1)
  }

  @Test("Far from everything measured, the cost model decides")
  func fallsBack() throws {
    let chooser = Chooser(Self.planted())
    for (size, sigma, format) in [
      (100, 200.0, PixelFormat.gray8), (4000, 2, .gray8), (8, 2, .gray8), (100, 2, .rgba8),
    ] {
      let choice = try first(chooser, size, sigma, format)
      #expect(choice.basis != .wisdom)
      #expect(try first(Chooser(), size, sigma, format).kernel.name == choice.kernel.name)
    }
  }

  @Test("The nearest number of threads and edge mode speak for others")
  func nearest() throws {
    var wisdom = Self.planted(threads: 8)
    wisdom.merge(
      Self.planted(threads: 1).workloads.map { workload in
        var other = workload
        for i in other.times.indices { other.times[i].ns = 800_000 - 10 * other.times[i].ns }
        return other
      })
    let layout = try ImageLayout(.gray8, width: 100, height: 100)
    let name = { (threads: Int) in
      let parameters = BlurParameters(sigma: try Sigma(2), edge: .wrap)
      return try Chooser(wisdom).choices(for: layout, parameters, within: .levels(1), threads: threads)[0]
        .kernel.name
    }
    #expect(try name(6) == "separable" && name(1024) == "separable")
    #expect(try name(1) == "deriche-4" && name(2) == "deriche-4")
  }

  @Test("No instruction set beyond the limit is chosen, however fast it is")
  func limit() throws {
    var wisdom = Self.planted()
    for i in wisdom.workloads.indices {
      wisdom.workloads[i].times += [
        Wisdom.Time(kernel: "pyramid", isa: "avx512", ns: 10),
        Wisdom.Time(kernel: "pyramid", isa: "avx2", ns: 20),
      ]
    }
    let layout = try ImageLayout(.gray8, width: 100, height: 100)
    for set in InstructionSet.allCases {
      let parameters = BlurParameters(sigma: try Sigma(2), instructionSet: set)
      for choice in try Chooser(wisdom).choices(for: layout, parameters, within: .levels(1)) {
        #expect(choice.instructionSet <= set)
      }
    }
  }

  @Test(
    "The widest instruction set is taken unless another is clearly quicker",
    .enabled(if: InstructionSet.best == .avx512))
  func widest() throws {
    let layout = try ImageLayout(.gray8, width: 100, height: 100)
    for (gain, expected) in [(1.0, InstructionSet.avx512), (1.05, .avx512), (1.2, .avx2)] {
      var wisdom = Wisdom(.current, date: "")
      wisdom.workloads = [
        Wisdom.Workload(
          format: .gray8, width: 100, height: 100, sigma: 2,
          times: [
            Wisdom.Time(kernel: "simd", isa: "avx2", ns: 1000 / gain),
            Wisdom.Time(kernel: "simd", isa: "avx512", ns: 1000),
          ])
      ]
      for times in [wisdom.workloads[0].times, wisdom.workloads[0].times.reversed()] {
        wisdom.workloads[0].times = times
        let choice = try Chooser(wisdom).choices(
          for: layout, BlurParameters(sigma: Sigma(2)), within: .levels(1))[0]
        #expect(choice.instructionSet == expected, "\(gain)")
      }
    }
  }

  @Test("A kernel that was given up near a workload is not chosen there")
  func givenUp() throws {
    let times = { (names: [(String, Double)]) in
      names.map { Wisdom.Time(kernel: $0.0, isa: "baseline", ns: $0.1) }
    }
    var wisdom = Wisdom(.current, date: "")
    // deriche-4 falls steeply, but not that far: from sigma 8 on nobody has measured it.
    wisdom.workloads = [
      (1.0, times([("separable", 1000), ("deriche-4", 4000)])),
      (2, times([("separable", 1000), ("deriche-4", 400)])), (8, times([("separable", 1e6)])),
      (32, times([("separable", 1e6)])),
    ].map {
      Wisdom.Workload(format: .gray8, width: 100, height: 100, sigma: $0.0, times: $0.1)
    }
    #expect(try first(Chooser(wisdom), 100, 2).kernel.name == "deriche-4")
    #expect(try first(Chooser(wisdom), 100, 3.9).kernel.name == "deriche-4")
    for sigma in [4.1, 8, 20, 60] {
      #expect(try first(Chooser(wisdom), 100, sigma).kernel.name == "separable", "\(sigma)")
    }
  }

  @Test("What threads gain with one edge mode, they gain with another")
  func speedUps() throws {
    let workload = { (edge: String, threads: Int, separable: Double, deriche: Double) in
      Wisdom.Workload(
        format: .gray8, width: 100, height: 100, sigma: 2, edge: edge, threads: threads,
        times: [
          Wisdom.Time(kernel: "separable", isa: "baseline", ns: separable),
          Wisdom.Time(kernel: "deriche-4", isa: "baseline", ns: deriche),
        ])
    }
    var wisdom = Wisdom(.current, date: "")
    wisdom.workloads = [
      workload("clamp", 1, 1e6, 1.5e6), workload("clamp", 2, 1e6, 0.75e6), workload("mirror", 1, 4e6, 5e6),
    ]
    let layout = try ImageLayout(.gray8, width: 100, height: 100)
    let choice = { (threads: Int) in
      try Chooser(wisdom).choices(
        for: layout, BlurParameters(sigma: Sigma(2), edge: .mirror), within: .levels(1), threads: threads)[0]
    }
    #expect(try choice(1).kernel.name == "separable")
    let both = try choice(2)
    #expect(both.kernel.name == "deriche-4" && abs(both.time! - 2.5e6) < 1)
  }

  @Test(
    "Every line of the cost model is read, and each format has the fast kernels with each instruction set")
  func costModel() throws {
    let lines = CostTable.text.split(separator: "\n")
    #expect(CostModel.workloads.reduce(0) { $0 + $1.times.count } == lines.count * CostTable.sigmas.count)
    for format in PixelFormat.allCases {
      let runners = Set(
        CostModel.workloads.filter { $0.format == format.rawValue }.flatMap(\.times)
          .map { TimeTable.Runner(kernel: $0.kernel, isa: InstructionSet(rawValue: $0.isa)!) })
      for isa in InstructionSet.allCases {
        #expect(runners.contains(TimeTable.Runner(kernel: "pyramid", isa: isa)))
        if format.component != .uint8 {
          #expect(runners.contains(TimeTable.Runner(kernel: "pyramid-fine", isa: isa)))
        }
      }
    }
    #expect(CostModel.workloads.flatMap(\.times).allSatisfy { $0.ns > 0 && $0.ns < 1e12 })
  }

  @Test("Any number of threads may choose at once, and all get the same")
  func concurrency() throws {
    let chooser = Chooser(Self.tempting)
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

  /// What is chosen for some requests.
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
