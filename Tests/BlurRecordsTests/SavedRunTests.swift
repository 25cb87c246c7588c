import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurRecords

@Suite("Saved runs")
struct SavedRunTests {
  @Test("A baseline contains the records and the program of its run, and is replaced as a whole")
  func baselines() throws {
    try Scratch.folder { folder in
      let runs = try #require(SavedRuns { $0 == "XDG_STATE_HOME" ? folder.path : nil })
      let program = folder.appending(path: "program")
      try Data("#!/bin/sh\n".utf8).write(to: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
      let records = try Fixture.records([Fixture.job("steady")]).flatMap { $0 }
      #expect(runs.names.isEmpty)
      for count in [records.count, 1] {
        try runs.save(Array(records.prefix(count)), provenance: "p", program: program, as: "main")
        let text = try TextFile.text(at: folder.path + "/blurbench/baselines/main/run.csv")
        #expect(try RecordsCSV.read(text, path: "") == Array(records.prefix(count)))
      }
      #expect(runs.names == ["main"])
      let baseline = try runs.baseline("main")
      #expect(FileManager.default.contentsEqual(atPath: program.path, andPath: baseline.program))
      #expect(baseline.kernels.isEmpty && baseline.records == Array(records.prefix(1)))
    }
  }

  @Test("A baseline keeps copies of external kernels, and records where they came from")
  func kernels() throws {
    try Scratch.folder { folder in
      let runs = try #require(SavedRuns { $0 == "XDG_STATE_HOME" ? folder.path : nil })
      let files = ["program", "a/k.so", "b/k.so", "k.py"].map { folder.appending(path: $0) }
      for file in files {
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(file.path.utf8).write(to: file)
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: files[0].path)
      let kernels = ExternalKernels(plugins: [files[1].path, files[2].path], python: [files[3].path])
      let records = try Fixture.records([Fixture.job("steady")]).flatMap { $0 }
      try runs.save(records, provenance: "", program: files[0], kernels: kernels, as: "mine")
      for file in files { try Data("changed".utf8).write(to: file) }
      let saved = try runs.baseline("mine")
      #expect(saved.origins == kernels)
      let copies = saved.kernels.plugins + saved.kernels.python
      #expect(copies.map { URL(filePath: $0).lastPathComponent } == ["k.so", "k.so", "k.py"])
      for (copy, file) in zip(copies, files.dropFirst()) {
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == file.path)
      }
      #expect(throws: MeasurementError.self) {
        try runs.save(
          records, provenance: "", program: files[0],
          kernels: ExternalKernels(plugins: ["/nowhere/k.so"]), as: "mine")
      }
      #expect(try runs.baseline("mine").origins == kernels)
    }
  }

  @Test("Lists and a filter select a baseline's cases, except those that cannot be measured again")
  func cases() throws {
    let jobs = try ["simd", "dct"].map { try Fixture.job($0) }
    var records = try Fixture.records(jobs).flatMap { $0 }
    let names = Set(records.filter { !$0.isCopy }.map(\.name))
    let vocabulary = Vocabulary(kernels: ["simd", "dct"])
    func chosen(_ lists: [CaseDimension: String], _ filter: String? = nil) throws -> [String] {
      let baseline = Baseline(
        name: "b", program: "", kernels: ExternalKernels(), origins: ExternalKernels(), records: records)
      return try baseline.cases(lists: lists, filter: filter, cores: 2, vocabulary).map(\.name)
    }
    let all = try chosen([:])
    #expect(Set(all) == names && all.count == names.count)
    #expect(try chosen([.kernel: "dct"]).allSatisfy { $0.contains("kernel=dct/") })
    #expect(try chosen([:], "kernel=simd").allSatisfy { $0.contains("kernel=simd/") })
    #expect(throws: MeasurementError.self) { try chosen([.size: "9999x9999"]) }
    #expect(throws: MeasurementError.self) { try chosen([.kernel: "smd"]) }
    for index in records.indices where records[index].name.contains("kernel=simd/") {
      records[index] = records[index].skipped("too small")
    }
    #expect(try chosen([:]).allSatisfy { $0.contains("kernel=dct/") })
  }

  @Test(
    "Names that are paths or hidden files are rejected",
    arguments: ["", "..", "../x", "a/b", ".a", "-a", "a b"])
  func names(name: String) {
    #expect(throws: MeasurementError.self) { try SavedRuns.check(name) }
  }

  @Test("The last run of a suite is kept, whatever the suite's name is")
  func last() throws {
    try Scratch.folder { folder in
      let runs = try #require(SavedRuns { $0 == "HOME" ? folder.path : nil })
      let records = try Fixture.records([Fixture.job("steady")]).flatMap { $0 }
      #expect(runs.last(of: "../x/y") == nil)
      try runs.keepLast(records, of: "../x/y")
      #expect(runs.last(of: "../x/y")?.records == records && runs.last(of: "quick") == nil)
      // A run with fewer cases replaces only the records of these cases.
      let other = try Fixture.records([Fixture.job("other")]).flatMap { $0 }.filter { !$0.isCopy }
      try runs.keepLast(other, of: "../x/y")
      #expect(runs.last(of: "../x/y")?.records == other + records)
    }
    #expect(SavedRuns { _ in nil } == nil)
  }
}

