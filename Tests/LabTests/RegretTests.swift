import Blur
import BlurMeasurement
import BlurRecords
import Testing

@testable import lab

@Suite("Regret")
struct RegretTests {
  @Test("A ratio counts only if the choice was certainly slower")
  func ratio() {
    let best = Array(repeating: 100.0, count: 21)
    #expect(Regret.ratio(best.map { $0 * 1.2 }, to: best) == 1.2)
    #expect(Regret.ratio(best.map { $0 / 1.2 }, to: best) == 1)
    // If 13 of 21 samples are slower, this could be chance: the one-sided sign test gives p = 0.19.
    let mixed = best.enumerated().map { $0.offset < 13 ? $0.element * 1.5 : $0.element * 0.9 }
    #expect(Regret.ratio(mixed, to: best) == 1)
    let clear = best.enumerated().map { $0.offset < 17 ? $0.element * 1.5 : $0.element * 0.9 }
    #expect(Regret.ratio(clear, to: best) == 1.5)
  }

  @Test("If other programs disturbed one of five sessions, the other sessions determine the regret")
  func session() {
    let best = Array(repeating: 100.0, count: 35)
    let slow = { (index: Int, factor: Double) in index / 7 == 2 ? factor : 1 }
    #expect(Regret.ratio(best.indices.map { 100 * slow($0, 3) }, to: best) == 1)
    let slower = Array(repeating: 120.0, count: 35)
    #expect(Regret.ratio(slower, to: best.indices.map { 100 * slow($0, 2) }) == 1.2)
  }

  @Test("The same seed always gives the same trials, and another seed gives others")
  func trials() throws {
    let list = { (seed: UInt64) in
      try RegretTrial.list(count: 50, seed: seed, cores: 4).map { "\($0.workload.fullTitle) \($0.bound)" }
    }
    let first = try list(1)
    #expect(try list(1) == first && list(2) != first)
    #expect(first.contains { $0.contains("4 threads") } && first.contains { !$0.contains("threads") })
    let tuned = try? MeasurementPlan(suite: "tune", cores: 4)
    let seen = Set(tuned?.jobs.map(\.workload) ?? [])
    #expect(!seen.isEmpty)
    #expect(try RegretTrial.list(count: 500, seed: 1, cores: 4).allSatisfy { !seen.contains($0.workload) })
  }

  @Test("Regret is measured for always choosing one kernel, for estimates, and for measured times")
  func regret() throws {
    let regret = try RegretRun().measure(count: 1, seed: 3, cores: 1, tuning: 0.05) { _ in }
    #expect(regret.rows.count == 1 && regret.null.worst >= 1)
    #expect(regret.estimate.worst >= 1 && regret.measured.geometricMean >= 1)
    for name in ["always pyramid", "estimate", "measured"] {
      #expect(regret.text.contains("\n\(name): geometric mean"))
    }
  }

  @Test("The null model takes pyramid, or pyramid-fine for a strict bound, with the widest vectors")
  func nullModel() throws {
    for trial in try RegretTrial.list(count: 100, seed: 9, cores: 2) {
      let candidates = trial.candidates(Registry.kernels)
      let name = try trial.nullChoice(candidates)
      let keeps = try Registry.kernel(named: "pyramid").promise.bound(for: trial.workload.layout.format)!
      #expect(name.kernel == (keeps <= trial.bound.levels ? "pyramid" : "pyramid-fine"))
      #expect(name.isa == .best)
    }
  }
}
