import Foundation
import Testing

@Suite("Tuning and choosing on the command line")
struct TuneCommandTests {
  static let tune = [
    "tune", "--format", "gray8", "--size", "40x30", "--sigma", "2,5", "--threads", "1", "--edge", "clamp",
    "--budget", "5s",
    "--output",
    "w.json",
  ]

  private func verboseBlur(in folder: URL, wisdom: String, sigma: String = "5") throws -> Command {
    try Command(
      ["blur", "in.pgm", "out.pgm", "--sigma", sigma, "--verbose"], in: folder,
      environment: ["BLUR_WISDOM": wisdom])
  }

  /// The suites lie beside the program's sources, not beside the scratch folder.
  private var suite: [String] { ["--suite", Command.package.appending(path: "Bench/Suites/tune.yml").path] }

  @Test("tune writes wisdom that blur chooses by, and does not measure twice")
  func tuneAndBlur() throws {
    try Scratch.folder { folder in
      try CommandTests.step(40, 30).write(to: folder.appending(path: "in.pgm"))
      let first = try Command(Self.tune + suite, in: folder)
      #expect(first.code == 0 && first.errors.contains("2 problems"), "\(first.errors)")
      #expect(
        first.errors.contains("measuring 2 problems within 5s (--budget); 0 are known"), "\(first.errors)")
      let file = folder.appending(path: "w.json")
      let text = try String(contentsOf: file, encoding: .utf8)
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      let problems = try #require(object?["problems"] as? [[String: Any]])
      #expect(problems.map { $0["sigma_x"] as? Double } == [2, 5])

      let again = try Command(Self.tune + suite, in: folder)
      #expect(again.errors.contains("within 5s, those that the file lacks (--budget); 2 are known"))
      let kept = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
      let later = try #require(kept?["problems"] as? [[String: Any]])
      #expect(again.code == 0 && later.count == problems.count)
      // What other programs disturbed throughout, as other tests do here, is measured again.
      for (one, other) in zip(problems, later) where one["noisy"] == nil {
        #expect(one as NSDictionary == other as NSDictionary)
      }

      let blur = try verboseBlur(in: folder, wisdom: "w.json")
      #expect(
        blur.code == 0 && blur.errors.contains("by measured time, ")
          && blur.errors.contains("wisdom: w.json"))
      // Wisdom speaks of exact problems.
      let other = try verboseBlur(in: folder, wisdom: "w.json", sigma: "3")
      #expect(other.code == 0 && other.errors.contains("by estimate"), "\(other.errors)")
    }
  }

  @Test("Images whose rows have padding are problems of their own")
  func padding() throws {
    try Scratch.folder { folder in
      for (size, known) in [("40x30", 0), ("40x30+3", 1), ("40x30,40x30+3", 2)] {
        let tuned = try Command(
          Self.tune.map { $0 == "40x30" ? size : $0 == "2,5" ? "2" : $0 } + suite, in: folder)
        #expect(tuned.code == 0 && tuned.errors.contains("; \(known) are known"), "\(tuned.errors)")
      }
      let text = try String(contentsOf: folder.appending(path: "w.json"), encoding: .utf8)
      #expect(text.components(separatedBy: "\"stride\" : 43").count == 2, "\(text)")
    }
  }

  @Test("Wisdom that is damaged is named once with the way to renew it, and blurring goes on without")
  func damaged() throws {
    try Scratch.folder { folder in
      try CommandTests.step(40, 30).write(to: folder.appending(path: "in.pgm"))
      try Data("not wisdom".utf8).write(to: folder.appending(path: "w.json"))
      let blur = try verboseBlur(in: folder, wisdom: "w.json")
      #expect(blur.code == 0)
      #expect(
        blur.errors.components(separatedBy: "blurbench tune --renew --output w.json").count == 2,
        "\(blur.errors)")
      #expect(blur.errors.contains("by estimate"))
      let quiet = try verboseBlur(in: folder, wisdom: "none")
      #expect(quiet.code == 0 && !quiet.errors.contains("tune"), "\(quiet.errors)")

      let refused = try Command(Self.tune + suite, in: folder)
      #expect(refused.code == 1 && refused.errors.contains("--renew"))
      #expect(try Command(Self.tune + suite + ["--renew"], in: folder).code == 0)
    }
  }

  @Test("select names a kernel for each workload, and explains the others")
  func select() throws {
    let words = ["select", "--format", "gray8", "--size", "40x30", "--sigma", "2,4", "--min-time", "0.0001"]
    let text = try Command(words + ["--explain"])
    #expect(text.code == 0 && text.output.contains("gray8 40x30, sigma 4, clamp, 1 thread, within 1 level"))
    #expect(text.output.contains("box-triple") && text.output.contains("promises no bound on its error"))
    #expect(text.output.contains("vyv-3") && text.output.contains("over the bound: promises 25 levels > 1"))
    let json = try Command(words + ["--json", "--max-error", "3"])
    let array = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    #expect(array?.count == 2 && array?[0]["bound_levels"] as? Double == 3)
    #expect(try Command(words + ["--max-error", "0"]).code == 4)
  }

  @Test(
    "What makes no sense is a usage error",
    arguments: [
      ["tune", "--budget", "soon"], ["tune", "--budget", "-3s"], ["tune", "--json"],
      ["tune", "--suite", "nosuch"],
      ["select", "--format", "gray9"], ["select", "--max-error", "-1"], ["select", "--max-error", "nan"],
      ["tune", "--regret", "--count", "0"], ["tune", "--regret", "--constants"],
    ])
  func usage(words: [String]) throws {
    let command = try Command(words, environment: ["BLUR_WISDOM": "/tmp/nobody/has/this.json"])
    #expect(command.code == 64, "\(words): \(command.errors)")
  }
}
