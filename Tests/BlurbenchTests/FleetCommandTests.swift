import Foundation
import TestSupport
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("blurbench select --fleet")
struct FleetCommandTests {
  /// Writes the records of a machine, which have one time for each kernel, and their provenance.
  private static func write(_ machine: String, _ times: [String: Double], to folder: URL) throws {
    let records = times.map { kernel, time in
      let rest = "isa=baseline/threads=1/format=gray8/size=8x8/sigma=1/edge=clamp"
      var record = Record(name: "BM_Blur/kernel=\(kernel)/\(rest)")
      (record.realTime, record.maxErrorLevels, record.machineKey) = (time, 0.5, machine)
      return record
    }
    let files = [
      "csv": RecordsCSV.header + RecordsCSV.lines(records),
      "txt": "machine key: \(machine)\ncpu: CPU \(machine)\u{1B}[2J\ncores: 2\n",
    ]
    for (ending, text) in files {
      try text.write(to: folder.appending(path: "\(machine).\(ending)"), atomically: true, encoding: .utf8)
    }
  }

  @Test("select --fleet names each machine's fastest kernel, and the kernel with the smallest worst slowdown")
  func choice() throws {
    try Scratch.folder { folder in
      try Self.write("a", ["simd": 100, "dct": 400, "pyramid": 160], to: folder)
      try Self.write("b", ["simd": 190, "dct": 100, "pyramid": 150], to: folder)
      let words = ["select", "--fleet", "--from", "a.csv", "--from", "b.csv"]
      let text = try Command(words, in: folder)
      #expect(text.code == 0 && text.output.contains("for all: pyramid"), "\(text.errors)")
      #expect(text.output.contains("+60 % *") && text.output.contains("CPU a"))
      #expect(!text.output.contains("\u{1B}"), "a name is a command for the terminal")
      #expect(try Command(words + ["--explain"], in: folder).output.contains("dct"))
      let json = try JSONSerialization.jsonObject(
        with: Data(Command(words + ["--json"], in: folder).output.utf8))
      #expect(((json as? [String: Any])?["choices"] as? [Any])?.count == 1)
      #expect(try Command(words + ["--max-error", "0"], in: folder).code == 4, "nothing keeps that")
      let alone = try Command(["select", "--fleet", "--from", "a.csv"], in: folder)
      #expect(alone.code == 4 && alone.output.contains("No workload has records of two machines"))
      #expect(try Command(words + ["--threads", "all"], in: folder).code == 64)
      #expect(try Command(words + ["--sigma", "7"], in: folder).code == 64)
      #expect(try Command(words + ["--from", "c.csv"], in: folder).code == 1)
      #expect(try Command(["select", "--fleet"], in: folder).errors.contains("--from"))
    }
  }
}
