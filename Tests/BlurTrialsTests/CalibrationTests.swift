import Testing

@testable import BlurTrials

@Suite("The goals of a calibration")
struct CalibrationTests {
  private func calibration(alarms: Int, found: Int, untrusted: Int = 0) -> Calibration {
    var identical = Calibration.Phase(planted: 0, threshold: 0.05)
    identical.cases = 500
    identical.comparisons = 10
    identical.untrusted = untrusted
    identical.verdicts = ["same": 500 - alarms, "improved": alarms]
    var slowed = Calibration.Phase(planted: 0.05, threshold: 0.05)
    slowed.cases = 100
    slowed.verdicts = ["regressed": found, "improved": 100 - found]
    var calibration = Calibration()
    calibration.phases = [identical, slowed]
    return calibration
  }

  @Test("At most 1 % of false alarms of either kind, at least 95 % of slowdowns found as such")
  func goals() {
    #expect(calibration(alarms: 5, found: 95).isGood == true)
    #expect(calibration(alarms: 6, found: 95).isGood == false)
    #expect(calibration(alarms: 0, found: 94).isGood == false)
    #expect(calibration(alarms: 0, found: 100, untrusted: 5).isGood == nil)
    #expect(Calibration().isGood == nil)
  }
}
