import Synchronization
import Testing

@testable import Blur

@Suite("A team of threads")
struct ThreadTeamTests {
  /// A job for a team of threads. Its work is divided into numbered pieces, and each thread takes the next
  /// piece until none is left. The counters record what the threads did.
  private final class Job: Sendable {
    let next = Atomic(0), done = Atomic(0), inside = Atomic(0)
    let isOver = Atomic(false), wasLate = Atomic(false)

    func work(pieces: Int) {
      inside.add(1, ordering: .relaxed)
      if isOver.load(ordering: .sequentiallyConsistent) { wasLate.store(true, ordering: .relaxed) }
      while next.add(1, ordering: .relaxed).oldValue < pieces { done.add(1, ordering: .relaxed) }
      inside.subtract(1, ordering: .relaxed)
    }
  }

  @Test("Each piece of each job is done once, and no thread works on a finished job", arguments: [1, 2, 5])
  func jobs(threads: Int) {
    let team = ThreadTeam<Job>(threads: threads) { _, job in job.work(pieces: 20) }
    var late = false
    for _ in 0..<5000 {
      let job = Job()
      team.run(job)
      let inside = job.inside.load(ordering: .sequentiallyConsistent)
      job.isOver.store(true, ordering: .sequentiallyConsistent)
      let done = job.done.load(ordering: .relaxed)
      #expect(inside == 0 && done == 20)
      late = late || job.wasLate.load(ordering: .relaxed)
    }
    #expect(!late)
  }

  @Test("Helpers join while a job runs, each as a thread of its own", arguments: [1, 2, 3, 4, 7, 16])
  func helpers(threads: Int) {
    let seen = Mutex<Set<Int>>([])
    let team = ThreadTeam<Int>(threads: threads) { thread, _ in
      _ = seen.withLock { $0.insert(thread) }
      // The caller stays in the job until all threads have joined it.
      while thread == 0, seen.withLock({ $0.count }) < threads { Platform.yield() }
    }
    #expect(team.helpers.count == min(2, threads - 1), "the caller calls two, which call the others")
    team.run(0)
    #expect(seen.withLock { $0 } == Set(0..<threads))
  }

  @Test("Short jobs are shared if they follow each other closely, and only then")
  func shortJobs() {
    let seen = Mutex<Set<Int>>([])
    let time = Atomic<UInt64>(0)
    let waits = Atomic(false)
    let now: @Sendable () -> UInt64 = { time.add(1, ordering: .relaxed).newValue }
    let team = ThreadTeam<Int>(threads: 2, cpus: 2, isWoken: false, now: now) { thread, _ in
      _ = seen.withLock { $0.insert(thread) }
      while thread == 0, waits.load(ordering: .relaxed), seen.withLock({ $0.count }) < 2 { Platform.yield() }
    }
    for job in 0..<100 {
      team.run(job)
      time.add(HelperThread.wakeTime, ordering: .relaxed)
    }
    #expect(seen.withLock { $0 } == [0])
    team.run(0)
    waits.store(true, ordering: .relaxed)
    team.run(1)
    #expect(seen.withLock { $0 } == [0, 1])
  }

  @Test("A finished job is released")
  func jobsEnd() {
    let team = ThreadTeam<Job>(threads: 3) { _, job in job.work(pieces: 20) }
    var kept = 0
    for _ in 0..<2000 {
      weak var seen: Job?
      do {
        let job = Job()
        team.run(job)
        seen = job
      }
      kept += seen == nil ? 0 : 1
    }
    #expect(kept == 0)
  }

  @Test("Releasing teams while their helpers wake up does not crash")
  func goingAway() {
    for number in 0..<500 {
      let sum = Mutex(0)
      let team = ThreadTeam<Int>(threads: 3) { thread, job in
        if thread == 0 { sum.withLock { $0 += job } }
      }
      team.run(number)
      #expect(sum.withLock { $0 } == number)
    }
  }
}