@Suite("Limits of a suite")
struct LimitTests {
  private func violations(
    _ limits: String, milliseconds: Double, levels: Double, quiet: Int? = nil
  ) throws -> [(text: String, isDoubtful: Bool)] {
    let yaml = """
      name: limits
      why: A test of limits.
      workloads:
        - kernels: [simd]
          formats: gray8
          sizes: 20x10+3
          sigmas: 2
      \(limits.split(separator: "\n").map { "    " + $0 + "\n" }.joined())
      """
    let suite = try SuiteReader(file: "limits.yml", kernels: ["simd"]).read(yaml)
    let records = try Fixture.records([Fixture.job("simd")]) {
      $0.kernel == Case.memcpy ? 1e5 : milliseconds * 1e6
    }
    return suite.violations(
      in: records.joined().map { record in
        var record = record
        if !record.isCopy { record.maxErrorLevels = levels }
        record.disturbance.isQuiet = quiet.map { (record.repetition ?? 0) < $0 }
        return record
      }, cores: 2)
  }

  @Test("A time breaks a limit only if its whole interval does, but an error always does")
  func limits() throws {
    // The case is sampled three times. The samples take 1, 1.1 and 1.2 times the given time, and memcpy takes
    // 0.1 to 0.12 ms.
    #expect(try violations("limit: 2 ms", milliseconds: 1.9, levels: 1).isEmpty)
    #expect(
      try violations("limit: 2 ms", milliseconds: 2.1, levels: 1)[0].text.hasSuffix(
        "takes 2.31 ms, but the limit is 2 ms"))
    #expect(try violations("limit: 2000 us", milliseconds: 2.1, levels: 1).count == 1)
    #expect(try violations("limit: 30x memcpy", milliseconds: 2, levels: 1).isEmpty)
    #expect(
      try violations("limit: 9x memcpy", milliseconds: 2, levels: 1)[0].text.contains(
        "as a memcpy, but the limit is 9 times"))
    #expect(try violations("levels: 1", milliseconds: 2, levels: 1).isEmpty)
    #expect(try violations("levels: 1\nlimit: 2 ms", milliseconds: 3, levels: 1.5).count == 2)
    #expect(try violations("", milliseconds: 1000, levels: 200).isEmpty)
  }

  @Test("With few undisturbed samples, breaking a time limit is doubtful, but not breaking an error limit")
  func disturbed() throws {
    let both = "levels: 1\nlimit: 2 ms"
    #expect(try violations(both, milliseconds: 3, levels: 2, quiet: 0).map(\.isDoubtful) == [false, true])
    #expect(try violations(both, milliseconds: 3, levels: 2, quiet: 3).map(\.isDoubtful) == [false, false])
    #expect(try violations(both, milliseconds: 3, levels: 2, quiet: 2).map(\.isDoubtful) == [false, true])
  }

  @Test(
    "Malformed limits are rejected",
    arguments: ["limit: 2", "limit: 0 ms", "limit: fast", "levels: -1", "levels: x"])
  func refused(limit: String) {
    #expect(throws: MeasurementError.self) { try violations(limit, milliseconds: 1, levels: 1) }
  }
}
