import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurRecords

@Suite("Merging shards")
struct MergeTests {
  /// Returns six workloads, each of which has a skipped case and a wrong case.
  static func jobs() throws -> [Job] {
    try [1, 2, 3, 4, 5, 6].map { try Fixture.job("steady", "refusing", "lying", sigma: $0) }
  }

  /// Writes the result files of shards. A shard is one part of a suite that is divided among several
  /// machines. `change` edits the text of the provenance, to imitate other machines.
  struct Fleet {
    let folder: URL
    var model = "CPU A", build = "b1"
    var suite = "the suite"
    var count = 3
    var jobs: [Job]
    /// The nanoseconds of each case's first sample.
    var time = 1000.0
    var change: (String) -> String = { $0 }

    init(_ folder: URL) throws {
      self.folder = folder
      jobs = try MergeTests.jobs()
    }

    var machine: Machine {
      var machine = Machine()
      machine.model = model
      return machine
    }

    func records(_ jobs: [Job]) throws -> [Record] {
      try Fixture.records(jobs, machineKey: machine.key) { _ in time }.joined().map { row in
        var row = row
        row.build = build
        return row
      }
    }

    /// Writes simulated results of one shard (one part of the suite), and returns the path of its CSV file.
    @discardableResult
    func write(_ index: Int, as name: String? = nil) throws -> String {
      let plan = ShardPlan(jobs, try Shard(index, of: count), Fixture.settings)
      var provenance = Provenance(
        machine: machine, build: Fixture.build, suite: "s", suiteText: suite, command: ["blurbench"],
        date: Date(timeIntervalSince1970: 0))
      provenance.shardPlan = plan
      let text = provenance.text
      let paths = try RecordFiles.Paths(folder.appending(path: (name ?? "\(index)") + ".csv").path)
      let csv = RecordsCSV.header + RecordsCSV.lines(try records(plan.own(jobs)))
      try Data(csv.utf8).write(to: URL(filePath: paths.csv))
      try Data(change(text).utf8).write(to: URL(filePath: paths.txt))
      return paths.csv
    }
  }

  func refusal(_ paths: [String]) -> String {
    let error = #expect(throws: MeasurementError.self) { try Merge(paths) }
    #expect(error?.isUsage == false)
    return error?.description ?? ""
  }

  @Test("All shards, in any order, give the records of one machine that measures everything")
  func complete() throws {
    try Scratch.folder { folder in
      let fleet = try Fleet(folder)
      let files = try [3, 1, 2].map { try fleet.write($0) }
      let merge = try Merge(files)
      #expect(merge.isComplete && merge.missingShards.isEmpty && merge.notes.isEmpty)
      #expect(merge.machines.map(\.key) == [fleet.machine.key])
      #expect(merge.machines[0].records == (try fleet.records(fleet.jobs)))
    }
  }

  @Test("The merged files contain all records and provenance, and are not shards themselves")
  func files() throws {
    try Scratch.folder { folder in
      let fleet = try Fleet(folder)
      for index in 1...3 { try fleet.write(index) }
      let merge = try Merge([folder.path])
      let paths = try RecordFiles.Paths(try merge.write(to: folder.path, replacing: false)[0])
      let (records, isTruncated) = try RecordsCSV.readWholeLines(at: paths.csv)
      #expect(records == merge.machines[0].records && !isTruncated)
      let json = try JSONSerialization.jsonObject(with: try Data(contentsOf: URL(filePath: paths.json)))
      let document = try #require(json as? [String: Any])
      #expect((document["benchmarks"] as? [Any])?.count == records.filter { !$0.isSkipped }.count)
      #expect((document["context"] as? [String: Any])?["machine_key"] as? String == fleet.machine.key)
      let text = try TextFile.text(at: paths.txt)
      #expect((1...3).allSatisfy { text.contains("# shard \($0)/3") } && !text.contains("planned in shard"))
      #expect(ProvenanceReader(text).lines.filter { $0.key == "suite hash" }.count == 3)
      // The merged files are now in the same folder as the shards. They must not be taken for a shard, and
      // they must not be overwritten by default.
      let again = try Merge([folder.path])
      #expect(again.machines[0].records == records)
      #expect(throws: MeasurementError.self) { try again.write(to: folder.path, replacing: false) }
      #expect(try again.write(to: folder.path, replacing: true) == [paths.csv])
    }
  }

