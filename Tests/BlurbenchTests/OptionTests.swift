import BlurRecords
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
