import Blur
import BlurMeasurement
import BlurRecords
import Testing

@testable import BlurComparison
@testable import lab

@Suite("The goals of a calibration")
struct CalibrationTests {
  private func calibration(alarms: Int, of comparisons: Int = 60, found: Int, untrusted: Int = 0)
    -> Calibration
  {
    var identical = Calibration.Part(planted: 0, threshold: 0.05)
    identical.cases = comparisons * 30
    identical.comparisons = comparisons
    identical.differing = alarms
    identical.untrusted = untrusted
    identical.verdicts = ["same": comparisons * 30 - alarms, "improved": alarms]
    var slowed = Calibration.Part(planted: 0.05, threshold: 0.05)
    slowed.cases = 600
    slowed.verdicts = ["regressed": found, "improved": 600 - found]
    // The slowdowns were measured in twelve comparisons of fifty cases each. The slowdowns that were not
    // found are distributed evenly over the comparisons.
    slowed.tallies = (0..<12).map {
      Calibration.Tally(cases: 50, found: 50 - (600 - found) / 12 - ($0 < (600 - found) % 12 ? 1 : 0))
    }
    var calibration = Calibration()
    calibration.phases = [identical, slowed]
    return calibration
  }

  @Test("With confidence, at most 5 % of comparisons raise a false alarm and 95 % of slowdowns are found")
  func goals() {
    #expect(calibration(alarms: 0, of: 59, found: 590).isGood == true)
    #expect(calibration(alarms: 0, of: 58, found: 590).isGood == nil)
    #expect(calibration(alarms: 1, found: 590).isGood == nil)
    #expect(calibration(alarms: 7, found: 590).isGood == false)
    // In this sample, 570 of 600 slowdowns were found, which is exactly the goal of 95 %. That is too little
    // evidence that the true rate is at least 95 %.
    #expect(calibration(alarms: 0, found: 570).isGood == nil)
    #expect(calibration(alarms: 0, found: 540).isGood == false)
    #expect(calibration(alarms: 0, found: 600, untrusted: 30).isGood == nil)
    #expect(Calibration().isGood == nil)
  }

  private func comparison(_ cases: [CaseComparison]) -> Comparison {
    Comparison(base: "a", head: "b", method: .processes, threshold: 0.05, cases: cases)
  }

  private func row(_ verdict: Verdict, fault: Bool = false) -> CaseComparison {
    var row = CaseComparison(name: "n")
    row.ratio = Ratio(estimate: 1, low: 0.99, high: 1.01)
    row.verdict = verdict
    if fault { row.faults = [Fault(.output, "some bits differ")] }
    return row
  }

  @Test("A fault between builds of the same sources is a false alarm, and undecided comparisons are counted")
  func faults() {
    var phase = Calibration.Part(planted: 0, threshold: 0.05)
    phase.add(comparison([row(.same), row(.same)]))
    #expect([phase.differing, phase.faulty, phase.undecided] == [0, 0, 0])
    phase.add(comparison([row(.same, fault: true), row(.same)]))
    #expect([phase.differing, phase.faulty, phase.undecided] == [1, 1, 0])
    phase.add(comparison([row(.same), row(.unclear)]))
    #expect([phase.differing, phase.faulty, phase.undecided] == [1, 1, 1])
    phase.add(comparison([row(.improved), row(.same)]))
    #expect([phase.differing, phase.faulty, phase.undecided] == [2, 1, 1])
    #expect(phase.tallies.map(\.found) == [0, 0, 0, 1] && phase.cases == 8)
    #expect(phase.alarms.mapValues(\.count) == ["n": 1] && phase.unclear == ["n": 1])
    // A case that seems faster although it was slowed does not count as found.
    var slowed = Calibration.Part(planted: 0.05, threshold: 0.05)
    slowed.add(comparison([row(.improved), row(.regressed)]))
    #expect(slowed.tallies.map(\.found) == [1] && slowed.found == 0.5 && slowed.alarms.isEmpty)
  }

  @Test("The default suite has every kernel and two threads, and eleven pairs are enough for it")
  func suite() throws {
    let plan = try MeasurementPlan(suite: "compare", lists: [:], filter: nil, cores: 2)
    let cases = plan.jobs.flatMap(\.cases)
    #expect(Set(cases.map(\.kernel)) == Set(Registry.kernels.map(\.name)))
    #expect(Set(cases.map(\.workload.threads)) == [1, 2])
    #expect(Set(cases.map(\.workload.layout.format.channels)) == [1, 3, 4])
    #expect(Set(cases.map(\.name)).count == cases.count)
    #expect(MultipleTests.pairsNeeded(cases: cases.count, rate: 0.05) <= 11)
  }

  @Test("Each build is compared with every other one, both as the base and as the head", arguments: 1...5)
  func pairs(count: Int) {
    let pairs = (0..<max(1, count * (count - 1))).map { CalibrationRun.pair($0, of: count) }
    #expect(count == 1 || pairs.allSatisfy { $0.base != $0.head })
    #expect(Set(pairs.map { $0.base * count + $0.head }).count == pairs.count)
    #expect(Set(pairs.map(\.base)) == Set(0..<count))
  }
}
