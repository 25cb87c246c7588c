import Blur
import BlurRecords
import BlurVerification
import Foundation
import Testing

@testable import BlurMeasurement

@Suite("Selection by measuring")
struct SelectionRunTests {
  @Test("Measuring chooses a kernel that promises the requested bound")
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

  @Test("The chosen kernel gets the same certificate as from `certify`, also in 8 bits")
  func certified() throws {
    let lists: [CaseDimension: String] = [.format: "gray8", .size: "40x30", .sigma: "5", .kernel: "pyramid"]
    let found = try SelectionRun(lists: lists, within: .levels(1), cores: 1).selections(
      measuresAll: true, settings: TimingSettings(repetitions: 2, minTime: 1e-4, warmUp: 0),
      certifySeconds: 60, machineKey: "feed"
    ) { _ in }
    let chosen = try #require(found.first?.chosen)
    let subject = Subject(
      .gray8, sigma: try Sigma(5), edge: .clamp,
      instructionSet: try #require(InstructionSet(rawValue: chosen.isa)))
    let certificate = try Certificate.of(Registry.kernel(named: "pyramid"), subject)
    #expect(chosen.certifiedLevels == certificate.worst?.levels)
  }

  @Test("With straight alpha, promises and certificates refer to the format that kernels blur")
  func straight() throws {
    let lists: [CaseDimension: String] = [
      .format: "rgba8", .alpha: "straight", .size: "40x30", .sigma: "5", .kernel: "simd", .isa: "baseline",
    ]
    let found = try SelectionRun(lists: lists, within: .share(1e-3), cores: 1).selections(
      measuresAll: true, settings: TimingSettings(repetitions: 2, minTime: 1e-4, warmUp: 0),
      certifySeconds: 60, machineKey: "feed"
    ) { _ in }
    let selection = try #require(found.first)
    let chosen = try #require(selection.chosen)
    let certificate = try Certificate.of(
      Registry.kernel(named: "simd"), Subject(.rgba16, sigma: try Sigma(5)))
    #expect(selection.workload.hasPrefix("rgba8 straight 40x30"))
    #expect(chosen.certifiedLevels == certificate.worst?.levels && chosen.promisedLevels == 0.255)
    #expect(try #require(chosen.maxErrorLevels) < 0.255)
  }

  /// Notes the names of the scenes instead of measuring them.
  private final class Scenes: CaseRunner {
    private(set) var names: [String] = []

    func run(
      _ jobs: [Job], done: Set<String>, record: ([Record]) throws(MeasurementError) -> Void
    ) {
      names = jobs.compactMap { $0.workload.scene?.text }
    }
  }

  @Test("A device without a scene selects all scenes on it, and a scene allows no option such as --sigma")
  func scenes() throws {
    let catalog = SceneCatalog(scenes: ["a", "b"], devices: ["d", "e"]) { (name) throws(BlurError) in
      Workload(
        threads: 1, layout: try ImageLayout(.rgba8, width: 8, height: 8), sigma: 2, edge: .mirror, scene: name
      )
    }
    func measured(_ lists: [CaseDimension: String]) throws -> [String] {
      let scenes = Scenes()
      _ = try SelectionRun(lists: lists, within: .levels(1), cores: 1, catalog: catalog).selections(
        measuresAll: false, settings: TimingSettings(repetitions: 2, minTime: 1e-4, warmUp: 0),
        certifySeconds: 0, machineKey: "feed", progress: { _ in }, scenes: scenes)
      return scenes.names
    }
    #expect(try measured([.device: "e"]) == ["a@e", "b@e"])
    #expect(try measured([.scene: "b"]) == ["b@d"])
    for dimension: CaseDimension in [.format, .size, .sigma, .edge, .pace] {
      let word = [CaseDimension.format: "rgba8", .size: "8x8", .sigma: "2", .edge: "clamp", .pace: "cold"]
      let error = #expect(throws: MeasurementError.self) {
        try measured([.scene: "a", dimension: word[dimension] ?? ""])
      }
      #expect("\(error as Any)".contains("--\(dimension.key) cannot be combined with a scene"))
    }
  }
}
