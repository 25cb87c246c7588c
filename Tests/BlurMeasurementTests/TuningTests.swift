import Blur
import Foundation
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("Tuning")
struct TuningTests {
  /// Halving with a simulated clock: what was sampled, and how long that took.
  final class Clock {
    let times: [Double]
    private(set) var spent: [Double]
    init(_ times: [Double]) {
      self.times = times
      spent = times.map { _ in 0 }
    }

    func halving(_ bounds: [Double], most: Double = .infinity) -> Halving {
      Halving(bounds: bounds) { [self] entrant, iterations in
        spent[entrant] += Double(iterations) * times[entrant] / 1e9
        return TuningSample(time: times[entrant], isCalm: true)
      } goesOn: { [self] in
        spent.reduce(0, +) < most
      }
    }
  }

  @Test("Time is spent where it is open who is quickest")
  func halving() throws {
    let clock = Clock((0..<16).map { 1000 * pow(1.5, Double($0)) })
    let times = try clock.halving(Array(repeating: 1, count: 16)).times().map(\.nanoseconds)
    #expect(times == clock.times)
    #expect(clock.spent[0] > 10 * clock.spent[15] && clock.spent[1] > 10 * clock.spent[15])
    // 3 + 6 + 12 + 24 + 48 samples of half a millisecond for the two that stay, and one blur before.
    #expect(abs(clock.spent[0] - (93 * Halving.sampleTime / 1e9 + 1e-6)) < 1e-4)
    #expect(clock.spent[4...].reduce(0, +) < 2 * clock.spent[0])
  }

  @Test("Samples on disturbed cores count only where there are no others")
  func disturbed() throws {
    var time = ShortestTime(TuningSample(time: 90, isCalm: false))
    time.take(TuningSample(time: 150, isCalm: false))
    #expect(time.nanoseconds == 90 && !time.isCalm)
    // Longer, but calm.
    time.take(TuningSample(time: 100, isCalm: true))
    #expect(time.nanoseconds == 100 && time.isCalm)
    time.take(TuningSample(time: 80, isCalm: false))
    time.take(TuningSample(time: 98, isCalm: true))
    #expect(time.nanoseconds == 98 && time.isCalm)
  }

