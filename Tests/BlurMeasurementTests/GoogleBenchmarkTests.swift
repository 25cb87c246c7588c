import Blur
import Foundation
import TestSupport
import Testing

@testable import BlurMeasurement
@testable import BlurRecords

@Suite("The Google Benchmark library", .serialized)
struct GoogleBenchmarkTests {
  @Test("Every task has all of its repetitions")
  func repetitions() throws {
    nonisolated(unsafe) var counts = [0, 0]
    let tasks = [0, 1].map { i in TimedTask(name: "BM_Blur/kernel=k\(i)") { counts[i] += 1 } }
    let settings = TimingSettings(repetitions: 4, minTime: 1e-4, warmUp: 1e-5)
    let samples = try Sampler().samples(of: tasks, settings)
    for (count, own) in zip(counts, samples) {
      #expect(own.count == 4 && own.allSatisfy { $0.iterations > 0 && $0.realTime > 0 })
      // More iterations run before the samples, to warm up and to find the number of iterations.
      #expect(count > own.reduce(0) { $0 + $1.iterations })
    }
    #expect(samples.count == 2)
    #expect(try Sampler().samples(of: [], settings).isEmpty)
  }

  @Test("A run has exactly as many iterations as requested, and reports the time of one of them")
  func iterations() throws {
    for iterations in [1, 2, 1000] {
      nonisolated(unsafe) var count = 0
      let start = ContinuousClock.now
      let time = try GoogleBenchmark.time(TimedTask(name: "a") { count += 1 }, iterations)
      let elapsed = (ContinuousClock.now - start) / .nanoseconds(1)
      #expect(count == iterations && time.real > 0 && time.real * Double(iterations) <= elapsed)
    }
  }

  @Test("Tasks are warmed up before the first sample, and their samples alternate and last for the minimum")
  func warmUp() throws {
    // Each iteration seems to take 200 ns.
    var runs: [(name: String, nanoseconds: Int)] = []
    var sampler = Sampler()
    sampler.time = { (task, iterations) throws(MeasurementError) in
      runs.append((task.name, 200 * iterations))
      return (real: 200, cpu: 200)
    }
    let settings = TimingSettings(repetitions: 3, minTime: 0.001, warmUp: 0.002)
    let samples = try sampler.samples(of: ["a", "b"].map { TimedTask(name: $0) {} }, settings)
    let (warmUps, kept) = (runs.dropLast(6), runs.suffix(6))
    // In each of the three rounds, each task has one sample.
    let order = kept.map { $0.name }
    #expect((0..<3).allSatisfy { Set(order[2 * $0...2 * $0 + 1]) == ["a", "b"] })
    for (number, name) in ["a", "b"].enumerated() {
      let own = warmUps.filter { $0.name == name }.map(\.nanoseconds)
      #expect(own.first == 200 && zip(own, own.dropFirst()).allSatisfy { $0 < $1 && $1 <= 10 * $0 })
      #expect(try #require(own.last) >= 2_000_000 && own.dropLast().allSatisfy { $0 < 2_000_000 })
      let lengths = kept.filter { $0.name == name }.map(\.nanoseconds)
      #expect(lengths.count == 3 && lengths.allSatisfy { (1_000_000...1_500_000).contains($0) })
      #expect(samples[number].map { 200 * $0.iterations } == lengths)
    }
  }

  @Test("A clock that stands still does not ask for more and more iterations")
  func stillClock() throws {
    var iterations = 0
    var sampler = Sampler()
    sampler.time = { (_, count) throws(MeasurementError) in
      iterations += count
      return (real: 0, cpu: 0)
    }
    let settings = TimingSettings(repetitions: 3, minTime: 0.001, warmUp: 0.002)
    let samples = try sampler.samples(of: [TimedTask(name: "a") {}], settings)
    #expect(samples == [Array(repeating: Sample(iterations: 1, realTime: 0, cpuTime: 0), count: 3)])
    #expect(iterations == 4)
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
    try Runner(Sampler(), RunnerOptions(settings: settings, machineKey: "feed")).run([job]) {
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
