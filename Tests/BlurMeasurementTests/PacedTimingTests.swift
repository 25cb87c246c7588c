import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("Blurs that are timed one by one")
struct PacedTimingTests {
  /// A simulated clock that advances when the test passes time. A wait ends exactly on time, or too late by
  /// `oversleeps` seconds.
  final class StepClock {
    private(set) var now = 100.0
    var oversleeps = 0.0
    private(set) var waits = 0

    func pass(_ seconds: Double) { now += seconds }

    var sampler: Sampler {
      var sampler = Sampler()
      sampler.now = { self.now }
      sampler.wait = { moment in
        self.waits += 1
        self.now = max(self.now, moment) + self.oversleeps
      }
      return sampler
    }
  }

  static func samples(_ clock: StepClock, _ pace: Pace, blur: @escaping (Int) -> Double) throws -> [Sample] {
    var (blurs, evictions) = (0, 0)
    let task = TimedTask(name: "a", at: pace) {
      evictions += 1
      clock.pass(0.005)
    } iterate: {
      if blurs > 0 && pace == .cold { #expect(evictions % 31 == blurs % 31) }
      clock.pass(blur(blurs))
      blurs += 1
    }
    let settings = TimingSettings(repetitions: 1, minTime: 0.01, warmUp: 0)
    return try clock.sampler.samples(of: [task], settings, at: pace)[0]
  }

  @Test("The caches are emptied before each cold blur, and that is not timed")
  func cold() throws {
    let clock = StepClock()
    let samples = try Self.samples(clock, .cold) { _ in 0.001 }
    let sample = try #require(samples.first)
    #expect(samples.count == 1 && sample.iterations == 30 && clock.waits == 0)
    #expect(abs(sample.realTime - 1e6) < 1)
    #expect(sample.frames == FrameFigures())
  }

  @Test("A blur once per frame is timed alone, and also from the moment its frame was due")
  func frames() throws {
    let clock = StepClock()
    clock.oversleeps = 0.002
    let sample = try #require(Self.samples(clock, .at60Hz) { _ in 0.003 }.first)
    #expect(clock.waits == 30)
    #expect(abs(sample.realTime - 3e6) < 1)
    #expect(abs(try #require(sample.frames.p50) - 5e6) < 1)
    #expect(abs(try #require(sample.frames.jitter)) < 1)
    #expect(sample.frames.over60 == 0)
  }

  @Test("A blur that misses its frame is counted and shows as jitter, and the frame is not made up for")
  func missed() throws {
    let clock = StepClock()
    let begin = clock.now
    // Every third blur takes longer than a frame.
    let sample = try #require(Self.samples(clock, .at120Hz) { $0 % 3 == 0 ? 0.012 : 0.001 }.first)
    #expect(sample.frames.over120 == 10)
    #expect(abs(try #require(sample.frames.jitter) - 11e6) < 1)
    // Each blur that was late costs one more frame, so the whole run takes 41 frames at 120 Hz.
    #expect(abs(clock.now - begin - 41 / 120.0) < 1 / 120.0)
  }

  @Test("All records of a job at a pace have that pace, including those of memcpy")
  func records() throws {
    var job = try Fixture.job("steady")
    job.workload.pace = .at120Hz
    job.cases = job.cases.map { Case(kernel: $0.kernel, isa: $0.isa, workload: job.workload) }
    let machine = FakeMachine()
    machine.tick = 0.0005
    let records = try Fixture.records([job], machine)[0]
    #expect(machine.timed.isEmpty)
    #expect(records.count == 6)
    for record in records {
      #expect(record.name.hasSuffix("/edge=clamp/pace=120hz") && record.item?.workload == job.workload)
      #expect(record.frames.jitter != nil && record.realTime != nil)
    }
  }
}

extension PacedTimingTests {
  @Test("Cold blurs are refused, and nothing is timed, if the caches cannot be emptied")
  func refused() throws {
    var job = try Fixture.job("steady")
    job.workload.pace = .cold
    job.cases = job.cases.map { Case(kernel: $0.kernel, isa: $0.isa, workload: job.workload) }
    let machine = FakeMachine()
    machine.tick = 0.0005
    machine.canEvict = false
    let records = try Fixture.records([job], machine)[0]
    #expect(records.count == 1 && records[0].isSkipped && records[0].realTime == nil)
    #expect(records[0].errorMessage.contains("empty the caches"))
    machine.canEvict = true
    #expect(try Fixture.records([job], machine)[0].allSatisfy { $0.isMeasured })
  }

