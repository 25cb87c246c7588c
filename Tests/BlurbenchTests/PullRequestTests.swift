import Foundation
import TestSupport
import Testing

@Suite("The comparison of a pull request in CI")
struct PullRequestTests {
  /// The result of running the script `.ci/compare`. A stand-in replaces the program that makes the
  /// comparison (the judge), and exits with a given code. The arguments that it received are in `asked`.
  private struct Judged {
    var code: Int32 = -1
    var asked: [String] = []
    var outcome = "", summary = "", printed = "", junit = ""
  }

  private func judged(
    _ code: Int, verifying: Int? = nil, text: String? = nil, gate: String? = nil, onGitHub: Bool = true,
    verdict: String = "verdict", head: String = "the head", found: String = ""
  ) throws -> Judged {
    try Scratch.folder { folder in
      let judge = folder.appending(path: "judge")
      let script = """
        #!/bin/sh
        if [ $1 = verify ]; then
          [ "$2" = --goldens ] && [ -d "$3" ] && [ "$4 $5" = '--pictures blurbench-failures' ] || exit 99
          shift 5
          printf '%s' '\(found)'
          echo '`@all` <b>' "$@"
          exit \(verifying ?? -1)
        fi
        echo '\(Self.junit(tests: 4, failures: 1))' > comparison.xml
        printf '%s\\n' "$0" "$@" > asked
        if [ \(code) = 64 ]; then echo "no such file" >&2; else echo "### \(verdict)" > comparison.md; fi
        exit \(code)
        """
      try script.write(to: judge, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: judge.path)
      let process = Process()
      process.executableURL = Command.package.appending(path: ".ci/compare")
      process.arguments = [judge.path, head]
      let output = folder.appending(path: "printed")
      try Data().write(to: output)
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.currentDirectoryURL = folder
      var environment = ProcessInfo.processInfo.environment
      for name in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
        environment[name] = onGitHub ? folder.appending(path: name).path : nil
      }
      environment["VERIFY"] = verifying == nil ? nil : "true"
      environment["PULL_REQUEST_TEXT"] = text
      environment["GATE_INSTRUCTIONS"] = gate
      process.environment = environment
      try process.run()
      process.waitUntilExit()
      let read = { (name: String) in
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
      }
      let touched = FileManager.default.fileExists(atPath: folder.appending(path: "touched").path)
      #expect(!touched, "the text was run as a command")
      let asked = read("asked").split(separator: "\n").map(String.init)
      #expect(asked.isEmpty || asked.prefix(4) == [judge.path, "compare", judge.path, "the head"])
      return Judged(
        code: process.terminationStatus, asked: Array(asked.dropFirst(4)), outcome: read("GITHUB_OUTPUT"),
        summary: read("GITHUB_STEP_SUMMARY"), printed: read("printed"), junit: read("comparison.xml"))
    }
  }

  /// Returns a JUnit file as `compare` writes it, without its cases.
  private static func junit(tests: Int, failures: Int) -> String {
    let totals = "tests=\"\(tests)\" failures=\"\(failures)\" errors=\"0\" skipped=\"0\""
    return """
      <testsuites name="blurbench compare" \(totals)>
        <testsuite name="a against b" tests="4" failures="1" errors="0" skipped="0">
        </testsuite>
      </testsuites>
      """
  }

  @Test(
    "The base's program judges, and an undecided comparison is neither a success nor a failure",
    arguments: [
      (0, 0, "good"), (3, 3, "regressed"), (4, 0, "cannot-tell"), (1, 1, "failed"), (64, 64, "failed"),
    ])
  func outcomes(code: Int, end: Int, outcome: String) throws {
    let found = try judged(code)
    #expect(found.code == Int32(end) && found.outcome == "outcome=\(outcome)\n")
    let heading = code == 64 ? "### Could not compare\n\n    no such file\n" : "### verdict\n"
    #expect(found.summary.hasPrefix(heading))
    #expect(found.asked.contains("--gate-instructions") && !found.asked.contains("--accept-outputs"))
  }

  @Test(
    "A failure due to --strict alone is called undecided, unless verify finds a regression",
    arguments: [0, 3])
  func strict(verified: Int) throws {
    let found = try judged(3, verifying: verified, verdict: "Not decided, which --strict treats")
    #expect(found.code == 3 && found.outcome == "outcome=\(verified == 3 ? "regressed" : "not-decided")\n")
  }

  @Test(
    "A change is accepted only by a line of its own",
    arguments: [
      ("blurbench: accept-outputs", true), ("Why.\r\n\r\nblurbench: accept-outputs\r\nMore.\r\n", true),
      ("", false), ("please blurbench: accept-outputs", false), ("blurbench: accept-outputs!", false),
      ("blurbenchX accept-outputs", false), ("> blurbench: accept-outputs", false),
      (" \tblurbench: accept-outputs  ", true), ("- blurbench: accept-outputs", false),
      ("`blurbench: accept-outputs`", false),
      ("$(touch touched)`touch touched`\"; touch touched; '\nblurbench: accept-outputs", true),
      ("blurbench: accept-outputs\n" + String(repeating: "long line\n", count: 8000), true),
    ] as [(String, Bool)])
  func accepted(text: String, isAccepted: Bool) throws {
    #expect(try judged(0, text: text).asked.contains("--accept-outputs") == isAccepted)
  }

  @Test(
    "Each kind of change has its own line, which accepts nothing else",
    arguments: ["slower", "outputs", "gone"])
  func change(name: String) throws {
    let asked = try judged(0, text: "blurbench: accept-\(name)").asked
    #expect(asked.filter { $0.hasPrefix("--accept-") } == ["--accept-\(name)"])
  }

  @Test(
    "A kernel is verified whatever the comparison says, and neither one's fault hides the other's",
    arguments: [
      (0, 0, 0, "good"), (0, 3, 3, "regressed"), (3, 4, 3, "regressed"), (3, 0, 3, "regressed"),
      (64, 3, 3, "regressed"), (3, 1, 3, "regressed"), (0, 4, 4, "cannot-tell"), (4, 0, 4, "cannot-tell"),
      (0, 1, 1, "failed"), (64, 0, 64, "failed"), (4, 1, 1, "failed"),
    ])
  func verified(compared: Int, verified: Int, end: Int, outcome: String) throws {
    let found = try judged(compared, verifying: verified)
    #expect(found.code == Int32(end == 4 ? 0 : end) && found.outcome == "outcome=\(outcome)\n")
    let elsewhere = try judged(compared, verifying: verified, onGitHub: false)
    #expect(elsewhere.code == Int32(end))
    // Text that a plug-in prints is not treated as Markdown.
    let final = verified == 3 ? "A fault that `verify` finds cannot be accepted.\n\n" : ""
    let faults = "### Not verified\n\n    `@all` <b> --plugin the head\n\n\(final)### "
    #expect(found.summary.hasPrefix(faults) == (verified != 0))
    let counts = "\n\nVerified: all b plugin the head\n"
    #expect(found.summary.hasSuffix(counts) == (verified == 0))
    // The JUnit file contains one failure of the comparison. If `verify` finds a fault in the kernel, the
    // script adds a failing test to this file.
    if verified == 3 {
      #expect(found.junit.hasPrefix(Self.junit(tests: 5, failures: 2).replacing("</testsuites>", with: "")))
      #expect(found.junit.contains("message=\"all b plugin the head: ") && found.junit.hasSuffix("suites>\n"))
    } else {
      #expect(found.junit == Self.junit(tests: 4, failures: 1) + "\n")
    }
  }

  @Test("Failures are quoted, however much text follows them, and so are the counts")
  func faults() throws {
    let below = String(repeating: "passed\n", count: 50)
    let log = "matrix\n\nFAILED a wrong: 3 levels*\n  blurbench verify\n\n\(below)FAILED b crashes\n\(below)"
    let summary = try judged(0, verifying: 3, found: log).summary
    // The title of the first failure is the heading, without the characters that mean something in Markdown.
    let start = "### a wrong: 3 levels\n\n    FAILED a wrong: 3 levels*\n      blurbench verify\n"
    #expect(summary.hasPrefix(start) && summary.contains("    FAILED b crashes\n"))
    #expect(summary.contains("\n    `@all` <b> --plugin the head\n\nA fault that `verify` finds"))
    let many = try judged(0, verifying: 3, found: String(repeating: "FAILED a\n", count: 9000)).summary
    #expect(many.components(separatedBy: "FAILED").count == 31)
  }

  @Test("A library that was not built is reported once, and the judge does not run", arguments: [nil, 3])
  func missing(verified: Int?) throws {
    let found = try judged(0, verifying: verified, head: "./x.so")
    #expect(found.code == 1 && found.outcome == "outcome=failed\n" && found.asked.isEmpty)
    let sentence =
      "### Could not compare: the library of the head, `./x.so`, does not exist. "
      + "If its build failed, the log of the previous step says why.\n"
    #expect(found.summary == sentence && found.printed == sentence)
  }

  @Test("A misspelt line that accepts nothing is quoted, without commands that a CI runner would obey")
  func misspelt() throws {
    let text =
      "blurbench: accept-output\r\n blurbench: ##[add-path]x\nblurbench: accept-gone\nWhy blurbench: x"
    let printed = try judged(0, text: text).printed
    let lines = ["accept-output", "add-pathx"].map {
      "warning: this line accepts nothing: 'blurbench: \($0)'\n"
    }
    #expect(printed == lines.joined())
    #expect(try judged(0).printed.isEmpty && !judged(0).summary.contains("accept nothing"))
    let near = ["- blurbench: accept-slower", "`blurbench: accept-slower`", "Blurbench: accept-slower"]
    let found = try judged(0, text: near.joined(separator: "\n"))
    #expect(found.printed.split(separator: "\n").count == 3 && !found.asked.contains("--accept-slower"))
    #expect(found.summary.contains("\nThese lines accept nothing:\n\n    - blurbench: accept-slower\n"))
    #expect(found.summary.contains("`blurbench: accept-slower`, `blurbench: accept-outputs`,"))
    #expect(try !judged(0, text: "blurbench: accept-slower").summary.contains("accept nothing"))
  }

  @Test("Outside GitHub, 'cannot tell' has its own exit code, which GitLab shows as a warning")
  func elsewhere() throws {
    #expect(try judged(4, onGitHub: false).code == 4)
    #expect(try judged(3, onGitHub: false).code == 3)
  }

  @Test(
    "The gate for instructions is on or off, and any other value is reported as a mistake",
    arguments: [("true", 0), ("false", 0), ("ja", 64)])
  func gate(word: String, code: Int) throws {
    let found = try judged(0, gate: word)
    #expect(found.code == Int32(code) && found.asked.isEmpty == (code != 0))
    #expect(found.outcome == (code == 0 ? "outcome=good\n" : "outcome=failed\n"))
    #expect(found.asked.contains("--gate-instructions") == (word == "true"))
  }

  @Test("More instructions can be accepted by a line, too")
  func instructions() throws {
    let found = try judged(0, text: "blurbench: accept-instructions")
    #expect(!found.asked.contains("--gate-instructions") && !found.asked.contains("--accept-outputs"))
  }

  @Test("No workflow puts a stranger's text into a command, or gives a token to a pull request's build")
  func workflows() throws {
    let folder = Command.package.appending(path: ".github/workflows")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(files.contains { $0.lastPathComponent == "compare.yml" })
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      // A workflow may use GitHub's `${{ … }}` expressions as values. In a shell script they are dangerous,
      // because GitHub inserts text that a stranger may have written.
      var script: Int?
      for line in lines {
        let indent = line.prefix { $0 == " " }.count
        if let start = script, indent <= start, !line.isEmpty { script = nil }
        #expect(script == nil || !line.contains("${{"), "\(file.lastPathComponent): \(line)")
        if line.drop(while: { " -".contains($0) }).hasPrefix("run:") {
          script = indent
          #expect(!line.contains("${{"), "\(file.lastPathComponent): \(line)")
        }
      }
      #expect(!text.contains("pull_request_target") && !text.contains("secrets."))
      #expect(
        text.components(separatedBy: "actions/checkout@").count
          == text.components(separatedBy: "persist-credentials: false").count)
    }
  }
}
