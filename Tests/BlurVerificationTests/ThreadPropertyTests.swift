import Blur
import Foundation
import Synchronization
import Testing

@testable import BlurVerification

@Suite("The property `threads`", .timeLimit(.minutes(30)))
struct ThreadPropertyTests {
  /// A plan that copies the image. If `isWrong` returns true for a blur, the first byte of the copy is wrong.
  private final class CopyPlan: Plan {
    let facts: PlanFacts
    private let isWrong: @Sendable () -> Bool

    init(_ problem: BlurProblem, isWrong: @escaping @Sendable () -> Bool) {
      facts = PlanFacts(phases: [Phase(units: problem.layout.height)])
      self.isWrong = isWrong
    }

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
      for y in units {
        // SAFETY: the rows of both images hold `rowBytes` bytes, because both images have the planned format
        // and size.
        buffers.destination.unsafeRow(y).copyMemory(
          from: buffers.source.unsafeRow(y), byteCount: buffers.source.layout.rowBytes)
      }
      if units.contains(0), isWrong() {
        let first = buffers.destination.unsafeRow(0)
        // SAFETY: a row holds at least one byte.
        first.storeBytes(of: ~first.load(as: UInt8.self), as: UInt8.self)
      }
    }
  }

  /// Checks a kernel that copies gray8 images. `isWrong` decides for each blur whether its result is wrong.
  ///
  /// - Parameter most: The largest number of threads that the kernel supports.
  private func check(
    isThorough: Bool = false, most: Int = .max, _ isWrong: @escaping @Sendable (_ threads: Int) -> Bool
  ) throws -> CheckOutcome {
    let kernel = Kernel(name: "copying", summary: "", promise: .nothing) { (problem) throws(BlurError) in
      let threads = problem.threads
      guard threads <= most else { throw .unsupported(kernel: "copying", reason: "\(threads) threads") }
      return CopyPlan(problem) { isWrong(threads) }
    }
    let series = LongSeries(isThorough: isThorough)
    return Property.threads.check(kernel, Subject(.gray8, sigma: try Sigma(5)), SharedWork(series))
  }

  /// A race that spoils one blur in a thousand is found if one of the blurs happens to be spoiled. The
  /// probability of this is 1 − 0.999ⁿ in n blurs: 50 % in 693 blurs, and 95 % in 2995 blurs.
  @Test(
    "Enough blurs are made to find a race in one of a thousand blurs with the stated probability",
    arguments: [(693, false, true), (2995, false, false), (2995, true, true)])
  func rareRace(period: Int, isThorough: Bool, isFound: Bool) throws {
    let blurs = Atomic(0)
    let outcome = try check(isThorough: isThorough) { threads in
      threads > 1 && blurs.add(1, ordering: .relaxed).newValue % period == 0
    }
    #expect((outcome.failure != nil) == isFound, "\(blurs.load(ordering: .relaxed)) blurs")
    #expect(outcome.failure?.cause == (isFound ? "a race between threads" : nil))
  }

  @Test("The highest number of threads that a kernel supports is tried", arguments: [2, 3, 4, 5, 6, 7, 12])
  func highestNumber(most: Int) throws {
    let failure = try check(most: most) { $0 == most }.failure
    #expect(failure?.message.contains("result on \(most) threads") == true, "\(failure?.message ?? "none")")
    #expect(try check(most: most) { _ in false }.failure == nil)
  }

  @Test("A kernel that supports only one thread is skipped")
  func oneThread() throws {
    guard case .skipped(let reason, _) = try check(most: 1, { _ in false }) else {
      Issue.record("not skipped")
      return
    }
    #expect(reason == "kernel copying uses only one thread")
  }

  /// A plan of two phases that does nothing but note the threads on which each phase runs.
  private final class ListingPlan: Plan {
    let facts = PlanFacts(phases: [Phase(units: 40), Phase(units: 3)], scratchBytes: 64)
    let threads = Mutex([Set<ObjectIdentifier>](repeating: [], count: 2))

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
      let thread = ObjectIdentifier(Thread.current)
      threads.withLock { _ = $0[phase].insert(thread) }
    }
  }

  @Test("Threads that a gate holds all work in each phase, even on one CPU", arguments: 2...8)
  func gate(count: Int) throws {
    let layout = try ImageLayout(.gray8, width: 8, height: 8)
    let listing = ListingPlan()
    let kernel = Kernel(name: "listing", summary: "", promise: .nothing) { _ in listing }
    let workers = listing.facts.threadsInPhases(of: count)
    #expect(workers == [count, min(count, 3)])
    let poisoned = try PoisonedPlan(
      listing, of: kernel, threads: count, delays: .none, hasNaN: false, spoilsScratch: true,
      gate: PhaseGate(threads: workers))
    let plan = try BlurPlan(
      poisoned, kernel, nil, for: layout, BlurParameters(sigma: Sigma(2)), threads: count, sharing: .always)
    var result = try Image(layout)
    try Image(layout).withViews(into: &result) { source, target in
      try plan.blur(source, into: target) { PhaseGate.callOnThreads(count, $0) }
    }
    #expect(listing.threads.withLock { $0.map(\.count) } == workers)
  }

  /// A plan that runs another plan while it runs itself. Both plans therefore use the same scratch memory.
  private final class NestedPlan: Plan {
    let facts = PlanFacts(phases: [Phase(units: 1)], scratchBytes: 64)
    let other = Mutex<(any Plan)?>(nil)

    func run(_ phase: Int, _ units: Range<Int>, _ buffers: PhaseContext) {
      let other = other.withLock { other in
        defer { other = nil }
        return other
      }
      other?.run(phase, units, buffers)
    }
  }

  @Test("Scratch memory that is handed out twice at the same time is reported")
  func sharedScratch() throws {
    let layout = try ImageLayout(.gray8, width: 8, height: 8)
    let nested = NestedPlan()
    let kernel = Kernel(name: "nested", summary: "", promise: .nothing) { _ in nested }
    let poisoned = try PoisonedPlan(
      nested, of: kernel, threads: 1, delays: .none, hasNaN: false, spoilsScratch: false)
    let plan = try BlurPlan(
      poisoned, kernel, nil, for: layout, BlurParameters(sigma: Sigma(2)), threads: 1)
    let source = try Image(layout)
    var result = source
    try plan.blur(source, into: &result)
    nested.other.withLock { $0 = poisoned }
    let reason = "two threads got the same scratch memory"
    #expect(throws: BlurError.failed(kernel: "nested", reason: reason)) {
      try plan.blur(source, into: &result)
    }
  }
}
