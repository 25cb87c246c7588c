import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import lab

/// Tests that run the built program `lab`.
@Suite("The program lab")
struct LabCommandTests {
  private static let folder = Program.buildFolder

  /// Runs `lab` with some arguments.
  private func lab(_ words: [String], in folder: URL = Program.package) throws -> Program {
    try Program([Self.folder.appending(path: "lab").path] + words, in: folder)
  }

  @Test("Regret is written together with its provenance, for the pages that show it")
  func regret() throws {
    try Scratch.folder { folder in
      let words = ["regret", "--seed", "5", "--count", "1", "--budget", "0.1", "--output", "r.json"]
      let command = try lab(words, in: folder)
      #expect(command.code == 0 && command.output.contains("1 workload "), "\(command.errors)")
      let data = try Data(contentsOf: folder.appending(path: "r.json"))
      let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(object["figures"] as? String == "regret" && object["seed"] as? Int == 5)
      #expect((object["rows"] as? [Any])?.count == 1)
      let lines = try #require(object["provenance"] as? [String])
      for key in ["date: 20", "cpu: ", "git revision: "] {
        #expect(lines.contains { $0.hasPrefix(key) }, "\(key)")
      }
      #expect(lines.contains { $0.hasPrefix("command: ") && $0.hasSuffix(words.joined(separator: " ")) })
      // A page of the documentation shows the means from this file. They must be the means that the command
      // printed.
      let names = [("null", "always pyramid"), ("estimate", "estimate"), ("measured", "measured")]
      for (key, name) in names {
        let mean = try #require((object[key] as? [String: Any])?["geometric_mean"] as? Double)
        #expect(mean >= 1)
        #expect(command.output.contains("\(name): geometric mean \(String(format: "%.3f", mean))"))
      }
    }
  }

  @Test("calibrate reports what it found for a build compared with itself", .tags(.long), .slow)
  func calibrate() throws {
    try Scratch.folder { folder in
      let suite = """
        name: one
        why: One small case, which is measured quickly.
        workloads:
          - why: A small gray image.
            kernels: simd
            formats: gray8
            sizes: 64x48
            sigmas: 2
        """
      try Data(suite.utf8).write(to: folder.appending(path: "one.yml"))
      let build = Self.folder.appending(path: "blurbench").path
      let command = try lab(
        ["calibrate", build, "--suite", "one.yml", "--identical", "1", "--slowed", "1", "--budget", "4"]
          + ["--min-time", "0.0001", "--output", "c.json"], in: folder)
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      let found = try decoder.decode(
        Calibration.self, from: Data(contentsOf: folder.appending(path: "c.json")))
      #expect(found.phases.map(\.planted) == [0, 0.05, 0.02, 0.02])
      #expect(found.phases.allSatisfy { $0.cases >= 1 && $0.verdicts.values.reduce(0, +) == $0.cases })
      // The exit code follows from the goals that --help names and from the figures in the file. This machine
      // may miss the goals.
      let isTrusted = found.phases[0].untrusted * 2 < found.phases[0].comparisons
      let slowed = found.phases[1]
      // One comparison cannot prove a rate, even if it has no false alarm and finds everything.
      let isBest = found.phases[0].differing == 0 && slowed.found == 1
      #expect(command.code == 4 || (command.code == 3 && isTrusted && !isBest), "\(command.errors)")
      #expect(slowed.tallies.map(\.cases) == [slowed.cases] && found.notMeasured.isEmpty)
      #expect(command.output == found.text)
      let summary = try String(contentsOf: folder.appending(path: "c.txt"), encoding: .utf8)
      #expect(summary.hasSuffix("\n\n" + found.text))
      // The summary says which builds were measured.
      #expect(summary.contains("\nfile \(build): \(BuildIdentity.hash(ofFile: build))\n"))
    }
  }

  @Test("paper prints the table as text and as CSV", .tags(.long), .slow)
  func paper() throws {
    #expect(try lab(["paper"]).output.contains("Deriche, K = 4"))
    let lines = try lab(["paper", "--csv"]).output.split(separator: "\n")
    #expect(lines[0] == "algorithm,sigma,max_row_sum" && lines.count > 100)
  }

  @Test("The suite of the lab is readable, and each of its cases can be planned")
  func suites() throws {
    let file = Program.package.appending(path: "Bench/Lab/constants.yml").path
    let plan = try MeasurementPlan(suite: file, cores: 2)
    #expect(plan.suite.name == "constants" && plan.suite.why.count > 100 && !plan.jobs.isEmpty)
  }

  @Test(
    "Options that make no sense are usage errors",
    arguments: [
      ["regret", "--count", "0"], ["regret", "--budget", "-3"], ["regret", "--output", "regret.csv"],
      ["calibrate"], ["calibrate", "a", "--identical", "0"], ["calibrate", "a", "--output", "c.txt"],
      ["paper", "gauss"], ["nosuch"],
    ])
  func usage(words: [String]) throws {
    let command = try lab(words)
    #expect(command.code == 64, "\(words): \(command.errors)")
  }

  @Test("A suite that cannot be read is named in one line")
  func missingSuite() throws {
    let command = try lab(["constants", "--suite", "missing/suite.yml"])
    #expect(command.code == 1 && command.errors.contains("missing/suite.yml"), "\(command.errors)")
  }
}
