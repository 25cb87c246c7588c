import Synchronization
import Testing

@testable import Blur

@Suite("Phases on many threads", .timeLimit(.minutes(30)))
struct ExecutorTests {
  /// A plan that checks the order of the work. A blur consists of phases, and each phase consists of units,
  /// such as rows. All units of a phase must be finished before the next phase begins. The plan counts the
  /// finished units, and the calls that came too early.
  private final class CountingPlan: Plan {
    let units = [7, 1, 40, 3, 64]
    let done = Atomic(0), early = Atomic(0)

    var facts: PlanFacts { PlanFacts(phases: units.map { Phase(units: $0) }) }

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
      let before = self.units[..<phase].reduce(0, +)
      if done.load(ordering: .sequentiallyConsistent) < before { early.add(1, ordering: .relaxed) }
      for _ in 0..<100 { Platform.pause() }
      done.add(units.count, ordering: .sequentiallyConsistent)
    }
  }

  @Test("Each unit runs once, and only after all earlier phases are finished", arguments: [1, 2, 5, 16])
  func phases(threads: Int) throws {
    let plan = CountingPlan()
    let executor = Executor(plan, threads: threads)
    let memory = try AlignedBuffer(byteCount: max(1, executor.scratchBytes), zeroed: true)
    var image = try Image(ImageLayout(.gray8, width: 8, height: 8))
    for _ in 0..<500 {
      plan.done.store(0, ordering: .sequentiallyConsistent)
      let failure = image.withMutableView {
        executor.run(from: $0.readOnly, to: $0, epilogue: nil, in: memory.base)
      }
      #expect(failure == nil)
      #expect(plan.done.load(ordering: .sequentiallyConsistent) == plan.units.reduce(0, +))
    }
    #expect(plan.early.load(ordering: .relaxed) == 0)
  }

  /// A plan that notes which threads work on it. Each thread has its own scratch memory.
  private final class ThreadsPlan: Plan {
    let facts = PlanFacts(phases: [Phase(units: 64)], scratchBytes: 64)
    let threads = Mutex<Set<UnsafeMutableRawPointer>>([])

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
      _ = threads.withLock { $0.insert(buffers.scratch) }
      for _ in 0..<1000 { Platform.pause() }
    }
  }

  @Test("A blur that is treated like a short one is shared if it follows another blur", arguments: [2, 3])
  func blursInARow(threads: Int) throws {
    let plan = ThreadsPlan()
    let kernel = Kernel(name: "threads", summary: "", promise: .exact()) { _ in plan }
    let layout = try ImageLayout(.gray8, width: 8, height: 8)
    let blur = try BlurPlan(
      plan, kernel, nil, for: layout, BlurParameters(sigma: Sigma(2)), threads: threads, sharing: .ifAwake)
    let source = try Image(layout)
    var result = source
    try blur.blur(source, into: &result)
    #expect(plan.threads.withLock(\.count) == 1, "no thread is woken for the first blur")
    // The next blurs follow at once, so they wake the other threads, which then stay awake. On a busy machine
    // this can take a while.
    while plan.threads.withLock(\.count) < threads { try blur.blur(source, into: &result) }
  }

  /// A plan whose work is divided into 8 units. While `fails` is true, each unit reports an error.
  private final class FailingPlan: Plan {
    let fails = Atomic(true)
    let facts = PlanFacts(phases: [Phase(units: 8)])

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
      if fails.load(ordering: .relaxed) { buffers.fail(.failed(kernel: "failing", reason: "is to fail")) }
    }
  }

  /// A plan that runs another plan. It does not handle the errors of that plan.
  private final class Wrapper: Plan {
    let facts: PlanFacts
    private let plan: any Plan

    init(_ plan: any Plan) { (self.plan, facts) = (plan, plan.facts) }

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) { plan.run(phase, units, buffers) }
  }

  @Test(
    "A plan's error is thrown through plans that wrap it, and does not affect the next blur",
    arguments: [1, 4])
  func failure(threads: Int) throws {
    let failing = FailingPlan()
    let kernel = Kernel(name: "failing", summary: "", promise: .exact()) { _ in Wrapper(Wrapper(failing)) }
    let layout = try ImageLayout(.gray8, width: 8, height: 8)
    let plan = try BlurPlan(kernel, for: layout, BlurParameters(sigma: Sigma(2)), threads: threads)
    var image = try Image(layout)
    let source = image
    for _ in 0..<3 {
      failing.fails.store(true, ordering: .relaxed)
      #expect(throws: BlurError.failed(kernel: "failing", reason: "is to fail")) {
        try plan.blur(source, into: &image)
      }
      failing.fails.store(false, ordering: .relaxed)
      try plan.blur(source, into: &image)
    }
  }

  @Test("Plans that share scratch memory give the same bits as others, also from several threads")
  func sharedScratch() async throws {
    let image = try GrayImages.noise(90, 70, seed: 3)
    let layout = image.layout
    let scratch = SharedScratch()
    let sigmas = [0.8, 3, 9, 25]
    func plan(_ sigma: Double, _ scratch: SharedScratch?) throws -> BlurPlan {
      try BlurPlan(
        Registry.kernel(named: "pyramid"), for: layout, BlurParameters(sigma: Sigma(sigma)), threads: 2,
        scratch: scratch)
    }
    let plans = try sigmas.map { try plan($0, scratch) }
    #expect(scratch.byteCount == plans.map(\.scratchBytes).max())
    let expected = try sigmas.map { sigma in
      var result = try Image(layout)
      try plan(sigma, nil).blur(image, into: &result)
      return GrayImages.values(result)
    }
    try await withThrowingTaskGroup(of: (Int, [Float]).self) { group in
      for turn in 0..<40 {
        group.addTask {
          var result = try Image(layout)
          try plans[turn % 4].blur(image, into: &result)
          return (turn % 4, GrayImages.values(result))
        }
      }
      for try await (number, found) in group { #expect(found == expected[number]) }
    }
  }

  /// The images are chosen so that the kernels divide them into many blocks of rows, into few blocks, or into
  /// fewer blocks than there are threads.
  @Test(
    "Sixteen threads, which are more than the CPUs, give the same bits as one",
    arguments: ["pyramid", "pyramid-fine", "simd", "dct", "box-triple"],
    [(400, 300), (33, 17), (5, 900), (900, 5), (3, 3)])
  func outnumbered(kernel: String, size: (width: Int, height: Int)) throws {
    let layout = try ImageLayout(.rgba8, width: size.width, height: size.height)
    var image = try Image(layout)
    image.withMutableView { view in
      for i in 0..<layout.byteCount {
        // SAFETY: `i` is less than the byte count of the image, and the view is valid in this closure.
        view.unsafeBase.storeBytes(
          of: UInt8(truncatingIfNeeded: i &* 37 ^ i >> 3), toByteOffset: i, as: UInt8.self)
      }
    }
    func blurred(threads: Int, times: Int) throws -> [[UInt8]] {
      let kernel = try Registry.kernel(named: kernel)
      let parameters = BlurParameters(sigma: try Sigma(5))
      let plan = try BlurPlan(
        kernel.plan(parameters, for: layout, threads: threads), kernel, nil, for: layout, parameters,
        threads: threads, sharing: .always)
      var result = try Image(layout)
      return try (0..<times).map { _ in
        try plan.blur(image, into: &result)
        // SAFETY: the view is valid in this closure, and has the `byteCount` bytes of its layout.
        return result.withView {
          Array(UnsafeRawBufferPointer(start: $0.unsafeBase, count: layout.byteCount))
        }
      }
    }
    let truth = try blurred(threads: 1, times: 1)[0]
    #expect(try blurred(threads: 16, times: 60).allSatisfy { $0 == truth })
  }

  @Test("On few CPUs, each of sixteen threads joins a job at most once, and the caller joins each")
  func entries() {
    let entries = Mutex([Int](repeating: 0, count: 16))
    let team = ThreadTeam<Int>(threads: 16) { thread, _ in entries.withLock { $0[thread] += 1 } }
    for job in 0..<2000 { team.run(job) }
    let counts = entries.withLock { $0 }
    #expect(counts[0] == 2000)
    #expect(counts.allSatisfy { $0 <= 2000 })
  }

  @Test(
    "The pieces (blocks of units) cover all units once, and begin at multiples of the grain",
    arguments: [(1, 1), (7, 1), (30, 4), (33, 4), (3, 4), (1080, 4)], [1, 2, 3, 8])
  func pieces(phase: (units: Int, grain: Int), count: Int) {
    let phase = Phase(units: phase.units, grain: phase.grain)
    let ranges = (0..<count).map { Executor.piece($0, of: count, in: phase) }
    #expect(ranges.flatMap { Array($0) } == Array(0..<phase.units))
    #expect(ranges.allSatisfy { $0.isEmpty || $0.lowerBound % phase.grain == 0 })
  }

  @Test("One thread gets one piece, and several threads get a few pieces that repeat little work")
  func pieceCounts() {
    #expect(Executor.pieces(of: Phase(units: 1000), threads: 1) == 1)
    #expect(Executor.pieces(of: Phase(units: 1000), threads: 2) > 2)
    #expect(Executor.pieces(of: Phase(units: 1000, overlap: 200), threads: 2) == 2)
    #expect(Executor.pieces(of: Phase(units: 7, grain: 4), threads: 8) == 1)
  }
}
