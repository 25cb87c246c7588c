import Blur
import BlurRecords
import Foundation
import Testing

@testable import BlurMeasurement

@Suite("Selection by measuring")
struct SelectionRunTests {
  @Test("Measured now, something is taken that promises the bound")
  func measured() throws {
    let lists: [CaseDimension: String] = [.format: "grayf32", .size: "40x30", .sigma: "2,9"]
    let settings = TimingSettings(repetitions: 2, minTime: 1e-4, warmUp: 0)
    let found = try SelectionRun(lists: lists, within: .share(1e-3), cores: 1).selections(
      measuresAll: false, settings: settings, certifySeconds: 5, machineKey: "feed"
    ) { _ in }
    #expect(found.count == 2)
    for selection in found {
      let chosen = try #require(selection.chosen)
      #expect(chosen.promisedLevels! <= 0.255 && chosen.maxErrorLevels! <= 0.255)
      #expect(try #require(chosen.certifiedLevels) <= 0.255)
    }
    let impossible = try SelectionRun(lists: lists, within: .levels(0), cores: 1).selections(
      measuresAll: false, settings: settings, certifySeconds: 0, machineKey: "feed"
    ) { _ in }
    #expect(impossible.count == 2 && impossible.allSatisfy { $0.chosen == nil })
    let array = try JSONSerialization.jsonObject(with: Data(found.json().utf8)) as? [[String: Any]]
    #expect((array?[0]["chosen"] as? [String: Any])?["kernel"] as? String == found[0].chosen?.kernel)
  }
}
