import ArgumentParser
import BlurRecords
import BlurText

/// The verb `blurbench merge`, which joins the records of the shards of a suite.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Check that the shards of a suite are complete and belong together, and join their records.",
    discussion: """
      A shard is a part of a suite, measured with `blurbench run --shard`. Nothing is joined if a shard is \
      missing, incomplete or named twice, or if the shards come from different suites, machines or programs.

      Examples:
        blurbench merge shards/ --output all.csv
        blurbench merge shards/ >all.csv

      Exit codes: 0 success, 1 the command could not be carried out, 64 wrong usage.
      """)

  @Argument(
    help: ArgumentHelp(
      "The files that `blurbench run --shard` has written, or folders with such files.",
      valueName: "DIR|FILE.csv"),
    completion: .records)
  var records: [String]
  @Option(
    help: ArgumentHelp(
      "Write the records to FILE.csv, FILE.json and FILE.txt, instead of printing them as CSV.",
      valueName: "FILE.csv"), completion: .records)
  var output: String?

  func run() throws {
    let paths = try output.map { try RecordFiles.Paths($0) }
    let merge = try Merge(records)
    guard let paths else {
      return print(RecordsCSV.text(merge.records), terminator: "")
    }
    try merge.write(to: paths)
    Terminal.say("records: \(paths.csv), with .json and .txt files next to it")
  }
}
