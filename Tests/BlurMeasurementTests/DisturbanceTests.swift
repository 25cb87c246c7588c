import Blur
import Synchronization
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("Disturbances of a run")
struct DisturbanceTests {
  /// A clock that advances only when the test says so.
  final class HandClock: Sendable {
    private let seconds = Mutex(0.0)
    var now: Double { seconds.withLock { $0 } }
    func pass(_ more: Double) { seconds.withLock { $0 += more } }
  }

  // MARK: Suspension of the computer

  @Test("Only a gap between beats that is longer than on a busy machine counts as suspension")
  func gaps() {
    let clock = HandClock()
    let heart = SuspendDetector(clock: { clock.now })
    for _ in 0..<8 {
      clock.pass(SuspendDetector.period + 0.9 * SuspendDetector.tolerance)
      heart.beat()
    }
    #expect(heart.takeStillness() == 0)
    clock.pass(60)
    #expect(abs(heart.takeStillness() - 60) < 2 * SuspendDetector.period)
    #expect(heart.takeStillness() == 0)
  }

  @Test("A gap is still noticed after later beats")
  func gapInTheMiddle() {
    let clock = HandClock()
    let heart = SuspendDetector(clock: { clock.now })
    clock.pass(5)
    heart.beat()
    clock.pass(0.2)
    heart.beat()
    #expect(heart.takeStillness() > 4)
  }

  @Test(
    "Samples during a suspension are discarded and taken again, and earlier samples are kept",
    arguments: [1, 4, 5, 9])
  func touched(sleeps: Int) throws {
    let clock = HandClock()
    let machine = FakeMachine { _ in 100 + clock.now }
    machine.suspensions = SuspendDetector(clock: { clock.now })
    var times = 0
    machine.onBegin = { task in
      guard task.name.contains("steady") else { return }
      times += 1
      if (2..<2 + sleeps).contains(times) { clock.pass(3600) }
    }
    let records = try Fixture.records(
      [try Fixture.job("steady"), try Fixture.job("steady", sigma: 5)], machine)
    #expect(records[0].allSatisfy { $0.realTime! < 200 })
    #expect(times == 2 + min(sleeps, 4))
    if sleeps < 5 {
      // The simulated times depend on the clock, which includes the hours of sleep. Times of at least that
      // length show that the samples were taken again after the computer woke up.
      #expect(records[1].allSatisfy { $0.realTime! >= 100 + 3600 * Double(sleeps) })
      #expect(records[1].filter(\.isMeasured).count == 6)
    } else {
      #expect(records[1].map(\.isSkipped) == [true])
      #expect(records[1][0].errorMessage.contains("slept"))
    }
  }

  // MARK: Changes of speed

  /// Returns the records of a workload whose memcpy repetitions take these times.
  private func workload(
    _ copies: [Double], sigma: Double, threads: Int = 1, pace: Pace = .warm
  ) throws -> [Record] {
    var job = try Fixture.job("steady", threads: threads, sigma: sigma)
    job.workload.pace = pace
    return (job.cases + [.copying(job.workload)]).flatMap { item in
      copies.enumerated().map { number, time in
        var record = Record(item, machineKey: "feed")
        record.repetition = number
        record.realTime = item.kernel == Case.memcpy ? time : 1e6
        return record
      }
    }
  }

  @Test("A workload is marked if its memcpy is slower or faster than in earlier workloads, and only then")
  func betweenWorkloads() throws {
    var watch = SpeedShiftDetector()
    let steady = try [(100, 1), (110, 2), (90, 3), (118, 4)].map {
      try workload([$0.0, $0.0 + 1], sigma: $0.1)
    }
    for records in steady { #expect(watch.marked(records) == records) }
    for (time, sigma, shift) in [(200.0, 5.0, 2.0), (50, 6, 0.5)] {
      let marked = watch.marked(try workload([time, time], sigma: sigma))
      // `speedShift` is the memcpy time of a workload, relative to the median of the earlier workloads. This
      // median is within about 10 % of 100, so a tolerance of 12 % is enough.
      #expect(marked.count == 4 && marked.allSatisfy { abs($0.speedShift! / shift - 1) < 0.12 })
      #expect(marked.speedShiftNote?.contains("1 workload,") == true)
    }
    // Only workloads with the same number of threads and the same pace (how blurs follow each other) are
    // compared. There is no earlier workload with two threads or a cold cache, so these workloads are not
    // marked.
    for other in [
      try workload([300, 300], sigma: 7, threads: 2), try workload([300, 300], sigma: 7, pace: .cold),
    ] { #expect(watch.marked(other).allSatisfy { $0.speedShift == nil }) }
  }

  @Test("A change of speed within a workload is marked if there are enough samples")
  func withinWorkload() throws {
    var watch = SpeedShiftDetector()
    #expect(watch.marked(try workload([100, 160], sigma: 1)).speedShiftNote == nil)
    let marked = watch.marked(try workload([130, 131, 195, 196], sigma: 2))
    #expect(marked.allSatisfy { $0.speedShift == 195.5 / 130.5 })
  }

  @Test("A resumed run compares its speed with the records that it continues")
  func resumed() throws {
    var watch = SpeedShiftDetector(try workload([100, 100], sigma: 1) + workload([102, 102], sigma: 2))
    let marked = watch.marked(try workload([202, 202], sigma: 3))
    #expect(marked.allSatisfy { $0.speedShift == 2 })
  }
}
