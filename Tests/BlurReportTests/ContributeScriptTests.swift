import Foundation
import TestSupport
import Testing

/// Tests of the scripts for contributing results. They run in a temporary repository, in which stand-ins
/// replace the programs that build and measure.
@Suite("The scripts for contributing results")
struct ContributeScriptTests {
  /// The text of a stand-in for `blurbench`. It appends its arguments to `log`, and fails if they contain
  /// "bad".
  private static let program = """
    #!/usr/bin/env bash
    echo "$*" >>log
    [[ "$*" != *bad* ]]
    """
  private static let run = """
    #!/usr/bin/env bash
    echo "run $*" >>log
    for word; do [[ $word == *.csv ]] && touch "$word" "${word%.csv}.txt" "${word%.csv}.json"; done
    exit 0
    """

  @Test("A contribution is measured with ten samples and checked, and its JSON file is removed")
  func contribute() throws {
    try Self.withRepository { repository in
      let words = ["Bench/contribute", "my-machine", "--suite", "peers"]
      let run = try Self.shell(words, in: repository)
      #expect(run.code == 0, "\(run.printed)")
      let folder = repository.appending(path: "Results/my-machine").path
      let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(files.map { String($0.dropFirst(10)) } == ["-peers.csv", "-peers.txt"])
      let csv = try #require(files.first)
      let log = try String(contentsOf: repository.appending(path: "log"), encoding: .utf8)
      #expect(
        log == "run --output Results/my-machine/\(csv) --suite peers --repetitions 10\n"
          + "site Results --check my-machine/\(csv)\n")
      #expect(run.printed.contains("git add Results/my-machine/\(csv) "))
    }
  }

  @Test(
    "Arguments that cannot give a contribution are rejected before anything is measured",
    arguments: [[], ["../x"], ["local"], ["Name"], ["a", "--output", "x.csv"]])
  func refused(words: [String]) throws {
    try Self.withRepository { repository in
      let run = try Self.shell(["Bench/contribute"] + words, in: repository)
      #expect(run.code == 64)
      #expect(!FileManager.default.fileExists(atPath: repository.appending(path: "log").path))
    }
  }

  @Test("A working tree with uncommitted changes is rejected")
  func dirty() throws {
    try Self.withRepository { repository in
      try Self.write("changed", "README", in: repository)
      let run = try Self.shell(["Bench/contribute", "a"], in: repository)
      #expect(run.code == 1 && run.printed.contains("commit your changes first"))
    }
  }

  @Test("Changed records are checked, even if only their .txt changed, and must be of this history")
  func changed() throws {
    try Self.withRepository { repository in
      let commit = try Self.shell(["git", "rev-parse", "HEAD"], in: repository).output
        .trimmingCharacters(in: .whitespacesAndNewlines)
      let other = String(repeating: "ab", count: 20)
      for (name, revision) in [("old", commit), ("new", commit), ("strange", other), ("bad", commit)] {
        try Self.write("x", "Results/m/\(name).csv", in: repository)
        try Self.write("git revision: \(revision)\n", "Results/m/\(name).txt", in: repository)
        if name == "old" { try Self.commit(in: repository) }
      }
      try Self.write("{}", "Results/m/2026-01-01-calibrate.json", in: repository)
      try Self.write("git revision: \(commit)\ndate: x\n", "Results/m/old.txt", in: repository)
      try Self.commit(in: repository)
      let run = try Self.shell(["Bench/check-results", "HEAD^"], in: repository)
      #expect(run.code == 3)
      #expect(run.printed.contains("Results/m/strange.csv: was measured by \(other), which is no commit"))
      let log = try String(contentsOf: repository.appending(path: "log"), encoding: .utf8)
      let names = log.split(separator: "\n").map { $0.split(separator: "/").last ?? "" }
      #expect(names == ["bad.csv", "new.csv", "old.csv", "strange.csv"])
      #expect(try Self.shell(["Bench/check-results", "HEAD"], in: repository).code == 0)
    }
  }

  private static func withRepository(_ body: (URL) throws -> Void) throws {
    try Scratch.folder { root in
      for name in ["Bench/contribute", "Bench/check-results"] {
        let script = try String(contentsOf: Program.package.appending(path: name), encoding: .utf8)
        try write(script, name, in: root)
      }
      try write("#!/usr/bin/env bash\n", "Bench/build", in: root)
      try write(run, "Bench/run", in: root)
      try write(program, ".build/release/blurbench", in: root)
      try write("log\n.build\n", ".gitignore", in: root)
      try write("text", "README", in: root)
      _ = try shell(["git", "init", "--quiet"], in: root)
      try commit(in: root)
      try body(root)
    }
  }

  private static func write(_ text: String, _ name: String, in root: URL) throws {
    let url = root.appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
  }

  private static func commit(in root: URL) throws {
    _ = try shell(["git", "add", "."], in: root)
    let author = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    let run = try shell(["git"] + author + ["commit", "--quiet", "--message", "x"], in: root)
    try #require(run.code == 0, "\(run.printed)")
  }

  private static func shell(_ words: [String], in root: URL) throws -> Program {
    // With this limit the script accepts a busy machine, because the machine's load is not tested here.
    try Program(words, in: root, environment: ["CONTRIBUTE_BUSY_LIMIT": "100"])
  }
}
