import Blur
import Foundation
import Testing

@testable import BlurRecords

@Suite("Runs that are kept")
struct SavedRunTests {
  @Test("A baseline has the records and the program of its run, and is replaced whole")
  func baselines() throws {
    try Fixture.withFolder { folder in
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
      #expect(FileManager.default.contentsEqual(atPath: program.path, andPath: runs.program(of: "main")))
    }
  }

  @Test(
    "Names that are paths or hidden are refused", arguments: ["", "..", "../x", "a/b", ".a", "-a", "a b"])
  func names(name: String) {
    #expect(throws: MeasurementError.self) { try SavedRuns.check(name) }
  }

  @Test("The last run of a suite is kept, whatever the suite is called")
  func last() throws {
    try Fixture.withFolder { folder in
      let runs = try #require(SavedRuns { $0 == "HOME" ? folder.path : nil })
      let records = try Fixture.records([Fixture.job("steady")]).flatMap { $0 }
      #expect(runs.last(of: "../x/y") == nil)
      try runs.keepLast(records, of: "../x/y")
      #expect(runs.last(of: "../x/y")?.records == records && runs.last(of: "quick") == nil)
    }
    #expect(SavedRuns { _ in nil } == nil)
  }
}

@Suite("Limits of a suite")
struct LimitTests {
  private func violations(_ limits: String, milliseconds: Double, levels: Double) throws -> [String] {
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
        return record
      }, cores: 2)
  }

  @Test("A time over the limit counts when all of its interval is over; an error always does")
  func limits() throws {
    // Three samples: 1, 1.1 and 1.2 times as long; the memcpy takes 0.11 ms.
    #expect(try violations("limit: 2 ms", milliseconds: 1.9, levels: 1).isEmpty)
    #expect(
      try violations("limit: 2 ms", milliseconds: 2.1, levels: 1)[0].hasSuffix(
        "takes 2.31 ms, the limit is 2 ms"))
    #expect(try violations("limit: 2000 us", milliseconds: 2.1, levels: 1).count == 1)
    #expect(try violations("limit: 30x memcpy", milliseconds: 2, levels: 1).isEmpty)
    #expect(
      try violations("limit: 9x memcpy", milliseconds: 2, levels: 1)[0].contains(
        "as a memcpy, the limit is 9x"))
    #expect(try violations("levels: 1", milliseconds: 2, levels: 1).isEmpty)
    #expect(try violations("levels: 1\nlimit: 2 ms", milliseconds: 3, levels: 1.5).count == 2)
    #expect(try violations("", milliseconds: 1000, levels: 200).isEmpty)
  }

  @Test(
    "What is no limit is refused",
    arguments: ["limit: 2", "limit: 0 ms", "limit: fast", "levels: -1", "levels: x"])
  func refused(limit: String) {
    #expect(throws: MeasurementError.self) { try violations(limit, milliseconds: 1, levels: 1) }
  }
}
