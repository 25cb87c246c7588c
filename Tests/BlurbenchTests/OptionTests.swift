import ArgumentParser
import BlurRecords
import Foundation
import Testing

@testable import blurbench

@Suite("Options of the command line")
struct OptionTests {
  @Test("Every dimension has an option, with its help")
  func dimensions() throws {
    let words = CaseDimension.allCases.flatMap { ["--\($0.rawValue)", "word-\($0.rawValue)"] }
    let given = try CaseOptions.parse(words).given
    #expect(
      given == Dictionary(uniqueKeysWithValues: CaseDimension.allCases.map { ($0, "word-\($0.rawValue)") }))
    let help = CaseOptions.helpMessage(columns: 400)
    for dimension in CaseDimension.allCases {
      #expect(help.contains("--\(dimension.rawValue) <\(dimension.valueName ?? dimension.rawValue)>"))
      #expect(help.contains(dimension.help))
    }
  }
}

@Suite("Help")
struct HelpTests {
  @Test(
    "Each verb shows two examples, and they are command lines that it accepts",
    arguments: Blurbench.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      .compactMap { $0.configuration.commandName })
  func examples(verb: String) throws {
    let command = try #require(
      Blurbench.configuration.subcommands.first { $0.configuration.commandName == verb })
    // Its lines are wrapped at 80 columns where a user sees them.
    let lines = Blurbench.helpMessage(for: command, columns: 400).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let examples = lines.filter { $0.hasPrefix("blurbench \(verb)") && $0.count <= 78 }
    #expect(examples.count >= 2, "\(lines)")
    for example in examples
    where !example.contains("[") && !example.contains("BASE") && !example.contains("--kernel A") {
      #expect(throws: Never.self, "\(example)") {
        try Blurbench.parseAsRoot(example.split(separator: " ").dropFirst().map(String.init))
      }
    }
  }
}
