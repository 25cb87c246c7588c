import ArgumentParser
import BlurRecords
import Foundation
import TestSupport
import Testing

@testable import blurbench

@Suite("Options of the command line")
struct OptionTests {
  @Test("Every dimension has an option with its help text")
  func dimensions() throws {
    let shared = CaseDimension.allCases.filter { ![.kernel, .mask, .pace].contains($0) }
    let words = shared.flatMap { ["--\($0.key)", "word-\($0.key)"] }
    let given = try WorkloadOptions.parse(words)
      .given(kernels: "word-kernel", mask: "word-mask", pace: "word-pace")
    #expect(
      given == Dictionary(uniqueKeysWithValues: CaseDimension.allCases.map { ($0, "word-\($0.key)") }))
    let help = RunCommand.helpMessage(columns: 400)
    for dimension in CaseDimension.allCases {
      #expect(help.contains("--\(dimension.key) <\(dimension.valueName ?? dimension.key)>"))
      #expect(help.contains(dimension.help))
    }
    // `compare` times only warm blurs.
    #expect(!CompareCommand.helpMessage(columns: 400).contains("--pace"))
  }
}

@Suite("Help texts")
struct HelpTests {
  @Test(
    "Each command shows two examples, which it accepts",
    arguments: Blurbench.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .compactMap { $0.configuration.commandName })
  func examples(verb: String) throws {
    let command = try #require(
      Blurbench.configuration.subcommands.first { $0.configuration.commandName == verb })
    // For a user, these lines are wrapped at 80 columns.
    let lines = Blurbench.helpMessage(for: command, columns: 400).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let examples = lines.filter { $0.hasPrefix("blurbench \(verb)") && $0.count <= 78 }
    #expect(examples.count >= 2, "\(lines)")
    for example in examples
    where !example.contains("[") && !example.contains("BASE") && !example.contains("--kernel A") {
      #expect(throws: Never.self, "\(example)") {
        let words = example.replacing("'", with: "").split(separator: " ").map(String.init)
        _ = try Blurbench.parseAsRoot(Array(words.dropFirst()))
      }
    }
  }
}

@Suite("The output of --version")
struct VersionTests {
  @Test(
    "A copy that Bench/stamp has stamped knows its revision and build options, and another copy does not"
  )
  func stamp() throws {
    try Scratch.folder { folder in
      let (built, copy) = (folder.appending(path: "built"), folder.appending(path: "copy"))
      // A shell script plays the role of the original program, which knows the git revision that it was built
      // from.
      try "#!/bin/sh\necho 'git revision: feed, with uncommitted changes'\n".write(
        to: built, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: built.path)
      try FileManager.default.copyItem(atPath: Command.program, toPath: copy.path)
      #expect(try version(copy)["git revision"] == "unknown")
      let script = Command.package.appending(path: "Bench/stamp").path
      let words = [script, built.path, copy.path, "-c", "release", "--static-swift-stdlib"]
      #expect(try Program(words).code == 0)
      let lines = try version(copy)
      #expect(lines["git revision"] == "feed, with uncommitted changes")
      #expect(
        lines["build flags"]?.hasPrefix("-c release --static-swift-stdlib; -align-all-functions=6") == true)
      #expect(lines["program"] != nil && lines["compiler"] != nil && lines["build"] != nil)
    }
  }

  private func version(_ program: URL) throws -> [String: String] {
    let text = try Program([program.path, "--version"]).output
    let pairs = text.split(separator: "\n").map { $0.components(separatedBy: ": ") }.filter { $0.count > 1 }
    return Dictionary(pairs.map { ($0[0], $0.dropFirst().joined(separator: ": ")) }) { first, _ in first }
  }
}
