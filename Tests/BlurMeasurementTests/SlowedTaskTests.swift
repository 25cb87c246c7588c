import Testing

@testable import BlurMeasurement

@Suite("Tasks that are slowed by a known share")
struct SlowedTaskTests {
  /// A simulated clock that advances when a task works, and also whenever it is read, because reading a real
  /// clock takes time. Half of this time passes before the clock's value is taken, and half afterwards.
  private final class StepClock {
    private(set) var now = 0.0
    let reading: Double
    init(reading: Double) { self.reading = reading }

    func pass(_ seconds: Double) { now += seconds }

    func read() -> Double {
      now += reading / 2
      defer { now += reading / 2 }
      return now
    }
  }

  @Test(
    "The share is added to each iteration, and no iteration is left out",
    arguments: [(1e-5, 0.05), (1e-5, 0.02), (1e-4, 0.05), (0.1, 0.02), (3e-3, 0.5)], [1e-9, 4e-8])
  func share(_ task: (seconds: Double, share: Double), reading: Double) {
    let clock = StepClock(reading: reading)
    var count = 0
    let plain = TimedTask(name: "a", threads: 2) {
      count += 1
      clock.pass(task.seconds * Double(count))
    }
    let slowed = plain.slowed(by: task.share, clock: clock.read)
    #expect(slowed.name == "a" && slowed.threads == 2)
    for round in 1...3 {
      let start = clock.now
      slowed.iterate()
      let took = clock.now - start
      let expected = task.seconds * Double(round) * (1 + task.share)
      // The extra delay is a loop that reads the clock until the time is over. It can be wrong by as much as
      // one reading of the clock takes.
      #expect(abs(took - expected) <= reading, "\(took) s, not \(expected) s")
      #expect(count == round)
    }
  }

  @Test("A task that is shorter than a reading of the clock still runs")
  func short() {
    let clock = StepClock(reading: 1e-7)
    var count = 0
    let slowed = TimedTask(name: "a") { count += 1 }.slowed(by: 0.05, clock: clock.read)
    for _ in 0..<10 { slowed.iterate() }
    #expect(count == 10)
  }
}