  @Test("The cases of a missing shard are listed, and the other shards are kept", arguments: [1, 2, 3])
  func missing(index: Int) throws {
    try Scratch.folder { folder in
      let fleet = try Fleet(folder)
      for other in 1...3 where other != index { try fleet.write(other) }
      let merge = try Merge([folder.path])
      let plan = ShardPlan(fleet.jobs, try Shard(index, of: 3), Fixture.settings)
      let lost = plan.own(fleet.jobs).flatMap(\.cases).map(\.name)
      #expect(merge.machines[0].missing.map(\.name) == lost && !lost.isEmpty)
      #expect(merge.missingShards == [index] && !merge.isComplete)
      #expect(lost.allSatisfy(merge.text.contains))
      #expect(Set(merge.machines[0].records.map(\.name)).isDisjoint(with: lost))
    }
  }

  @Test("Wherever a shard was cut off, each of its cases is either complete or missing")
  func killed() throws {
    try Scratch.folder { folder in
      let fleet = try Fleet(folder)
      for index in 1...3 { try fleet.write(index) }
      let file = folder.appending(path: "2.csv")
      let whole = try Data(contentsOf: file)
      let all = Set(fleet.jobs.flatMap(\.cases).map(\.name))
      for cut in stride(from: 0, to: whole.count, by: 397) {
        try whole.prefix(cut).write(to: file)
        let machine = try Merge([folder.path]).machines[0]
        let rows = Dictionary(grouping: machine.records, by: \.name)
        let missing = Set(machine.missing.map(\.name))
        #expect(Set(rows.keys).intersection(all) == all.subtracting(missing))
        #expect(rows.values.allSatisfy { $0.count == 3 || !$0[0].isMeasured })
      }
    }
  }

  @Test("A case with two results is an error that names it, but identical rows are fine")
  func duplicated() throws {
    try Scratch.folder { folder in
      var fleet = try Fleet(folder)
      for index in 1...3 { try fleet.write(index) }
      try fleet.write(2, as: "copy")
      #expect(try Merge([folder.path]).machines[0].records == fleet.records(fleet.jobs))
      fleet.time = 1001
      try fleet.write(2, as: "again")
      let reason = refusal([folder.path])
      let plan = ShardPlan(fleet.jobs, try Shard(2, of: 3), Fixture.settings)
      let name = try #require(plan.own(fleet.jobs).first).cases[0].name
      #expect(reason.contains(name) && reason.contains("again.csv") && reason.contains("2.csv"))
    }
  }

  @Test("Shards of other suites, revisions or kernels are rejected, also of other machines and resumed runs")
  func mixed() throws {
    let otherProgram = { (text: String) in
      text.replacing("git revision: feed", with: "git revision: beef")
        .replacing("program: b1", with: "program: b2")
    }
    let changes: [(word: String, change: (String) -> String)] = [
      ("suite hash", { $0.replacing(/suite hash: [^\n]*/, with: "suite hash: beef") }),
      ("git revision", otherProgram),
      ("kernels revision", { $0.replacing(/kernels revision: [^\n]*/, with: "kernels revision: 0.0") }),
      ("git revision", { otherProgram($0) + "\n# resumed\n" + $0 }),
    ]
    for (word, change) in changes {
      for model in ["CPU A", "CPU B"] {
        try Scratch.folder { folder in
          var fleet = try Fleet(folder)
          let first = try fleet.write(1)
          (fleet.change, fleet.model) = (change, model)
          let second = try fleet.write(2)
          let reason = refusal([first, second])
          #expect(reason.contains(word) && reason.contains(first) && reason.contains(second), "\(reason)")
        }
      }
    }
  }

  @Test("A program still counts as the same after its sources have changed")
  func movedSources() throws {
    try Scratch.folder { folder in
      var fleet = try Fleet(folder)
      let first = try fleet.write(1)
      fleet.change = { $0.replacing("git revision: feed", with: "git revision: unknown") }
      let merge = try Merge([first, fleet.write(2), fleet.write(3)])
      #expect(merge.isComplete)
    }
  }

