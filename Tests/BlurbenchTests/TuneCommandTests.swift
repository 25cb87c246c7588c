import BlurWisdom
import Foundation
import TestSupport
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

  /// The option that names the suite. The suites are next to the program's sources, and not in the scratch
  /// folder.
  private var suite: [String] { ["--suite", Command.package.appending(path: "Bench/Suites/tune.yml").path] }

  @Test("tune writes wisdom that blur follows, and does not measure anything twice")
  func tuneAndBlur() throws {
    try Scratch.folder { folder in
      try CommandTests.step(40, 30).write(to: folder.appending(path: "in.pgm"))
      let first = try Command(Self.tune + suite, in: folder)
      #expect(first.code == 0 && first.errors.contains("2 blur problems"), "\(first.errors)")
      #expect(
        first.errors.contains("2 blur problems to measure in at most 5s (--budget)\n"), "\(first.errors)")
      let file = folder.appending(path: "w.json")
      let text = try String(contentsOf: file, encoding: .utf8)
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      let problems = try #require(object?["problems"] as? [[String: Any]])
      #expect(problems.map { $0["sigma_x"] as? Double } == [2, 5])

      let again = try Command(Self.tune + suite, in: folder)
      // The command `tune` marks a problem as noisy if other programs disturbed all its measurements, and
      // measures it again in the next run. Other tests may run now and disturb the measurements, so the
      // number of noisy problems is not certain.
      let noisy = problems.count { $0["noisy"] != nil }
      let task =
        [
          "nothing to measure: the wisdom file already has the times of 2 blur problems",
          "1 blur problem to measure", "2 blur problems to measure",
        ]
      #expect(again.errors.contains(task[noisy]), "\(again.errors)")
      let kept = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
      let later = try #require(kept?["problems"] as? [[String: Any]])
      #expect(again.code == 0 && later.count == problems.count)
      for (one, other) in zip(problems, later) where one["noisy"] == nil {
        #expect(one as NSDictionary == other as NSDictionary)
      }

      let blur = try verboseBlur(in: folder, wisdom: "w.json")
      #expect(
        blur.code == 0 && blur.errors.contains("by measured time, ")
          && blur.errors.contains("wisdom: w.json"))
      // Wisdom applies only to exactly the same problem.
      let other = try verboseBlur(in: folder, wisdom: "w.json", sigma: "3")
      #expect(other.code == 0 && other.errors.contains("by estimate"), "\(other.errors)")
    }
  }

  @Test("tune reports its budget, what the budget left out, and what is still noisy")
  func noisy() throws {
    try Scratch.folder { folder in
      let file = folder.appending(path: "w.json")
      #expect(try Command(Self.tune + suite, in: folder).code == 0)
      // The two problems are changed so that they look as if other programs had disturbed them.
      var object = try #require(
        try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
      let problems = try #require(object["problems"] as? [[String: Any]])
      object["problems"] = problems.map { $0.merging(["noisy": true]) { $1 } }
      try JSONSerialization.data(withJSONObject: object).write(to: file)
      let words = (Self.tune + suite).map { $0 == "5s" ? "1e-9s" : $0 }
      let again = try Command(words, in: folder)
      #expect(again.code == 0)
      for line in [
        "2 blur problems to measure in at most 1e-9s (--budget)\n",
        "the budget ended before 2 problems could be measured; run the same command again",
        "the wisdom file has noisy times for 2 of 2 problems",
      ] {
        #expect(again.errors.contains(line), "\(line)\n\(again.errors)")
      }
    }
  }

  @Test("Images whose rows have padding are separate problems")
  func padding() throws {
    try Scratch.folder { folder in
      for (size, held) in [("40x30", "1 problem\n"), ("40x30+3", "2 problems\n"), ("40x30,40x30+3", "2 ")] {
        let tuned = try Command(
          Self.tune.map { $0 == "40x30" ? size : $0 == "2,5" ? "2" : $0 } + suite, in: folder)
        #expect(tuned.code == 0 && tuned.errors.contains("wisdom: w.json, \(held)"), "\(tuned.errors)")
      }
      let text = try String(contentsOf: folder.appending(path: "w.json"), encoding: .utf8)
      #expect(text.components(separatedBy: "\"stride\" : 43").count == 2, "\(text)")
    }
  }

  @Test("Damaged wisdom is reported once, with the way to renew it, and blurring goes on without it")
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

  @Test("--renew measures the problems in the file if no others are named, also for another revision")
  func renewed() throws {
    try Scratch.folder { folder in
      #expect(try Command(Self.tune, in: folder).code == 0)
      let file = folder.appending(path: "w.json")
      let measured = try WisdomFile.read(file.path)
      var foreign = measured
      foreign.problems = foreign.problems.map { problem in
        var problem = problem
        problem.times = problem.times.map { Wisdom.Time(kernel: $0.kernel, isa: $0.isa, ns: 1e9) }
        return problem
      }
      foreign.revision += "x"
      try WisdomFile.write(foreign, to: file.path)
      let command = try Command(["tune", "--renew", "--budget", "5s", "--output", "w.json"], in: folder)
      #expect(command.code == 0 && command.errors.contains("2 blur problems to measure"), "\(command.errors)")
      let renewed = try WisdomFile.read(file.path)
      #expect(Set(renewed.problems.compactMap(\.measured)) == Set(measured.problems.compactMap(\.measured)))
      #expect(renewed.revision == measured.revision)
      #expect(renewed.problems.allSatisfy { $0.times.allSatisfy { $0.ns < 1e9 } })
    }
  }

  @Test("A file of another kind is named as such and kept, and blurring goes on without it")
  func otherKind() throws {
    try Scratch.folder { folder in
      try CommandTests.step(40, 30).write(to: folder.appending(path: "in.pgm"))
      let table = "name,iterations,real_time,cpu_time\n"
      try Data(table.utf8).write(to: folder.appending(path: "run.csv"))
      let blur = try verboseBlur(in: folder, wisdom: "run.csv")
      #expect(blur.code == 0 && blur.errors.contains("run.csv: is not a wisdom file but a records file"))
      for words in [["--output", "run.csv"], ["--output", "run.csv", "--renew"]] {
        let environment = ["BLUR_WISDOM": folder.appending(path: "w.json").path]
        let tune = try Command(["tune"] + words, in: folder, environment: environment)
        #expect(
          tune.code == 1 && tune.errors.contains("is not a wisdom file but a records file"),
          "\(tune.errors)")
      }
      #expect(try String(contentsOf: folder.appending(path: "run.csv"), encoding: .utf8) == table)
    }
  }

  @Test("select names a kernel for each workload, and explains why not the others")
  func select() throws {
    let words = ["select", "--format", "gray8", "--size", "40x30", "--sigma", "2,4", "--min-time", "0.0001"]
    let text = try Command(words + ["--explain"])
    let heading = "gray8 40x30, sigma 4, clamp, 1 thread, error at most 1 level"
    #expect(text.code == 0 && text.output.contains(heading))
    #expect(text.output.contains("box-triple") && text.output.contains("promises no bound on its error"))
    #expect(
      text.output.contains("vyv-3")
        && text.output.contains("its promised error is 25 levels; allowed: 1"))
    let json = try Command(words + ["--json", "--max-error", "3", "--certify-seconds", "0"])
    let array = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
    #expect(array?.count == 2 && array?[0]["bound_levels"] as? Double == 3)
    #expect(try Command(words + ["--max-error", "0"]).code == 4)
  }

  @Test(
    "Options that make no sense are usage errors",
    arguments: [
      ["tune", "--budget", "soon"], ["tune", "--budget", "-3s"], ["tune", "--json"],
      ["tune", "--suite", "nosuch"],
      ["select", "--format", "gray9"], ["select", "--max-error", "-1"], ["select", "--max-error", "nan"],
    ])
  func usage(words: [String]) throws {
    let command = try Command(words, environment: ["BLUR_WISDOM": "/tmp/nobody/has/this.json"])
    #expect(command.code == 64, "\(words): \(command.errors)")
  }
}
