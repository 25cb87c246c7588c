import Blur
import Foundation
import Testing

@testable import BlurRecords

@Suite("Tables")
struct TableTests {
  /// Two kernels and the memcpy on one thread, one kernel on two.
  func records() throws -> [Record] {
    let jobs = [
      try Fixture.job("steady", "seamed", "refusing", "drifting"), try Fixture.job("steady", threads: 2),
    ]
    return try Fixture.records(jobs) { item in
      switch item.kernel {
      case Case.memcpy: 1e5
      case "steady": item.workload.threads == 1 ? 3e6 : 1.6e6
      default: 2e6
      }
    }.flatMap { $0 }
  }

  func table() throws -> ResultTable {
    ResultTable(try records()) {
      $0 == "steady" ? .exact() : $0 == "seamed" ? .specification("a paper") : nil
    }
  }

  @Test("Cases stand by median time, with ratio, rate and promise, within 100 columns")
  func blocks() throws {
    let lines = try table().text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "gray8 20x10 stride 23, sigma 2, clamp")
    let cells = lines[2..<9].map { $0.split(separator: " ").map(String.init) }
    #expect(
      cells.map(\.[0]) == ["memcpy", "memcpy", "steady", "seamed", "steady", "refusing", "drifting"])
    // The median of 3, 3.3 and 3.6 ms, and all of them; the memcpy took 0.1 to 0.12 ms.
    #expect(cells[4].contains("3.300") && cells[4].contains("3.000–3.600") && cells[4].contains("25.0–36.0"))
    #expect(cells[4].last == "kept" && cells[3].last == "spec" && cells[2][2] == "2")
    #expect(lines[7].contains("SKIPPED: ") && lines[7].contains("in tests"))
    #expect(lines[8].contains("WRONG: "))
    #expect(lines.allSatisfy { $0.count <= 100 && $0.last != " " })
  }

  @Test("The summary names the fastest kernel within a level, the fastest of all, and what threads bring")
  func summary() throws {
    let lines = try table().summary.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines[0] == "gray8 20x10 stride 23, sigma 2, clamp")
    #expect(lines[1].hasPrefix("seamed 2.200 ms, off by"))
    #expect(lines[2].hasPrefix("steady 1.760 ms on 2 threads"))
  }

  @Test("A fast kernel that is far off does not hide the fastest one within a level")
  func exactAndNot() throws {
    var records = try records().filter { $0.threads == 1 && $0.isMeasured }
    for i in records.indices { records[i].maxErrorLevels = records[i].name.contains("seamed") ? 7 : 1 }
    let line = ResultTable(records) { _ in nil }.summary.split(separator: "\n")[1]
    #expect(line.contains("steady 3.300 ms, off by") && line.contains("regardless of error seamed 2.200 ms"))
    for i in records.indices { records[i].maxErrorLevels = 7 }
    #expect(ResultTable(records) { _ in nil }.summary.contains("none within a level"))
  }

  @Test("No records make no table")
  func nothing() {
    #expect(ResultTable([]) { _ in nil }.text == "")
  }
}