  @Test("The versions of peers are merged together with their records")
  func versions() throws {
    try Scratch.folder { folder in
      var fleet = try Fleet(folder)
      fleet.change = { $0 + "kernel opencv: OpenCV 4.10\n" }
      for shard in 1...3 { try fleet.write(shard) }
      let path = try #require(Merge([folder.path]).write(to: folder.path + "/all", replacing: false).first)
      let json = try String(contentsOfFile: path.replacing(".csv", with: ".json"), encoding: .utf8)
      #expect(json.contains("\"kernel_opencv\": \"OpenCV 4.10\""))
    }
  }

  @Test("Two builds are not merged on one machine, but each machine may have its own build")
  func builds() throws {
    for model in ["CPU A", "CPU B"] {
      try Scratch.folder { folder in
        var fleet = try Fleet(folder)
        let first = try fleet.write(1)
        (fleet.build, fleet.model) = ("b2", model)
        let second = try fleet.write(2)
        guard model == "CPU A" else {
          #expect(try Merge([first, second]).machines.count == 2)
          return
        }
        let reason = refusal([first, second])
        #expect(reason.contains("another build") && reason.contains("b1, b2"), "\(reason)")
      }
    }
  }

  @Test("Shards of another division are rejected, and so are rows that belong to another shard")
  func foreignRows() throws {
    try Scratch.folder { folder in
      var fleet = try Fleet(folder)
      let first = try fleet.write(1)
      fleet.count = 2
      let second = try fleet.write(2)
      #expect(refusal([first, second]).contains("plan"))
      let third = try Fleet(folder).write(3)
      try FileManager.default.removeItem(atPath: third)
      try FileManager.default.copyItem(atPath: first, toPath: third)
      #expect(refusal([third]).contains("not a case of shard 3/3"))
    }
  }

  @Test("Machines are kept apart, each with its own missing shards")
  func machines() throws {
    try Scratch.folder { folder in
      var fleet = try Fleet(folder)
      for index in 1...3 { try fleet.write(index) }
      let first = fleet.machine.key
      (fleet.model, fleet.time) = ("CPU B", 5)
      try fleet.write(2, as: "b")
      let merge = try Merge([folder.path])
      #expect(Set(merge.machines.map(\.key)) == [first, fleet.machine.key])
      for machine in merge.machines {
        #expect(machine.records.allSatisfy { $0.machineKey == machine.key })
        #expect(machine.missingShards == (machine.key == first ? [] : [1, 3]))
      }
      #expect(Set(try merge.write(to: folder.appending(path: "out").path, replacing: false)).count == 2)
    }
  }

  @Test("Whatever a machine's key is, its files stay in the folder and overwrite no other files")
  func hostileKeys() throws {
    try Scratch.folder { folder in
      let keys = ["../../evil", "..", "a/b", "a_b", "a b", ".hidden", String(repeating: "k", count: 300)]
      for (index, key) in keys.enumerated() {
        var fleet = try Fleet(folder)
        let own = fleet.machine.key
        fleet.change = { $0.replacing("machine key: \(own)", with: "machine key: \(key)") }
        let file = URL(filePath: try fleet.write(1, as: "file \(index)"))
        let csv = try String(contentsOf: file, encoding: .utf8).replacing(own, with: key)
        try Data(csv.utf8).write(to: file)
      }
      let out = folder.appending(path: "out")
      let written = try Merge([folder.path]).write(to: out.path, replacing: false)
      #expect(Set(written).count == keys.count)
      #expect(try FileManager.default.contentsOfDirectory(atPath: out.path).count == 3 * keys.count)
    }
  }

  @Test("Records that are not a shard are rejected by name, and skipped in folders")
  func noShard() throws {
    try Scratch.folder { folder in
      var fleet = try Fleet(folder)
      try fleet.write(1)
      fleet.change = { _ in "suite: s\n" }
      let other = try fleet.write(2, as: "other")
      #expect(refusal([other]).contains("--shard"))
      let merge = try Merge([folder.path])
      #expect(merge.missingShards == [2, 3] && merge.notes.contains { $0.contains("other.txt") })
      // The provenance says that the file belongs to a shard, but the list of jobs in that shard was cut off.
      // The merge must report this instead of silently ignoring the rows.
      fleet.change = { String($0.dropLast(40)) }
      let cut = try fleet.write(3, as: "cut")
      #expect(refusal([folder.path]).contains("cut.txt") && refusal([cut]).contains("cut.txt"))
    }
  }
}
