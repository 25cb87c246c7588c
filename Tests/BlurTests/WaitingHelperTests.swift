import Synchronization
import Testing

@testable import Blur

/// A clock that a test advances, or that advances by a step each time it is read.
private final class Clock: Sendable {
  private let time = Atomic<UInt64>(1)
  private let step: UInt64

  init(step: UInt64 = 0) { self.step = step }

  func advance(by nanoseconds: UInt64) { time.add(nanoseconds, ordering: .relaxed) }
  func read() -> UInt64 { time.add(step, ordering: .relaxed).newValue }
}

/// Tests of helper threads that stay awake for a short time after a job, in case the next job comes soon. The
/// tests use a clock that advances only on request. While it stands still, a helper that should stay awake
/// never falls asleep, and a helper that should sleep does so at once. Other tests may keep the CPUs busy for
/// minutes, so the time limit is long. It only ends tests whose helper never does what it should.
@Suite("Helpers that stay awake", .serialized, .timeLimit(.minutes(30)))
struct WaitingHelperTests {
  private let clock = Clock()

  /// Returns a team of threads. In each of its jobs, the calling thread waits until at least one helper
  /// thread has joined the job.
  private func team(threads: Int = 2, cpus: Int = 8) -> ThreadTeam<Atomic<Int>.Box> {
    ThreadTeam(threads: threads, cpus: cpus, now: clock.read) { thread, come in
      if thread > 0 { come.count.add(1, ordering: .relaxed) }
      while thread == 0, come.count.load(ordering: .relaxed) == 0 { Platform.yield() }
    }
  }

  /// Waits until the helper sleeps.
  private func awaitSleep(_ helper: HelperThread) { while helper.isAwake { Platform.yield() } }

  /// Advances the clock until the helper sleeps.
  private func endWait(_ helper: HelperThread) {
    while helper.isAwake {
      clock.advance(by: HelperThread.wakeTime)
      Platform.yield()
    }
  }

  /// Returns whether the helper is awake, and is still awake after it had time to fall asleep.
  private func staysAwake(_ helper: HelperThread) -> Bool {
    for _ in 0..<200 {
      guard helper.isAwake else { return false }
      Platform.yield()
    }
    return true
  }

  @Test("A single job leaves no helper awake, but a second job soon after it does")
  func soon() {
    let team = team()
    team.run(.init())
    awaitSleep(team.helpers[0])
    clock.advance(by: HelperThread.wakeTime - 1)
    team.run(.init())
    #expect(staysAwake(team.helpers[0]))
    endWait(team.helpers[0])
  }

  @Test("A helper waits for the time of a wake-up and no longer")
  func waitingTime() {
    let clock = Clock(step: 1000)
    let helper = HelperThread(now: clock.read) { true }
    let start = clock.read()
    helper.call()
    awaitSleep(helper)
    let time = clock.read() - start
    // The helper stays awake for `wakeTime`. The clock advances by 1 µs with each reading, and the helper
    // reads it a few more times before and after it waits, so up to 5 µs are added.
    #expect((HelperThread.wakeTime...HelperThread.wakeTime + 5000).contains(time))
  }

  @Test("Jobs that are further apart than the time of a wake-up leave no helper awake")
  func apart() {
    let team = team()
    for _ in 0..<5 {
      team.run(.init())
      awaitSleep(team.helpers[0])
      clock.advance(by: HelperThread.wakeTime)
    }
  }

  @Test("If threads outnumber CPUs, no helper stays awake")
  func outnumbered() {
    let team = team(threads: 3, cpus: 2)
    for _ in 0..<5 {
      team.run(.init())
      for helper in team.helpers { awaitSleep(helper) }
    }
  }

  @Test("A helper that is awake notices each call")
  func calls() {
    let team = team()
    for _ in 0..<500 { team.run(.init()) }
    #expect(staysAwake(team.helpers[0]))
    endWait(team.helpers[0])
    team.run(.init())
  }

  @Test("A helper that is called continuously gives up its thread after its turn")
  func turns() {
    let come = Atomic.Box()
    let busy = (0..<2 * Platform.cpus).map { _ in
      HelperThread(now: clock.read) {
        clock.advance(by: HelperThread.longestRun / 10_000)
        return true
      }
    }
    let late = HelperThread(now: clock.read) {
      come.count.add(1, ordering: .relaxed)
      return false
    }
    for helper in busy { helper.call() }
    late.call()
    while come.count.load(ordering: .relaxed) == 0 {
      for helper in busy { helper.call() }
    }
    for helper in busy { endWait(helper) }
  }
}

extension Atomic<Int> {
  /// A counter that several threads can share.
  fileprivate final class Box: Sendable {
    let count = Atomic(0)
  }
}
