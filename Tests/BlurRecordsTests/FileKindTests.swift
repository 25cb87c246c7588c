import Foundation
import TestSupport
import Testing

@testable import BlurRecords

@Suite("The kind of a file")
struct FileKindTests {
  static let texts: [(String, FileKind)] = [
    (RecordsCSV.header, .records), (RecordsCSV.essentialColumns.joined(separator: ",") + "\n", .records),
    ("\"" + RecordsCSV.essentialColumns.joined(separator: "\",\"") + "\"\r\n", .records),
    ("\n" + (RecordsCSV.essentialColumns.reversed() + ["more"]).joined(separator: ",") + "\n", .records),
    (RecordsCSV.header.replacing(",", with: "\t"), .separated(mark: "tabs")),
    (RecordsCSV.header.replacing(",", with: ";"), .separated(mark: "semicolons")),
    ("kernel,isa,format,sigma,certified_levels\n", .certificates),
    ("date,time\n1,2\n", .table(columns: ["date", "time"])),
    ("{\"context\": {}, \"benchmarks\": []}", .googleBenchmark),
    ("{\"outcome\": \"good\", \"cases\": [], \"method\": \"processes\"}", .comparison),
    ("{\"format\": \"blur-wisdom\", \"problems\": []}", .wisdom), ("{\"phases\": []}", .calibration),
    ("{\"figures\": \"regret\", \"provenance\": []}", .figures),
    ("{\"a\": 1}", .json), ("[1, 2]", .json), ("{broken", .damagedJSON(mistake: nil)),
    ("{\n\"time\": NaN}", .damagedJSON(mistake: "line 2: 'NaN' is not a number")),
    ("{\"time\": 5,\n\"error\": 1e999}", .damagedJSON(mistake: "line 2: '1e999' is not a number")),
    ("[0x10]", .damagedJSON(mistake: "line 1: '0x10' is not a number")),
    ("[1,\r\n\r\n-Infinity]", .damagedJSON(mistake: "line 3: '-Infinity' is not a number")),
    ("# A comment\nname: quick\nwhy: x\nworkloads:\n  - kernels: all\n", .suite),
    ("date: 2026-11-24\nmachine key: feed\n", .provenance),
    ("date: 2026-11-24\r\nmachine key: feed\r\n", .provenance), ("<!doctype html>\n<p>", .page),
    ("#!/bin/sh\ntrue\n", .script), ("P5 2 2 255\n", .picture), ("Peter, Paul\n", .text),
    ("hello, this is text", .text), ("", .empty), (" \n", .empty),
  ]

  @Test("The kind is recognized from the text", arguments: texts)
  func text(text: String, kind: FileKind) {
    #expect(FileKind(text: text) == kind)
    #expect(FileKind(Data(text.utf8)) == kind)
  }

  @Test("The words for a run's JSON or text name its records file only if that file exists")
  func companions() throws {
    try Scratch.folder { folder in
      let json = folder.appending(path: "run.json").path
      #expect(FileKind.googleBenchmark.words(at: json) == "Google Benchmark's JSON document")
      try Data(RecordsCSV.header.utf8).write(to: folder.appending(path: "run.csv"))
      for kind in [FileKind.googleBenchmark, .provenance] {
        #expect(kind.words(at: json).hasPrefix(kind.words + " ("))
        #expect(kind.words(at: json).hasSuffix("run.csv has the records)"))
      }
      #expect(FileKind.text.words(at: json) == "text")
    }
  }

  @Test("The kind is recognized from the first bytes, for example of this program")
  func bytes() throws {
    #expect(FileKind(Data([0x89, 0x50, 0x4E, 0x47, 13, 10])) == .picture)
    #expect(FileKind(Data([0x1F, 0x8B, 8])) == .archive)
    #expect(FileKind(Data([0xFF, 0, 0xFE])) == .binary)
    #expect(FileKind(Data("name,na\u{EF}ve".utf16.map { UInt8($0) })) == .encoded)
    #expect(FileKind(text: "n\u{FFFD}a\u{FFFD}m\u{FFFD}") == .encoded)
    for bytes in [[0xFF, 0xFE, 0x6E, 0], [0xFE, 0xFF, 0, 0x6E]] as [[UInt8]] {
      #expect(FileKind(Data(bytes)) == .encoded)
    }
    let program = URL(filePath: CommandLine.arguments[0])
    #expect(try FileKind(Data(contentsOf: program, options: .mappedIfSafe)) == .program)
  }

  @Test("The committed results have the kinds that their names suggest")
  func committed() throws {
    let results = Program.package.appending(path: "Results")
    let names = try FileManager.default.subpathsOfDirectory(atPath: results.path)
    var count = 0
    // The folder `local` contains results of this machine, which are not committed.
    for name in names where !name.hasPrefix("local/") {
      let kind: FileKind? =
        switch true {
        case name.hasSuffix("certificates.csv"): .certificates
        case name.hasSuffix("calibrate.json"): .calibration
        case name.hasSuffix("scenes.json"): .googleBenchmark
        case name.hasSuffix(".csv"): .records
        case name.hasSuffix(".json"): .figures
        default: nil
        }
      guard let kind else { continue }
      count += 1
      #expect(try FileKind(Data(contentsOf: results.appending(path: name))) == kind, "\(name)")
    }
    #expect(count > 5)
  }
}
