import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("The Google Benchmark library", .serialized)
struct GoogleBenchmarkTests {
  @Test("Every repetition of every task is reported under its registered name")
  func repetitions() throws {
    nonisolated(unsafe) var counts = [0, 0]
    let tasks = [0, 1].map { i in TimedTask(name: "BM_Blur/kernel=k\(i)") { counts[i] += 1 } }
    let settings = TimingSettings(repetitions: 4, minTime: 1e-4, warmUp: 1e-5)
    let samples = try GoogleBenchmark().time(tasks, settings)
    for (i, task) in tasks.enumerated() {
      let own = samples.filter { $0.name == task.name }
      #expect(own.map(\.repetition) == [0, 1, 2, 3])
      #expect(own.allSatisfy { $0.iterations > 0 && $0.realTime > 0 && $0.failure == nil })
      // Google Benchmark runs more iterations before the reported ones, to warm up and to find the number of
      // iterations.
      #expect(counts[i] >= own.reduce(0) { $0 + $1.iterations })
    }
    #expect(samples.count == 8)
    #expect(try GoogleBenchmark().time([], settings).isEmpty)
  }

  @Test("A run with a real kernel fills every column of its records")
  func endToEnd() throws {
    try Scratch.folder { folder in
      let path = try measure(into: folder, "a").csv
      let records = try RecordsCSV.read(String(contentsOfFile: path, encoding: .utf8), path: path)
      #expect(records.count == 6)
      for record in records {
        #expect(record.isMeasured && record.cpuTime != nil && (record.iterations ?? 0) > 0)
        #expect(record.memcpyRatio != nil && record.outputHash?.count == 16)
      }
      let errors = records.filter { $0.name.contains("separable") }.compactMap(\.maxErrorLevels)
      #expect(errors.count == 3 && errors.max()! <= 1)
      let certified = records.filter { $0.name.contains("separable") }.compactMap(\.certifiedLevels)
      #expect(certified.count == 3 && certified.allSatisfy { (0..<1).contains($0) })
    }
  }

  @Test(
    "Google's compare.py can read two of our files",
    .enabled(if: CompareTool.isThere, "needs libbenchmark-tools, and python3 with numpy and scipy"))
  func compareTool() throws {
    try Scratch.folder { folder in
      let paths = try ["a", "b"].map { name in try measure(into: folder, name) }
      let output = try CompareTool.run(["benchmarks", paths[0].json, paths[1].json])
      #expect(output.contains("kernel=separable") && output.contains("kernel=memcpy"), "\(output)")
      #expect(output.contains("OVERALL_GEOMEAN"), "\(output)")
    }
  }

  private func measure(into folder: URL, _ name: String) throws -> RecordFiles.Paths {
    let layout = try ImageLayout(.gray8, width: 16, height: 8)
    let workload = Workload(threads: 1, layout: layout, sigma: 1, edge: .clamp)
    let job = Job(
      workload: workload, cases: [Case(kernel: "separable", isa: .baseline, workload: workload)])
    let paths = try RecordFiles.Paths(folder.appendingPathComponent("\(name).csv").path)
    let provenance = Provenance(
      machine: .current, build: Fixture.build, suite: "test", suiteText: "", command: ["test"], date: Date())
    let files = try RecordFiles(
      paths, resume: false, repetitions: 3, machineKey: "feed", build: "b1", context: provenance.context,
      provenance: provenance.text)
    let settings = TimingSettings(repetitions: 3, minTime: 0.001, warmUp: 0)
    try Runner(GoogleBenchmark(), RunnerOptions(settings: settings, machineKey: "feed")).run([job]) {
      (records) throws(MeasurementError) in try files.append(records)
    }
    return paths
  }

  @Test("The provenance contains the CPU, compiler, build, suite and command")
  func provenance() {
    let provenance = Provenance(
      machine: .current, build: Fixture.build, suite: "test", suiteText: "x", command: ["blurbench", "run"],
      date: Date())
    let keys = provenance.text.split(separator: "\n").compactMap { $0.split(separator: ":").first }
    for key in ["cpu", "cores", "caches", "governor", "compiler", "build", "suite hash", "command", "date"] {
      #expect(keys.contains(Substring(key)), "\(key)")
    }
    #expect(Machine.current.cores >= 1 && Machine.current.model != "")
  }
}

/// Google's compare.py, which the Debian package libbenchmark-tools installs.
private enum CompareTool {
  static let script = "/usr/share/benchmark/compare.py"

  /// Whether compare.py and the Python modules that it needs are installed.
  static let isThere =
    FileManager.default.fileExists(atPath: script)
    && (try? Program.output(["python3", "-c", "import numpy, scipy"])) != nil

  static func run(_ arguments: [String]) throws -> String {
    try Program.output(["python3", script, "--no-color"] + arguments)
  }
}
