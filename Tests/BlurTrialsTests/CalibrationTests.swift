import Testing

@testable import BlurTrials

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
    slowed.cases = 100
    slowed.verdicts = ["regressed": found, "improved": 100 - found]
    var calibration = Calibration()
    calibration.phases = [identical, slowed]
    return calibration
  }

  @Test("False alarms surely in at most 5 % of comparisons, at least 95 % of slowdowns found as such")
  func goals() {
    #expect(calibration(alarms: 0, of: 59, found: 95).isGood == true)
    #expect(calibration(alarms: 0, of: 58, found: 95).isGood == nil)
    #expect(calibration(alarms: 1, found: 95).isGood == nil)
    #expect(calibration(alarms: 7, found: 95).isGood == false)
    #expect(calibration(alarms: 0, found: 94).isGood == false)
    #expect(calibration(alarms: 0, found: 100, untrusted: 30).isGood == nil)
    #expect(Calibration().isGood == nil)
  }

  @Test("Each build is compared with each other one, on both sides", arguments: 1...5)
  func pairs(count: Int) {
    let pairs = (0..<max(1, count * (count - 1))).map { CalibrationRun.pair($0, of: count) }
    #expect(count == 1 || pairs.allSatisfy { $0.base != $0.head })
    #expect(Set(pairs.map { $0.base * count + $0.head }).count == pairs.count)
    #expect(Set(pairs.map(\.base)) == Set(0..<count))
  }
}
