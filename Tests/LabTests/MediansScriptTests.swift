import BlurRecords
import Foundation
import TestSupport
import Testing

/// Tests of the script that makes files of records smaller.
@Suite("Bench/Lab/medians")
struct MediansScriptTests {
  private static let script = Program.package.appending(path: "Bench/Lab/medians").path

  /// Returns the lines of a records file in which the cases with these sigmas have these times. A case
  /// without times has one row, which says that it was skipped.
  private static func records(_ cases: [(sigma: Int, times: [Double])], process: String = "") -> String {
    let columns = RecordsCSV.header.split(separator: "\n")[0].split(separator: ",")
    var lines = [columns.joined(separator: ",")]
    for (sigma, times) in cases {
      let name = "BM_Blur/kernel=simd/isa=avx2/threads=1/format=gray8/size=9x9/sigma=\(sigma)/edge=clamp"
      let fixed = ["name": name, "isa": "avx2", "threads": "1", "machine_key": "m", "process": process]
      for (index, time) in times.enumerated() {
        let own = [
          "real_time": "\(time)", "time_unit": "ns", "iterations": "5", "repetition": "\(index)",
          "cpu_time": "\(time / 10)",
        ]
        lines.append(columns.map { fixed[String($0)] ?? own[String($0)] ?? "" }.joined(separator: ","))
      }
      if times.isEmpty {
        let own = ["label": "skipped", "error_message": "too slow"]
        lines.append(columns.map { fixed[String($0)] ?? own[String($0)] ?? "" }.joined(separator: ","))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  @Test(
    "The median and the ends of its interval remain, and empty columns that are not required are dropped",
    .enabled(if: Program.exists("python3"), "python3 is not installed"))
  func reduce() throws {
    try Scratch.folder { folder in
      let file = folder.appending(path: "r.csv")
      // A fair coin that is tossed nine times shows at most one head with a probability of 10/512, which is
      // below 2.5 %, and at most two heads with 46/512. So one of the nine samples lies below the interval.
      // With four samples, even no head has 1/16, so the interval reaches from the shortest to the longest.
      try Self.records([
        (1, [90, 10, 50, 30, 70, 20, 40, 60, 80]), (2, [4, 1, 3, 2]), (3, []), (5, [7, 6]),
      ])
      .write(to: file, atomically: true, encoding: .utf8)
      try "suite: s\n".write(to: folder.appending(path: "r.txt"), atomically: true, encoding: .utf8)
      let run = try Program([Self.script, file.path])
      #expect(run.code == 0, "\(run.errors)")
      let records = try RecordsCSV.read(at: file.path)
      #expect(records.map(\.realTime) == [20, 50, 80, 1, 2.5, 4, nil, 7, 6])
      #expect(records.map(\.cpuTime) == [2, 5, 8, 0.1, 0.25, 0.4, nil, 0.7, 0.6])
      #expect(records.map(\.repetition) == [0, 1, 2, 0, 1, 2, nil, 0, 1])
      #expect(records[6].errorMessage == "too slow")
      let header = try String(contentsOf: file, encoding: .utf8).prefix { $0 != "\n" }.split(separator: ",")
      #expect(header.map(String.init) == RecordsCSV.essentialColumns)
      let lines = try String(contentsOf: folder.appending(path: "r.txt"), encoding: .utf8)
      #expect(lines.hasPrefix("suite: s\nmedians: ") && lines.contains("9 samples"))
    }
  }

  @Test(
    "Records of several processes are refused and left alone",
    .enabled(if: Program.exists("python3"), "python3 is not installed"))
  func processes() throws {
    try Scratch.folder { folder in
      let file = folder.appending(path: "r.csv")
      let text = Self.records([(1, [1, 2, 3, 4])], process: "0")
      try text.write(to: file, atomically: true, encoding: .utf8)
      let run = try Program([Self.script, file.path])
      #expect(run.code == 1 && run.errors.contains("several processes"))
      #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
  }
}
