import Blur
import BlurRecords
import CLinux
import Foundation
import Synchronization
import Testing

@testable import BlurMeasurement

/// Tests that disturbances from outside the process are distinguished from effects that a kernel has on
/// itself.
@Suite("Disturbances of a sample")
struct OutsideDisturbanceTests {
  private static let tick = SystemClocks.tick

  /// Simulated clocks, which advance only when a task calls `work`.
  ///
  /// `@unchecked` is safe here because each test uses its clocks on a single thread.
  private final class HandClocks: @unchecked Sendable {
    var clocks = SystemClocks()
    var calls = 0

    init() { (clocks.busy, clocks.stolen, clocks.throttles) = (100, 1, 0) }

    /// Advances the clocks by one second of work on the calling thread, and by `others` seconds of CPU time
    /// on other threads of the process.
    func work(others: Double = 0, interruptions: Int = 0) {
      calls += 1
      clocks.wall += 1
      clocks.thread += 1
      clocks.process += 1 + others
      clocks.busy = clocks.busy.map { $0 + 1 + others }
      clocks.interruptions += interruptions
    }
  }

  private func attempts(_ hand: HandClocks, _ body: @escaping () -> Void) throws -> Int {
    // One iteration runs before the first attempt, without being timed. The clocks do not advance meanwhile.
    var isTimed = false
    let task = TimedTask(name: "BM_Blur/x") {
      if isTimed { body() }
      isTimed = true
    }
    var sampler = Sampler()
    sampler.clocks = { hand.clocks }
    _ = try sampler.sample(task, iterations: 1)
    return hand.calls
  }

  @Test("A sample is taken again if other programs interrupted its thread")
  func interrupted() throws {
    let hand = HandClocks()
    #expect(try attempts(hand) { hand.work(interruptions: hand.calls < 2 ? 4 : 0) } == 3)
  }

  @Test("A kernel whose own threads interrupt each other keeps its first sample, however slow")
  func oversubscribed() throws {
    let hand = HandClocks()
    #expect(try attempts(hand) { hand.work(others: 7, interruptions: 900) } == 1)
  }

  @Test("A sample of many threads is also taken again if others took CPU time", arguments: [true, false])
  func takenTime(isStolen: Bool) throws {
    let hand = HandClocks()
    let found = try attempts(hand) {
      hand.work(others: 7, interruptions: 900)
      guard hand.calls < 3 else { return }
      if isStolen { hand.clocks.stolen! += 0.5 } else { hand.clocks.busy! += 0.5 }
    }
    #expect(found == 3)
  }

  @Test("Rounding to clock ticks does not look like other programs, and missing counters give nil")
  func rounding() {
    let hand = HandClocks()
    let start = hand.clocks
    hand.work()
    hand.clocks.busy! += 2 * Self.tick
    #expect(hand.clocks.load(since: start).others == 0 && hand.clocks.load(since: start).disturbances == 0)
    hand.clocks.busy! += 20 * Self.tick
    #expect(abs(hand.clocks.load(since: start).others! - 22 * Self.tick) < 1e-9)
    (hand.clocks.busy, hand.clocks.stolen, hand.clocks.throttles) = (nil, nil, nil)
    let blank = hand.clocks.load(since: start)
    #expect(blank.others == nil && blank.stolen == nil && blank.throttles == nil && blank.disturbances == 0)
  }

  // MARK: Disturbances that samples report

