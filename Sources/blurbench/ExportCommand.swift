import ArgumentParser
import BlurComparison
import BlurRecords
import BlurText

/// The verb `blurbench export`, which writes records in the format of another tool.
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write records in the format of another tool, to standard output.",
    discussion: """
      The tools, and what is written for each tool:
      gha        for github-action-benchmark (tool customSmallerIsBetter): the median of each case
      bencher    for Bencher (adapter json): the median and the quartiles of each case
      benchstat  for benchstat, in Go's benchmark text format: every repetition of each case
      google     for compare.py of Google Benchmark, as JSON: every repetition of each case

      Cases that were skipped or wrong are left out, and listed on standard error. Information about the \
      machine comes from the file FILE.txt next to the records.

      Examples:
        blurbench export --for benchstat run.csv
        blurbench export --for gha run.csv

      Exit codes: 0 success, 1 the command could not be carried out, 4 no case has a time, 64 wrong usage.
      """)

  @Option(name: .customLong("for"), help: "The tool that will read the output.") var tool: Export
  @Argument(
    help: ArgumentHelp(
      "A CSV file from `blurbench run`, or - to read standard input.", valueName: "FILE.csv"),
    completion: .records)
  var records: String
  @Option(help: .filter) var filter: String?

  func run() throws {
    let all = try RecordsCSV.read(at: records)
    let exported = tool.of(try all.kept(by: filter), origin: ProvenanceReader(beside: records))
    for line in exported.leftOut { Terminal.say("note: left out: \(line)") }
    print(exported.text, terminator: "")
    if exported.count == 0 { throw ExitCode.cannotTell }
  }
}

extension Export: ExpressibleByArgument {}