  @Test("Only cold blurs empty the caches, and only blurs at a frame rate wait", arguments: Pace.allCases)
  func begin(pace: Pace) {
    let clock = StepClock()
    var evictions = 0
    let task = TimedTask(name: "a", at: pace, evict: { evictions += 1 }, iterate: {})
    let due = clock.sampler.begin(task, rate: pace.frameRate, since: clock.now)
    #expect(evictions == ([.cold, .onceCold].contains(pace) ? 1 : 0))
    #expect(clock.waits == (pace.frameRate == nil ? 0 : 1) && clock.now == due)
  }
}

@Suite("Energy measurement")
struct EnergyMeterTests {
  @Test("Energy is measured at the pace that is timed, and is left blank for cold blurs")
  func pace() throws {
    try Scratch.folder { folder in
      let zone = folder.appending(path: "intel-rapl:0")
      try FileManager.default.createDirectory(at: zone, withIntermediateDirectories: true)
      func write(_ file: String, _ text: String) throws {
        try Data(text.utf8).write(to: zone.appending(path: file))
      }
      try write("name", "package-0")
      try write("max_energy_range_uj", "90000000")
      try write("energy_uj", "1000000")
      let meter = try #require(EnergyMeter(folder: folder))
      for pace in Pace.allCases {
        try write("energy_uj", "1000000")
        let clock = PacedTimingTests.StepClock()
        var blurs = 0
        // A task whose blurs each consume one joule and take one millisecond.
        let task = TimedTask(name: "a", threads: 2) {
          blurs += 1
          try? write("energy_uj", "\(blurs + 1)000000")
          clock.pass(0.001)
        }
        let consumed = Consumption(of: task, at: pace, meter: meter, clock.sampler)
        let isCold = [.cold, .onceCold].contains(pace)
        #expect(consumed.energy == (isCold ? nil : 1e9) && consumed.cacheMisses == nil)
        #expect(clock.waits == (pace.frameRate == nil ? 0 : blurs))
        #expect(isCold ? blurs == 0 : blurs >= Int(0.2 * (pace.frameRate ?? 990)))
      }
    }
  }

  @Test("The energy of packages is summed without their parts, and a counter may wrap around")
  func packages() throws {
    try Scratch.folder { folder in
      func write(_ zone: String, _ file: String, _ text: String) throws {
        let zone = folder.appending(path: zone)
        try FileManager.default.createDirectory(at: zone, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: zone.appending(path: file))
      }
      #expect(EnergyMeter(folder: folder) == nil)
      let zones = [
        ("intel-rapl:0", "package-0", "2"), ("intel-rapl:1", "package-1", "3"),
        ("intel-rapl:0:0", "core", "9"), ("intel-rapl:2", "psys", "7"),
      ]
      for (zone, name, joules) in zones {
        try write(zone, "name", "\(name)\n")
        try write(zone, "energy_uj", "\(joules)000000\n")
        try write(zone, "max_energy_range_uj", "10000000\n")
      }
      let meter = try #require(EnergyMeter(folder: folder))
      #expect(meter.joules == 5)
      #expect(meter.difference(from: 5, to: 6) == 1)
      #expect(meter.difference(from: 9, to: 1) == 2)
      try FileManager.default.removeItem(at: folder.appending(path: "intel-rapl:1/energy_uj"))
      #expect(meter.joules == nil && EnergyMeter(folder: folder) == nil)
    }
  }
}
