import Blur
import Foundation
import TestSupport
import Testing

@Suite("Methods of variable sigma on the command line")
struct VariableCommandTests {
  @Test("verify reports each property of a method by name, and skips requested ones that do not apply")
  func verify() throws {
    let command = try Command([
      "verify", "--kernel", "layers,two-pass", "--property", "variable-zero,variable-definition,guards,axes",
      "--format", "gray8", "--edge", "mirror", "--isa", "best", "--csv",
    ])
    #expect(command.code == 0, "\(command.errors)")
    let rows = command.output.split(separator: "\n").dropFirst().map { $0.split(separator: ",").prefix(3) }
    let expected = ["layers", "two-pass"].flatMap { kernel in
      [
        "variable-zero": "PASSED", "variable-definition": "PASSED", "guards": "PASSED", "axes": "SKIPPED",
      ].map { [kernel, $0.key, $0.value] }
    }
    #expect(Set(rows.map { $0.map(String.init) }) == Set(expected), "\(command.output)")
  }

  @Test("certify --mask gives the worst case of each method, as CSV and as JSON")
  func certify() throws {
    let words = ["certify", "--mask", "linear", "--sigma", "2", "--kernel", "cross-fade,two-pass"]
    let csv = try Command(words + ["--csv"]).output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    try #require(csv.count == 3 && csv[0][5...6] == ["certified_levels", "stated_levels"], "\(csv)")
    // Where sigma is only a small fraction of the largest sigma, the cross-fade keeps most of a pixel's value
    // in place, although it should be spread.
    let (fade, stated) = (try #require(Double(csv[1][5])), try #require(Double(csv[1][6])))
    #expect(fade > 100 && fade <= stated + 1)
    let twoPass = try #require(Double(csv[2][5]))
    #expect(twoPass > 3 && csv[2][6] == "")
    let json = try Command(words.dropLast() + ["cross-fade", "--json"]).output
    let rows = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    #expect(rows?.map { $0["mask"] as? String } == ["linear"])
    for (words, reason) in [
      (["--mask", "liner"], "'linear'"), (["--mask", "all", "--kernel", "simd"], "levels"),
      (["--mask", "all", "--format", "rgba8"], "grayf32"), (["--mask", "all", "--peers"], "plug-ins"),
    ] {
      let command = try Command(["certify"] + words)
      #expect(command.code == 64 && command.errors.contains(reason), "\(command.errors)")
    }
  }

  @Test("run measures methods next to a memcpy, and rank and report keep their cases apart")
  func run() throws {
    try Scratch.folder { folder in
      let words = ["--format", "rgba8", "--size", "64x48", "--sigma", "3", "--repetitions", "1"]
      let kernels = "simd,box-triple,levels,layers,cross-fade,two-pass"
      let more = ["--certify-seconds", "0", "--min-time", "0.0001", "--threads", "1", "--output", "out.csv"]
      let masked = try Command(
        ["run", "--mask", "none,linear", "--kernel", kernels] + words + more, in: folder)
      #expect(masked.code == 0, "\(masked.errors)")
      let names = try String(contentsOf: folder.appending(path: "out.csv"), encoding: .utf8)
        .split(separator: "\n").dropFirst().map { $0.split(separator: ",")[0] }
      let methods = VariableMethod.allCases.map(\.rawValue)
      let withMask = names.filter { $0.contains("mask=linear") }
      for kernel in methods + ["memcpy"] {
        #expect(withMask.contains { $0.contains("/kernel=\(kernel)/") }, "\(kernel)")
      }
      #expect(!withMask.contains { $0.contains("kernel=simd/") })
      #expect(names.contains { $0.contains("kernel=simd/") })
      #expect(!names.contains { $0.contains("kernel=levels/") && !$0.contains("mask=") })
      let rank = try Command(["rank", "out.csv"], in: folder)
      #expect(rank.code == 0 && rank.output.contains("mask linear"), "\(rank.output)\(rank.errors)")
      let report = try Command(["report", "out.csv", "--output", "out.html"], in: folder)
      #expect(report.code == 0, "\(report.errors)")
      let page = try String(contentsOf: folder.appending(path: "out.html"), encoding: .utf8)
      #expect(page.contains("clamp, mask linear"))
    }
  }

  @Test(
    "Options that do not fit a method are rejected, with those that do",
    arguments: [
      (["run", "--kernel", "levels"], "--mask linear"),
      (["run", "--mask", "linear", "--kernel", "simd"], "two-pass"),
      (["run", "--mask", "liner"], "'linear'"),
      (["select", "--mask", "linear"], "select has no option --mask"),
      (["tune", "--mask", "linear", "--output", "none.json"], "tune has no option --mask"),
    ])
  func mistakes(words: [String], reason: String) throws {
    let command = try Command(words)
    #expect([1, 64].contains(command.code) && command.errors.contains(reason), "\(command.errors)")
  }
}
