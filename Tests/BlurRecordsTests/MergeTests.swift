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
    var model = "CPU A", build = "b1", suite = "the suite"
    var count = 3
    var jobs: [Job]
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
      try Fixture.records(jobs, machineKey: machine.key).joined().map { row in
        var row = row
        row.build = build
        return row
      }
    }

    /// Writes simulated results of one shard, and returns the path of its CSV file.
    @discardableResult
    func write(_ index: Int, as name: String? = nil) throws -> String {
      let shard = try Shard("\(index)/\(count)")
      var provenance = Provenance(
        machine: machine, build: Fixture.build, suite: "s", suiteText: suite, command: ["blurbench"],
        date: Date(timeIntervalSince1970: 0))
      provenance.build.hash = build
      provenance.shard = ShardFacts(shard, of: jobs, Fixture.settings)
      let paths = try RecordFiles.Paths(folder.appending(path: (name ?? "\(index)") + ".csv").path)
      let csv = RecordsCSV.text(try records(shard.own(jobs)))
      try Data(csv.utf8).write(to: URL(filePath: paths.csv))
      try Data(change(provenance.text).utf8).write(to: URL(filePath: paths.txt))
      return paths.csv
    }
  }

  func refusal(_ paths: [String]) -> String {
    let error = #expect(throws: MeasurementError.self) { try Merge(paths) }
    #expect(error?.isUsage == false)
    return error?.description ?? ""
  }

  @Test("All shards, in any order, have the records of one machine that measures everything")
  func complete() throws {
    try Scratch.folder { folder in
      let fleet = try Fleet(folder)
      let records = try Merge([3, 1, 2].map { try fleet.write($0) }).records
      let order = { (records: [Record]) in
        records.sorted { ($0.name, $0.repetition ?? 0) < ($1.name, $1.repetition ?? 0) }
      }
      #expect(order(records) == order(try fleet.records(fleet.jobs)))
      #expect(try Merge([folder.path]).records == records)
    }
  }

  @Test("The merged files contain all records and provenance, replace no files, and are not a shard")
  func files() throws {
    try Scratch.folder { folder in
      var fleet = try Fleet(folder)
      fleet.change = { $0 + "kernel opencv: OpenCV 4.10\n" }
      for index in 1...3 { try fleet.write(index) }
      let merge = try Merge([folder.path])
      let paths = try RecordFiles.Paths(folder.appending(path: "all.csv").path)
      try merge.write(to: paths)
      #expect(try RecordsCSV.read(at: paths.csv) == merge.records)
      let json = try JSONSerialization.jsonObject(with: try Data(contentsOf: URL(filePath: paths.json)))
      let document = try #require(json as? [String: Any])
      #expect((document["benchmarks"] as? [Any])?.count == merge.records.filter { !$0.isSkipped }.count)
      let context = try #require(document["context"] as? [String: Any])
      #expect(context["machine_key"] as? String == fleet.machine.key)
      #expect(context["kernel_opencv"] as? String == "OpenCV 4.10")
      let text = try TextFile.text(at: paths.txt)
      #expect((1...3).allSatisfy { text.contains("# shard \($0)/3") } && !text.contains("shard cases"))
      #expect(ProvenanceReader(text).lines.filter { $0.key == "suite hash" }.count == 3)
      #expect(throws: MeasurementError.self) { try merge.write(to: paths) }
      #expect(refusal([folder.path]).contains("all.txt: does not describe a shard"))
    }
  }

  @Test("A missing shard is an error that names it", arguments: [1, 2, 3])
  func missing(index: Int) throws {
    try Scratch.folder { folder in
      let fleet = try Fleet(folder)
      for other in 1...3 where other != index { try fleet.write(other) }
      #expect(refusal([folder.path]) == "shard \(index)/3 is missing")
    }
  }

  @Test("Wherever a shard was cut off, the error names the shard and its number of complete cases")
  func killed() throws {
    try Scratch.folder { folder in
      let fleet = try Fleet(folder)
      for index in 1...3 { try fleet.write(index) }
      let file = folder.appending(path: "2.csv")
      let whole = try Data(contentsOf: file)
      for cut in stride(from: 0, to: whole.count * 3 / 4, by: 397) {
        try whole.prefix(cut).write(to: file)
        let reason = refusal([folder.path])
        #expect(reason.hasPrefix("shard 2/3 has ") && reason.contains(#/ complete cases? instead of 6:/#))
      }
    }
  }

  @Test("A shard that is in two files is an error that names the shard and both files")
  func doubled() throws {
    try Scratch.folder { folder in
      let fleet = try Fleet(folder)
      for index in 1...3 { try fleet.write(index) }
      let copy = try fleet.write(2, as: "copy")
      let reason = refusal([folder.path])
      #expect(reason.contains("shard 2/3 is in two files") && reason.contains("2.csv"), "\(reason)")
      #expect(reason.contains(URL(filePath: copy).lastPathComponent))
    }
  }

  @Test("A row that is in a shard twice, and a case that is in two shards, are errors that name them")
  func doubledRows() throws {
    try Scratch.folder { folder in
      let fleet = try Fleet(folder)
      for index in 1...3 { try fleet.write(index) }
      let own = try (1...2).map { try fleet.records(Shard("\($0)/3").own(fleet.jobs)) }
      let names = try own.map { try #require($0.first { !$0.isCopy }).name }
      func refusal(of records: [Record]) throws -> String {
        let text = RecordsCSV.text(records)
        try Data(text.utf8).write(to: folder.appending(path: "2.csv"))
        return self.refusal([folder.path])
      }
      let twice = try refusal(of: own[1] + own[1].filter { $0.name == names[1] })
      #expect(twice.contains("2.csv: line ") && twice.contains(": repetition 0 of \(names[1]) is already in"))
      let moved = try refusal(
        of: own[1].filter { $0.name != names[1] } + own[0].filter { $0.name == names[0] })
      #expect(moved.hasPrefix("\(names[0]) is in two shards, ") && moved.contains("2.csv"), "\(moved)")
    }
  }

  @Test("Shards of other suites, machines, programs or divisions are rejected, also in resumed runs")
  func mixed() throws {
    let changes: [(word: String, change: (inout Fleet) throws -> Void)] = [
      ("suite hash differs", { $0.suite = "another suite" }),
      ("machine key differs", { $0.model = "CPU B" }),
      ("program differs", { $0.build = "b2" }),
      ("does not belong to the same run", { $0.count = 2 }),
      ("does not belong to the same run", { $0.jobs.removeLast() }),
      (
        "suite hash differs",
        { $0.change = { $0 + "\n# resumed\n" + $0.replacing(/suite hash: [^\n]*/, with: "suite hash: x") } }
      ),
    ]
    for (word, change) in changes {
      try Scratch.folder { folder in
        var fleet = try Fleet(folder)
        let first = try fleet.write(1)
        try change(&fleet)
        let second = try fleet.write(2)
        let reason = refusal([first, second])
        #expect(reason.contains(word) && reason.contains(first) && reason.contains(second), "\(reason)")
      }
    }
  }

  @Test("Rows from a different machine or program than the provenance names are rejected")
  func foreignRows() throws {
    try Scratch.folder { folder in
      var fleet = try Fleet(folder)
      for (key, value) in [("machine key", fleet.machine.key), ("program", fleet.build)] {
        fleet.change = { $0.replacing("\(key): \(value)", with: "\(key): another") }
        #expect(refusal([try fleet.write(1)]).contains("rows from a different machine or program"))
      }
    }
  }

  @Test("Merging no files is an error")
  func none() {
    let error = #expect(throws: MeasurementError.self) { try Merge([]) }
    #expect(error?.isUsage == true)
  }

  @Test("Records that are not a shard are rejected by name")
  func noShard() throws {
    try Scratch.folder { folder in
      var fleet = try Fleet(folder)
      try fleet.write(1)
      let changes: [(String) -> String] = [{ _ in "suite: s\n" }, { String($0.dropLast(40)) }]
      for change in changes {
        fleet.change = change
        let other = try fleet.write(2, as: "other")
        #expect(refusal([other]).contains("other.txt: does not describe a shard"))
        #expect(refusal([folder.path]).contains("--shard"))
      }
    }
  }
}
