import Blur
import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import BlurComparison

/// Comparisons and records that these tests use.
enum Fixture {
  /// Returns the name of a case with gray8, 512x512 pixels, one thread and edge mode clamp.
  static func name(_ kernel: String, sigma: Double = 2) throws -> String {
    let layout = try ImageLayout(.gray8, width: 512, height: 512)
    let workload = Workload(threads: 1, layout: layout, sigma: sigma, edge: .clamp)
    return Case(kernel: kernel, isa: .baseline, workload: workload).name
  }

  /// Returns a compared case whose time changed by this percentage.
  static func item(_ name: String, _ verdict: Verdict, percent: Double) -> CaseComparison {
    var item = CaseComparison(name: name, verdict: verdict)
    let ratio = 1 + percent / 100
    item.ratio = Ratio(estimate: ratio, low: ratio - 0.017, high: ratio + 0.012)
    item.control = Ratio(estimate: 1.001, low: 0.996, high: 1.006)
    item.base.time = 1.02e6
    item.head.time = 1.02e6 * ratio
    item.base.maxErrorLevels = 1
    item.head.maxErrorLevels = 1
    item.pairs = 12
    item.smallestDetectable = 0.021
    return item
  }

  /// Returns a comparison that contains one case of each kind, not sorted by severity.
  static func mixed() throws -> Comparison {
    var wrong = item(try name("liar"), .same, percent: 0)
    wrong.head.maxErrorLevels = 3
    wrong.faults = [Fault(.error, "3 levels instead of 1")]
    var unclear = item(try name("shy"), .unclear, percent: 2)
    unclear.ratio = nil
    unclear.head.time = nil
    unclear.head.problem = "needs 5 seconds for a blur"
    return Comparison(
      base: "main", head: "HEAD", method: .processes, threshold: 0.05, noise: 0.012,
      cases: [
        item(try name("calm"), .same, percent: 0.1), unclear, item(try name("fast"), .improved, percent: -20),
        wrong, item(try name("slow"), .regressed, percent: 4.8),
        item(try name("slower"), .regressed, percent: 30),
      ],
      notes: ["the output of no case changed"], provenance: ["cpu: Some CPU", "cores: 2"])
  }

  /// A name such as a hostile file could contain, with characters that are special in Markdown, HTML,
  /// terminals and the logs of CI systems.
  static let hostile =
    "a|b`c`<img src=x onerror=alert(1)>&amp;\n# @octocat **bold** [l](http://e.vil) #1 www.e.vil "
    + "\u{1B}[31m\u{0}]]>\u{202E} \"',:%0A::error::x -->"

  /// Returns one record of the case for each time, in nanoseconds.
  static func records(_ name: String, _ times: [Double]) -> [Record] {
    times.enumerated().map { repetition, time in
      var record = Record(name: name)
      record.iterations = 7
      record.realTime = time
      record.cpuTime = time
      record.repetition = repetition
      record.maxErrorLevels = 0.5
      record.isa = "baseline"
      record.machineKey = "feed"
      return record
    }
  }
}

/// Programs of other projects that read our exports.
enum Outside {
  static let hasPython = has(["python3", "-c", "pass"])
  static let hasSciPy = has(["python3", "-c", "import scipy.stats"])
  static let hasBenchstat = has(["sh", "-c", "command -v benchstat"])
  /// The path of Google's compare.py, or nil if no package has installed it.
  static let comparePy = ["/usr/share/benchmark/compare.py", "/usr/local/share/benchmark/compare.py"]
    .first { FileManager.default.fileExists(atPath: $0) }

  /// Returns what a command prints when it runs in a folder with these files. `files` maps each name to its
  /// text.
  static func output(_ words: [String], files: [String: String] = [:]) throws -> String {
    try Scratch.folder { folder in
      for (name, text) in files {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
      }
      return try Program.output(words, in: folder)
    }
  }

  private static func has(_ words: [String]) -> Bool { (try? output(words)) != nil }
}

extension RankTest {
  /// Tests whether the true shift differs from `shift`. Returns the two-sided p-value, which is small if this
  /// is so.
  func twoSided(at shift: Double) -> Double { min(1, 2 * min(p(above: shift), p(below: shift))) }
}
