import Blur
import Testing

@testable import BlurRecords

@Suite("Scenes in names, suites and records")
struct SceneNameTests {
  private static let catalog = SceneCatalog(scenes: ["bar", "modal"], devices: ["small", "large"]) {
    (name) throws(BlurError) in
    Workload(
      threads: 1, layout: try ImageLayout(.rgba8, width: 30, height: name.device == "large" ? 40 : 20),
      sigma: 5, edge: .mirror, scene: name)
  }

  @Test("A scene's case is parsed back from its name, and its command names scene and device")
  func names() throws {
    let item = Case(
      kernel: "simd", isa: .avx2, workload: try Self.catalog.workload(SceneName("bar", on: "small")))
    #expect(item.name.hasSuffix("/scene=bar@small"))
    #expect(try Case(name: item.name) == item)
    #expect(
      item.command == "blurbench run --kernel simd --isa avx2 --threads 1 --scene bar --device small")
    var blur = item
    blur.workload.scene = nil
    #expect(blur != item && blur.workload.picture != item.workload.picture)
  }

  @Test(
    "Malformed names of scenes are rejected",
    arguments: ["bar", "bar@", "@small", "bar@small@x", "b/r@small", "bar@sm all", ""])
  func malformed(text: String) {
    #expect(SceneName(text) == nil)
    let name = "BM_Blur/kernel=a/isa=avx2/threads=1/format=rgba8/size=3x4/sigma=1/edge=clamp/scene=\(text)"
    #expect(throws: MeasurementError.self) { try Case(name: name) }
  }

  private func suite(_ workload: String) throws -> Suite {
    try SuiteReader(file: "s.yml", kernels: ["simd", "dct"], catalog: Self.catalog).read(
      "name: s\nwhy: w\nworkloads:\n  - \(workload)\n")
  }

  @Test("A suite's scenes give cases for every scene, device, kernel and number of threads")
  func cases() throws {
    let read = try suite("{scenes: all, devices: all, kernels: [simd, dct], threads: [1, 2]}")
    let kernels = Registry.kernels.filter { ["simd", "dct"].contains($0.name) }
    let jobs = try read.jobs(kernels: kernels, cores: 2, catalog: Self.catalog)
    #expect(jobs.count == 2 * 2 * 2 && jobs.allSatisfy { $0.cases.count == 2 })
    let overrides = try CaseLists(
      [.scene: "modal", .device: "large"], Vocabulary(kernels: ["simd", "dct"], catalog: Self.catalog))
    let fewer = try read.overridden(by: overrides).jobs(kernels: kernels, cores: 2, catalog: Self.catalog)
    #expect(Set(fewer.map(\.workload.scene)) == [SceneName("modal", on: "large")])
    #expect(fewer.map(\.workload.layout.height) == [40, 40])
  }

  @Test(
    "A mistake in a scene is reported with its place and a reason",
    arguments: [
      ("{scenes: [baar], devices: all, kernels: [simd]}", "did you mean 'bar'"),
      ("{scenes: all, kernels: [simd]}", "devices"),
      ("{scenes: all, devices: all, kernels: [simd], sigmas: [1]}", "sigmas"),
      (
        "{devices: all, kernels: [simd], formats: all, sizes: 3x3, sigmas: 1}",
        "devices: only allowed together with the key scenes"
      ),
    ])
  func mistakes(workload: String, word: String) {
    let error = #expect(throws: MeasurementError.self) { try suite(workload) }
    #expect("\(error!)".contains(word) && "\(error!)".contains("s.yml"))
  }

  @Test("New columns are read back unchanged, and files from before these columns can still be read")
  func files() throws {
    var record = Record(
      Case(kernel: "simd", isa: .avx2, workload: try Self.catalog.workload(SceneName("bar", on: "small"))),
      machineKey: "m")
    record.frames.p99 = 12.5
    record.frames.over120 = 3
    record.frames.times = FrameFigures(times: [1_234_567, 89.9, 0]).times
    #expect(record.frames.times == [1_234_600, 100, 0])
    (record.frames.staleLevels, record.frames.jumpLevels) = (0.25, 7)
    (record.frames.heldBytes, record.frames.truthJumpLevels) = (12_345, 6.5)
    record.speedShift = 1.5
    (record.memcpyThreads, record.process, record.probeTime, record.build) = (2, 2, 700, "b")
    record.disturbance.isQuiet = false
    (record.disturbance.coreSlowdown, record.disturbance.throttles) = (1.25, 0)
    let text = RecordsCSV.text([record])
    #expect(try RecordsCSV.read(text, path: "f.csv") == [record])
    let table = text.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    func lines(_ count: Int) -> [String] { table.map { $0.prefix(count).joined(separator: ",") + "\n" } }
    // Older files end before one of these columns. They are from before builds had names, before changes of
    // speed were marked, and before there were scenes.
    for column in ["jitter_ns", "speed_shift", "frame_p50_ns"] {
      let count = try #require(table[0].firstIndex { $0 == column })
      let earlier = try RecordsCSV.read(lines(count).joined(), path: "f.csv")
      #expect(earlier.map(\.name) == [record.name] && earlier[0].memcpyThreads == nil)
      #expect(earlier[0].process == nil && earlier[0].probeTime == nil && earlier[0].build.isEmpty)
      #expect(earlier[0].disturbance == Disturbance())
      #expect(earlier[0].speedShift == (column == "jitter_ns" ? record.speedShift : nil))
      var known = column == "frame_p50_ns" ? FrameFigures() : record.frames
      (known.times, known.jumpLevels, known.heldBytes, known.truthJumpLevels) = ([], nil, nil, nil)
      #expect(earlier[0].frames == known)
      // A row must have as many values as the header.
      #expect(throws: MeasurementError.self) {
        try RecordsCSV.read(lines(count)[0] + text.split(separator: "\n")[1] + "\n", path: "f.csv")
      }
    }
    // Any later column may be missing, but none of the columns that every version of the file format has.
    #expect(
      try RecordsCSV.read(lines(table[0].count - 3).joined(), path: "f.csv").map(\.name) == [record.name])
    #expect(throws: MeasurementError.self) { try RecordsCSV.read(lines(5).joined(), path: "f.csv") }
  }
}
