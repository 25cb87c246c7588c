import BlurRecords
import Foundation
import TestSupport

@testable import BlurReport

/// Records, comparisons and pages for these tests.
enum Fixture {
  /// A committed file of records with many kernels and formats.
  static let committed = Program.package.appending(
    path: "Results/epyc-zen4-2vcpu/2026-12-01-peers.csv"
  ).path
  static let kernels = ["box-triple", "simd", "pyramid", "opencv"]
  static let formats = ["gray8", "rgba8"]
  static let sigmas = [1, 2, 5, 10]

  /// Returns the name of a case with 64×48 pixels and edge mode clamp.
  static func name(_ kernel: String, _ format: String = "gray8", sigma: Int = 2, threads: Int = 1) -> String {
    "BM_Blur/kernel=\(kernel)/isa=baseline/threads=\(threads)/format=\(format)/size=64x48/sigma=\(sigma)"
      + "/edge=clamp"
  }

  /// Returns one record of a case for each of the times.
  static func samples(_ name: String, times: [Double], error: Double = 1, threads: Int = 1) -> [Record] {
    times.enumerated().map { index, time in
      var record = Record(name: name)
      (record.iterations, record.realTime, record.cpuTime) = (10, time, time)
      (record.maxErrorLevels, record.memcpyRatio, record.threads) = (error, time / 100, threads)
      (record.repetition, record.machineKey, record.isa) = (index, "key", "baseline")
      return record
    }
  }

  /// Returns the records of every kernel and of memcpy for every format and sigma. The errors of the kernels
  /// are 0, 1, 2 and 3 levels, in their order.
  static func grid(scale: Double = 1) -> [Record] {
    formats.flatMap { format in
      sigmas.flatMap { sigma in
        samples(name("memcpy", format, sigma: sigma), times: [95, 100, 105], error: 0)
          + kernels.enumerated().flatMap { index, kernel in
            samples(
              name(kernel, format, sigma: sigma),
              times: [98, 100, 103].map { scale * $0 * Double((index + 1) * (sigma + 1)) },
              error: Double(index))
          }
      }
    }
  }

  static func file(
    _ records: [Record], _ path: String = "records.csv", provenance: String = ""
  ) throws -> ReportFile {
    try ReportFile(RecordsCSV.text(records), path: path, provenance: ProvenanceReader(provenance))
  }

  /// Returns the records of ``grid(scale:)`` as if two machines had measured them. The first machine lacks
  /// the kernel `simd`. On the second machine, `box-triple` takes three times as long.
  static func machines(named name: String = "Some CPU") throws -> [ReportFile] {
    try ["one", "two"].map { key in
      var records = grid().filter { key == "two" || !$0.name.contains("/kernel=simd/") }
      for index in records.indices {
        records[index].machineKey = key
        if key == "two" && records[index].name.contains("=box-triple/") { records[index].realTime! *= 3 }
      }
      return try file(records, "\(key).csv", provenance: "machine key: \(key)\ncpu: \(name) \(key)\ncores: 2")
    }
  }

  /// The record of a wrong result.
  static var wrong: Record {
    var record = Record(name: name("box-triple", "rgbaf32"))
    (record.errorOccurred, record.errorMessage) = (true, "off by 9 levels")
    return record
  }

  /// The output of `blurbench compare --json` for two cases.
  static let comparison = """
    {"base": "main", "head": "HEAD", "method": "processes", "threshold": 0.05, "doubts": [], "notes": [],
     "provenance": ["cpu: some"], "outcome": "regressed", "sentence": "",
     "cases": [\(compared("simd", "regressed", 1.2)), \(compared("pyramid", "same", 1.01))]}
    """

  private static func compared(_ kernel: String, _ verdict: String, _ ratio: Double) -> String {
    """
    {"name": "\(name(kernel))", "verdict": "\(verdict)", "pairs": 12, "faults": [], "base": {"time": 100},
     "head": {"time": \(100 * ratio)},
     "ratio": {"estimate": \(ratio), "low": \(ratio - 0.02), "high": \(ratio + 0.02)}}
    """
  }

  /// Returns the page of a report without summaries of the kernels.
  static func page(_ files: ReportFile...) throws -> String {
    try Report(files, showsKernels: false).html()
  }
}
