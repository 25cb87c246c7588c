import BlurRecords
import Foundation
import Testing

@testable import BlurComparison

@Suite("Exports of records for other tools")
struct ExportTests {
  /// Returns records of four cases. Two cases have times, and one of these has a hostile name that tries to
  /// break the output format. The other two cases have no usable times, because one was skipped and one gave
  /// a wrong result.
  static func records(slower factor: Double = 1) throws -> [Record] {
    var skipped = Record(name: try Fixture.name("refuses"))
    skipped.label = "skipped"
    skipped.errorMessage = "does not support this"
    var wrong = Fixture.records(try Fixture.name("lies"), [5, 6, 7])
    wrong[1].errorOccurred = true
    wrong[1].errorMessage = "another hash"
    let times = [1e6, 1.3e6, 1.1e6, 1.2e6, 9e6].map { $0 * factor }
    return Fixture.records(try Fixture.name("simd"), times) + [skipped] + wrong
      + Fixture.records(Fixture.hostile, times)
  }

  static func json(_ format: Export) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(format.of(try records()).text.utf8))
  }

  @Test("Skipped and wrong cases are left out and listed by name", arguments: Export.allCases)
  func leftOut(format: Export) throws {
    let exported = format.of(try Self.records())
    #expect(exported.count == 2)
    #expect(
      exported.leftOut == [
        "\(try Fixture.name("refuses")): skipped: does not support this",
        "\(try Fixture.name("lies")): wrong: another hash",
      ])
    #expect(!exported.text.contains("refuses") && !exported.text.contains("lies"))
    #expect(format.of([]).count == 0)
  }

  @Test("github-action-benchmark gets one row per case, with its median")
  func action() throws {
    let rows = try #require(try Self.json(.gha) as? [[String: Any]])
    #expect(rows.map { $0["name"] as? String } == [try Fixture.name("simd"), Fixture.hostile])
    for row in rows {
      #expect(Set(row.keys) == ["name", "unit", "value", "range", "extra"])
      #expect(row["value"] as? Double == 1.2e6 && row["unit"] as? String == "ns/iter")
      // The quartiles of the five times are 1.1e6 and 1.3e6.
      #expect(row["range"] as? String == "± 100000")
    }
  }

  @Test("Bencher gets the median and the quartiles, and no name that it rejects")
  func bencher() throws {
    let benchmarks = try #require(try Self.json(.bencher) as? [String: [String: [String: Double]]])
    #expect(Set(benchmarks.keys) == [try Fixture.name("simd"), Fixture.hostile])
    for measures in benchmarks.values {
      #expect(measures["latency"] == ["value": 1.2e6, "lower_value": 1.1e6, "upper_value": 1.3e6])
      #expect(measures["max-error-levels"] == ["value": 0.5])
    }
    let long = Export.bencher.of(Fixture.records(String(repeating: "n", count: 1025), [1]))
    #expect(long.count == 0 && long.leftOut[0].hasSuffix("more than 1024 characters"))
    #expect(Export.gha.of(Fixture.records(String(repeating: "n", count: 1025), [1])).count == 1)
  }

  /// Parses the result lines of a benchstat export into name, number of iterations, and value in ns/op.
  private func results(_ text: String) throws -> [(name: String, count: Int, value: Double)] {
    try text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
      // A configuration line has the form `key: value`, and its key has neither capitals nor spaces.
      if line.wholeMatch(of: /[a-z][^\s:A-Z]*: \S.*/) != nil { return nil }
      let match = try #require(
        line.wholeMatch(of: /(Benchmark(?:[^\sa-z]\S*)?)\s+(\d+)\s+(\S+) ns\/op/), "\(line)")
      return (String(match.1), try #require(Int(match.2)), try #require(Double(match.3)))
    }
  }

  @Test("benchstat gets every repetition in Go's format, whatever the names contain")
  func go() throws {
    let origin = ProvenanceReader(
      "cpu: Some CPU @ 2 GHz\ncpu flags: fpu sse2\nsystem: Debian 12\ncpu: no\nfree text\n")
    let text = Export.benchstat.of(try Self.records(), origin: origin).text
    #expect(
      text.hasPrefix("goos: linux\ngoarch: amd64\npkg: blurbench\ncpu: Some CPU @ 2 GHz\nmachine-key: feed\n")
    )
    let results = try results(text)
    #expect(results.count == 10 && results.allSatisfy { $0.count == 7 })
    #expect(results.prefix(5).map(\.value) == [1e6, 1.3e6, 1.1e6, 1.2e6, 9e6])
    let name =
      "BenchmarkBlur/kernel=simd/isa=baseline/threads=1/format=gray8/size=512x512/sigma=2/edge=clamp-1"
    #expect(results[0].name == name)
    // Names are percent-encoded as in URLs, so decoding must give back the original name.
    let hostile = try #require(results[5].name.removingPercentEncoding)
    #expect(hostile == "Benchmark/" + Fixture.hostile + "-1")
    #expect(Export.goName("a b") != Export.goName("a%20b"))
    #expect(Export.goName("BM_lower").hasPrefix("Benchmark/l"))
  }

  @Test("benchstat sees each machine as a separate configuration")
  func machines() throws {
    var other = Fixture.records("BM_Blur/b", [1, 2])
    for index in other.indices { other[index].machineKey = "beef" }
    let lines = Export.benchstat.of(Fixture.records("BM_Blur/a", [1, 2]) + other).text.split(separator: "\n")
    #expect(
      lines.map { String($0.prefix(12)) } == [
        "pkg: blurben", "machine-key:", "BenchmarkBlu", "BenchmarkBlu", "machine-key:", "BenchmarkBlu",
        "BenchmarkBlu",
      ])
  }

  @Test("benchstat can read an export", .enabled(if: Outside.hasBenchstat, "benchstat is not installed"))
  func benchstat() throws {
    let text = try Outside.output(
      ["benchstat", "-format", "csv", "old.txt", "new.txt"],
      files: [
        "old.txt": Export.benchstat.of(try Self.records()).text,
        "new.txt": Export.benchstat.of(try Self.records(slower: 2)).text,
      ])
    let lines = text.split(separator: "\n").filter { $0.contains("kernel=simd") || $0.contains("octocat") }
    #expect(lines.count == 2)
    for line in lines {
      // benchstat prints the values in seconds.
      let seconds = line.split(separator: ",").compactMap { Double($0) }
      #expect(seconds.contains { abs($0 - 0.0012) < 1e-9 } && seconds.contains { abs($0 - 0.0024) < 1e-9 })
    }
  }

  @Test("The export for Google Benchmark's tools has every repetition and the known context")
  func google() throws {
    let origin = ProvenanceReader(
      "date: 2026-11-21T09:44:55Z\ncommand: blurbench run --suite quick\ncores: 2\nmhz stated: 1e300\n"
        + "load average: 0.81, 1.28\nfrequency scaling: off\nbuild: release\nsuite: quick\n")
    let text = Export.google.of(try Self.records(), origin: origin).text
    let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let context = try #require(document["context"] as? [String: Any])
    #expect(context["num_cpus"] as? Int == 2 && context["executable"] as? String == "blurbench")
    #expect(
      context["load_avg"] as? [Double] == [0.81, 1.28] && context["cpu_scaling_enabled"] as? Bool == false)
    #expect(context["host_name"] == nil)
    let runs = try #require(document["benchmarks"] as? [[String: Any]])
    #expect(runs.count == 10 && runs.allSatisfy { $0["repetitions"] as? Int == 5 })
    #expect(runs.compactMap { $0["repetition_index"] as? Int } == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
  }

  @Test(
    "Google's compare.py finds a slowdown between two exports",
    .enabled(
      if: Outside.comparePy != nil && Outside.hasSciPy,
      "compare.py or SciPy is not installed (packages libbenchmark-tools, python3-scipy)"))
  func comparePy() throws {
    let script = try #require(Outside.comparePy)
    let text = try Outside.output(
      ["sh", "-c", "python3 \(script) -d out.json benchmarks old.json new.json >/dev/null && cat out.json"],
      files: [
        "old.json": Export.google.of(try Self.records()).text,
        "new.json": Export.google.of(try Self.records(slower: 1.25)).text,
      ])
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
    let cases = rows.filter { $0["run_type"] as? String == "iteration" }
    #expect(cases.map { $0["name"] as? String } == [try Fixture.name("simd"), Fixture.hostile])
    let changes = cases.compactMap { $0["measurements"] as? [[String: Double]] }.flatMap(\.self)
    #expect(changes.count == 10)
    for change in changes { #expect(abs(try #require(change["time"]) - 0.25) < 1e-9) }
  }
}
