import Blur
import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import BlurComparison

@Suite("The dates of record files")
struct DatedRecordsTests {
  private static let table = RecordsCSV.header + RecordsCSV.lines([Record(name: "BM_Blur/kernel=a")])
  private static let day = 86_400.0

  /// Calls `test` with a temporary folder that contains these files. `files` maps each name to its text.
  private func withFiles(_ files: [String: String], _ test: (String) throws -> Void) throws {
    try Scratch.folder { folder in
      for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
      try test(folder.path)
    }
  }

  @Test("The date comes from the provenance file, or else from the file's name")
  func dates() throws {
    let files = [
      "run.csv": Self.table,
      "run.txt": "command: x\ndate: 1970-01-03T01:00:00Z\n# resumed\ndate: 1970-01-09T01:00:00Z\n",
      "1970-01-05-night.csv": Self.table, "1970-01-06.csv": Self.table,
      "1970-01-06.txt": "date: 1970-01-07\n",
    ]
    try withFiles(files) { folder in
      let dates = try ["run.csv", "1970-01-05-night.csv", "1970-01-06.csv"].map {
        try DatedRecords(at: "\(folder)/\($0)").date.timeIntervalSince1970
      }
      #expect(dates == [2 * Self.day + 3600, 4 * Self.day, 6 * Self.day])
    }
  }

  @Test("A record file without a date is an error", arguments: ["date: soon", "nothing"])
  func undated(_ provenance: String) throws {
    try withFiles(["run.csv": Self.table, "run.txt": provenance]) { folder in
      let error = #expect(throws: MeasurementError.self) { try DatedRecords(at: "\(folder)/run.csv") }
      #expect(error?.description.contains("run.csv: has no date") == true)
    }
  }

  @Test("Other tables in a folder are skipped with a note, but are errors if named explicitly")
  func folders() throws {
    let files = [
      "1970-01-02.csv": Self.table, "1970-01-03.csv": Self.table,
      "1970-01-02-certificates.csv": "kernel,sigma\na,1\n",
      "empty.csv": "", "notes.txt": "",
    ]
    try withFiles(files) { folder in
      // The second file is in the folder, and is also listed by name. It must appear only once.
      let (found, notes) = try DatedRecords.read(["\(folder)/1970-01-03.csv", folder, folder + "/"])
      #expect(found.map(\.path) == ["\(folder)/1970-01-03.csv", "\(folder)/1970-01-02.csv"])
      #expect(
        notes
          == ["1970-01-02-certificates", "empty"].map {
            "\(folder)/\($0).csv: skipped, because it has no records"
          })
      for name in ["1970-01-02-certificates.csv", "empty.csv", "absent.csv"] {
        #expect(throws: MeasurementError.self) { try DatedRecords.read(["\(folder)/\(name)"]) }
      }
    }
  }

  @Test(
    "Files that lack the newest columns are read from a folder like any others",
    arguments: ["jitter_ns", "speed_shift", "frame_p50_ns"])
  func older(column: String) throws {
    let lines = Self.table.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    let count = try #require(lines[0].firstIndex { $0 == column })
    let old = lines.map { $0.prefix(count).joined(separator: ",") + "\n" }
    try withFiles(["1970-01-02.csv": old.joined()]) { folder in
      let (found, notes) = try DatedRecords.read([folder])
      #expect(found.map { $0.records.map(\.name) } == [["BM_Blur/kernel=a"]] && notes.isEmpty)
    }
  }

  @Test("A broken record file in a folder is an error, and so is a folder without any record file")
  func broken() throws {
    try withFiles(["1970-01-02.csv": Self.table + "BM_Blur/kernel=a,x\n"]) { folder in
      #expect(throws: MeasurementError.self) { try DatedRecords.read([folder]) }
    }
    try withFiles(["a.txt": ""]) { folder in
      let reason = "contains no .csv file (subfolders are not searched)"
      #expect(throws: MeasurementError.file(path: folder, reason: reason)) {
        try DatedRecords.read([folder])
      }
    }
  }
}