  private func watched(
    _ hand: HandClocks, probe times: [Double] = [100], _ body: () -> Void
  ) -> Disturbance {
    // The probe times a fixed loop on the core. Its first twenty runs take 100 ns, so it regards 100 ns as
    // the time on an undisturbed core.
    let left = Mutex(Array(repeating: 100.0, count: 20) + times)
    let probe = CoreProbe { left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
    let watch = DisturbanceWatch(probe, clocks: { hand.clocks }, own: { hand.clocks })
    let beginning = watch.begin(threads: 1)
    body()
    return watch.end(beginning, threads: 1)
  }

  @Test("A sample reports how much others disturbed it, and whether it is quiet")
  func figures() {
    let hand = HandClocks()
    let quiet = watched(hand) { hand.work() }
    #expect(quiet.isQuiet == true && quiet.coreSlowdown == 1 && quiet.othersCPUs == 0 && quiet.throttles == 0)
    let busy = watched(hand) {
      hand.work()
      hand.clocks.busy! += 0.5
    }
    #expect(busy.isQuiet == false && abs(busy.othersCPUs! - 0.5) < 1e-9)
    let stolen = watched(hand) {
      hand.work()
      hand.clocks.stolen! += 0.25
    }
    #expect(stolen.isQuiet == false && abs(stolen.stolenCPUs! - 0.25) < 1e-9)
    let hot = watched(hand) {
      hand.work()
      hand.clocks.throttles! += 2
    }
    #expect(hot.isQuiet == false && hot.throttles == 2)
  }

  @Test(
    "A core that is slow before or after the sample makes the sample noisy",
    arguments: [[150.0, 100], [100, 150]])
  func slowCore(times: [Double]) {
    let hand = HandClocks()
    let found = watched(hand, probe: times) { hand.work() }
    #expect(found.isQuiet == false && found.coreSlowdown == 1.5)
    (hand.clocks.busy, hand.clocks.stolen, hand.clocks.throttles) = (nil, nil, nil)
    #expect(watched(hand) { hand.work() }.isQuiet == true)
  }

  @Test("Threads that a kernel leaves running are not taken for noise from outside")
  func leftAtWork() {
    let hand = HandClocks()
    // Each run of the probe takes 1 ms of CPU time on its own thread. If the kernel has left threads running,
    // they add 2 ms of CPU time whenever `own` reads the clocks.
    let probe = CoreProbe {
      hand.clocks.process += 1e-3
      hand.clocks.thread += 1e-3
      return 100
    }
    var isLeft = false
    let watch = DisturbanceWatch(
      probe, clocks: { hand.clocks },
      own: {
        if isLeft { hand.clocks.process += 2e-3 }
        return hand.clocks
      })
    let beginning = watch.begin(threads: 1)
    isLeft = true
    #expect(watch.end(beginning, threads: 1).coreSlowdown == nil)
    isLeft = false
    #expect(watch.end(watch.begin(threads: 1), threads: 1).coreSlowdown == 1)
  }

  @Test("Each repetition has its own disturbances, without those before it")
  func repetitions() throws {
    // The simulated CPUs are throttled once per iteration. So each repetition must report as many throttlings
    // as it has iterations.
    let hand = HandClocks()
    var runs = 0
    let watch = DisturbanceWatch(
      CoreProbe { 100 },
      clocks: {
        hand.clocks.wall += 1
        return hand.clocks
      }, own: { hand.clocks },
      megahertz: {
        runs += 1
        return Double(runs)
      })
    let task = TimedTask(name: "BM_Blur/x") { hand.clocks.throttles! += 1 }
    let settings = TimingSettings(repetitions: 4, minTime: 1e-3, warmUp: 1e-4)
    let samples = try Sampler(watch: watch).samples(of: [task], settings)[0]
    #expect(samples.compactMap { $0.disturbance?.throttles } == samples.map(\.iterations))
    #expect(samples.compactMap { $0.disturbance?.megahertz } == (0..<4).map { Double(runs - 3 + $0) })
    #expect(try Sampler().samples(of: [task], settings)[0].allSatisfy { $0.disturbance == nil })
  }

  // MARK: CPU affinity

  #if os(Linux)
    @Test("A thread that inherited a CPU is released, and only the pinned thread stays on it")
    func pin() throws {
      let found = Mutex<(before: Int32, after: Int32, own: Int32, all: Int32)?>(nil)
      // The work runs on a new thread, because the test's own thread must not be pinned.
      let pinned = Thread {
        affinity_set(-1)
        let all = affinity_count(0)
        affinity_set(0)
        let (started, released, ended) = (
          DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let counts = Mutex<[Int32]>([])
        Thread {
          counts.withLock { $0.append(affinity_count(0)) }
          started.signal()
          released.wait()
          counts.withLock { $0.append(affinity_count(0)) }
          ended.signal()
        }.start()
        started.wait()
        affinity_set(0)
        let own = affinity_count(0)
        released.signal()
        ended.wait()
        let both = counts.withLock { $0 }
        found.withLock { $0 = (both[0], both[1], own, all) }
      }
      pinned.start()
      while !pinned.isFinished { sched_yield() }
      let counts = try #require(found.withLock { $0 })
      #expect(counts.before == 1 && counts.own == 1 && counts.after == counts.all)
    }
  #endif
}