  @Test("The probe's least time is its calmest, and waiting for it ends when it must")
  func probe() {
    let probe = CoreProbe()
    #expect(probe.least(threads: 1) == .infinity && probe.slowdown(threads: 1) == 1)
    for _ in 0..<20 { #expect(probe.slowdown(threads: 1) >= 1 && probe.slowdown(threads: 2) >= 1) }
    #expect(probe.least(threads: 1) > 0 && probe.least(threads: 2) < .infinity)
    var asked = 0
    let last = probe.calm(threads: 1) {
      asked += 1
      return asked < 5
    }
    #expect(asked <= 5 && (asked == 5 || last <= probe.limit))
  }

  @Test("The quickest within each bound stay, however slow beside looser ones")
  func bounds() {
    let halving = Clock([1, 2, 3, 4, 100, 200, 300]).halving([9, 9, 9, 9, 1, 1, 1])
    #expect(halving.kept(of: Array(0..<7), [1, 2, 3, 4, 100, 200, 300]) == [0, 1, 2, 4, 5])
    #expect(halving.kept(of: [0, 1, 4, 5], [1, 2, 3, 4, 100, 200, 300]) == [0, 1, 4, 5])
  }

  @Test("Whoever is sampled gets a time, even when the budget is over at once")
  func budget() throws {
    let clock = Clock([5000, 7000, 9000])
    #expect(try clock.halving([1, 1, 1], most: 0).times().map(\.nanoseconds) == [5000, 7000, 9000])
    #expect(abs(clock.spent.reduce(0, +) - 21e-6) < 1e-9)
  }

  @Test("A workload is tuned: every candidate that takes part has a time and its promise")
  func measured() throws {
    let workload = Workload(
      threads: 1, layout: try ImageLayout(.gray16, width: 40, height: 30), sigma: 3, edge: .wrap)
    let found = try Tuner(measuresAll: true).measured(workload, seconds: 0.05)
    #expect(found.isSame(as: Wisdom.Workload(workload)) && found.edge == "wrap")
    let names = Set(found.times.map(\.kernel))
    let promising = Registry.kernels.filter { $0.promise.bound(for: .gray16) != nil }.map(\.name)
    #expect(names == Set(promising).subtracting(["naive"]))
    for time in found.times {
      #expect(time.ns > 0)
      #expect(try time.within == Registry.kernel(named: time.kernel).promise.bound(for: .gray16))
    }
    #expect(found.times.map(\.ns) == found.times.map(\.ns).sorted())
  }

  @Test("A budget of nothing measures nothing; workloads are handed on one by one")
  func tuner() throws {
    let workloads = try [1.0, 5, 9].map {
      Workload(threads: 1, layout: try ImageLayout(.gray8, width: 16, height: 16), sigma: $0, edge: .clamp)
    }
    var found: [Wisdom.Workload] = []
    // Nothing is a disturbance, or it would be measured again.
    let tuner = Tuner(probe: CoreProbe(limit: .infinity))
    #expect(try tuner.tune(workloads, budget: 0, progress: { _ in }, found: { found.append($0) }) == 0)
    #expect(found.isEmpty)
    #expect(try tuner.tune(workloads, budget: 60, progress: { _ in }, found: { found.append($0) }) == 3)
    #expect(found.map(\.sigma) == [1, 5, 9])
  }

  @Test("A ratio counts only where it is sure that the choice was slower")
  func ratio() {
    let best = Array(repeating: 100.0, count: 21)
    #expect(Regret.ratio(best.map { $0 * 1.2 }, to: best) == 1.2)
    #expect(Regret.ratio(best.map { $0 / 1.2 }, to: best) == 1)
    // 13 of 21 slower could be chance: the sign test's p is 0.19 on one side.
    let mixed = best.enumerated().map { $0.offset < 13 ? $0.element * 1.5 : $0.element * 0.9 }
    #expect(Regret.ratio(mixed, to: best) == 1)
    let clear = best.enumerated().map { $0.offset < 17 ? $0.element * 1.5 : $0.element * 0.9 }
    #expect(Regret.ratio(clear, to: best) == 1.5)
  }

  @Test("In one of five sessions somebody else slowed one of the two down: regret is what the others say")
  func session() {
    let best = Array(repeating: 100.0, count: 35)
    let slow = { (index: Int, factor: Double) in index / 7 == 2 ? factor : 1 }
    #expect(Regret.ratio(best.indices.map { 100 * slow($0, 3) }, to: best) == 1)
    let slower = Array(repeating: 120.0, count: 35)
    #expect(Regret.ratio(slower, to: best.indices.map { 100 * slow($0, 2) }) == 1.2)
  }

  @Test("Trials of a seed are always the same, and of another seed others")
  func trials() {
    let list = { (seed: UInt64) in
      RegretTrial.list(count: 50, seed: seed, cores: 4).map { "\($0.workload.fullTitle) \($0.bound)" }
    }
    #expect(list(1) == list(1) && list(1) != list(2))
    #expect(list(1).contains { $0.contains("4 threads") } && list(1).contains { !$0.contains("threads") })
    let tuned = try? MeasurementPlan(
      suite: "tune", cores: 4, files: SuiteFiles(startingAt: [URL(filePath: #filePath)]))
    let seen = Set(tuned?.jobs.map(\.workload) ?? [])
    #expect(!seen.isEmpty)
    #expect(RegretTrial.list(count: 500, seed: 1, cores: 4).allSatisfy { !seen.contains($0.workload) })
  }

  @Test("Regret is measured for the cost model, and for wisdom where there is some")
  func regret() throws {
    let regret = try RegretRun(wisdom: nil).measure(count: 1, seed: 3, cores: 1) { _ in }
    #expect(regret.rows.count == 1 && regret.wisdom == nil)
    #expect(try #require(regret.model).worst >= 1 && regret.rows[0].wisdom == nil)
    #expect(regret.text.contains("cost model alone: geometric mean"))
    let object = try JSONSerialization.jsonObject(with: Data(regret.json().utf8)) as? [String: Any]
    #expect(((object?["model"] as? [String: Any])?["geometric_mean"] as? Double ?? 0) >= 1)
  }
}
