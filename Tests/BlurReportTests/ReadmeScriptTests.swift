import Foundation
import TestSupport
import Testing

/// Tests of `Bench/readme`, which makes the tables and figures of the pages from the committed results.
@Suite("Bench/readme")
struct ReadmeScriptTests {
  private static let hasPython = Program.exists("python3")

  @Test(
    "Stale, hand-typed and missing parts are found, and those that can be generated are repaired",
    .enabled(if: hasPython, "python3 is not installed"))
  func stale() throws {
    try Self.withCopy { copy in
      let good = try Self.readme("--check", in: copy)
      #expect(good.code == 0 && good.printed.isEmpty, "\(good.printed)")

      let pages = ["README.md", "docs/COMPARING.md", "docs/METHODOLOGY.md", "docs/FLEET.md"]
      let texts = try pages.map { try Self.text($0, in: copy) }
      // Each of these changes makes a page disagree with the results: a wrong number in a table, a wrong
      // number in a sentence, a changed sentence, a table that was typed by hand, a table on a page that does
      // not say when its results were made, a missing picture, and a page in a picture that changed later.
      let figure = try #require(texts[2].firstMatch(of: /\| \d+ \| \d\.\d+, (\d\.\d+) \|/)?.1)
      try Self.change(String(figure), "9.999", "docs/METHODOLOGY.md", in: copy)
      try Self.change("None of the 60", "None of the 61", "docs/COMPARING.md", in: copy)
      try Self.change("planted mistakes test the tests", "mistakes test the tests", "README.md", in: copy)
      let table = "\n| kernel | ms |\n|---|---|\n| `simd` | 1.5 |\n| `dct` | 2.5 |\n"
      let undated = "\n<!-- Bench/readme: peers -->\n<!-- end -->\n"
      try (texts[3] + table + undated).write(
        to: copy.appending(path: "docs/FLEET.md"), atomically: true, encoding: .utf8)
      try FileManager.default.removeItem(at: copy.appending(path: "docs/scene.png"))
      try Self.change("body", "main", "docs/web/page.css", in: copy)
      let bad = try Self.readme("--check", in: copy)
      #expect(bad.code == 1)
      for line in [
        "docs/METHODOLOGY.md is not what the results say", "docs/COMPARING.md is not what the results say",
        "README.md lacks '{} planted mistakes test the tests'",
        "docs/FLEET.md: the table '| kernel | ms |' is typed by hand",
        "docs/FLEET.md is not what the results say",
        "-peers.csv, and no sentence says when and with which kernels it was made",
        "docs/scene.png is not there; run Bench/readme --pictures=scene",
        "docs/web.png shows files that were changed later; run Bench/readme --pictures=web",
      ] {
        #expect(bad.printed.contains(line), "\(line)\n\(bad.printed)")
      }
      #expect(bad.printed.split(separator: "\n").count == 8, "\(bad.printed)")

      // Without --check, the script repairs the tables and the numbers. It still fails, because it cannot
      // repair the other errors.
      #expect(try Self.readme(in: copy).code == 1)
      for index in [1, 2] {
        #expect(try Self.text(pages[index], in: copy) == texts[index], "\(pages[index])")
      }
    }
  }

  @Test(
    "The result of verifying the template is written, unless a check failed or the build is debug",
    .enabled(if: hasPython, "python3 is not installed"))
  func session() throws {
    try Self.withCopy { copy in
      // Stand-ins replace the compiler and the program. Only the handling of their output is tested.
      let page = try Self.text("README.md", in: copy)
      let command = try #require(page.split(separator: "\n").first { $0.hasPrefix("cc ") })
      try Self.change(String(command), "cc --version template.c -o template.so", "README.md", in: copy)
      let before = try Self.text("README.md", in: copy)
      let run = { (version: String, summary: String) in
        let program = copy.appending(path: "program")
        try "#!/bin/sh\n[ $1 = verify ] && echo '\(summary)' || echo '\(version)'\n".write(
          to: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        return try Program(
          ["Bench/readme", "--session"], in: copy, environment: ["BLURBENCH": program.path])
      }
      let good = "17 checks: 5 passed, 0 failed, 12 skipped"
      for (version, summary) in [
        ("build: release", "17 checks: 4 passed, 1 failed, 12 skipped"), ("build: debug", good),
        ("build: release", "nothing"),
      ] {
        #expect(try run(version, summary).code == 1)
        #expect(try Self.text("README.md", in: copy) == before)
      }
      #expect(try run("build: release", good).code == 0)
      let after = try Self.text("README.md", in: copy)
      let shown = before.replacing(/(?m)^  \d+ checks: .*$/, with: "  \(good)")
      #expect(after == shown && after.contains(good))
    }
  }

  @Test(
    "Unknown options and pictures are named in the error",
    .enabled(if: hasPython, "python3 is not installed"))
  func usage() throws {
    for (word, text) in [("--chek", "no option '--chek'"), ("--pictures=sceen", "no picture 'sceen'")] {
      let run = try Self.readme(word, in: Program.package)
      #expect(run.code == 1 && run.printed.contains(text), "\(run.printed)")
    }
  }

  /// Replaces the first occurrence of a text in a page, which must contain the text.
  private static func change(_ old: String, _ new: String, _ page: String, in copy: URL) throws {
    let whole = try text(page, in: copy)
    try #require(whole.contains(old), "\(page): \(old)")
    try whole.replacing(old, with: new, maxReplacements: 1).write(
      to: copy.appending(path: page), atomically: true, encoding: .utf8)
  }

  private static func text(_ page: String, in copy: URL) throws -> String {
    try String(contentsOf: copy.appending(path: page), encoding: .utf8)
  }

  /// Calls `body` with a folder that has copies of the pages and the script, and links to the results and
  /// tests from which they are made.
  private static func withCopy(_ body: (URL) throws -> Void) throws {
    let files = FileManager.default
    try Scratch.folder { root in
      try files.createDirectory(at: root.appending(path: "Bench"), withIntermediateDirectories: true)
      for name in ["README.md", "docs", "Bench/readme", "Bench/Tables"] {
        try files.copyItem(at: Program.package.appending(path: name), to: root.appending(path: name))
      }
      for name in ["Results", "Sources", "Tests"] {
        try files.createSymbolicLink(
          at: root.appending(path: name), withDestinationURL: Program.package.appending(path: name))
      }
      try body(root)
    }
  }

  private static func readme(_ words: String..., in root: URL) throws -> Program {
    try Program(["Bench/readme"] + words, in: root)
  }
}
