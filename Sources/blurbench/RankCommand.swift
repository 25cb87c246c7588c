import ArgumentParser
import BlurRecords
import BlurText

/// The verb `blurbench rank`, which orders the kernels in a record file by speed, within groups of similar
/// accuracy.
struct RankCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rank",
    abstract: "Rank the kernels in a record file by speed, for each workload, in groups of similar accuracy.",
    discussion: """
      The kernels are grouped by their largest error on the test image: at most 1 level (1/255 of full \
      scale), at most 3 levels, and more. Cases with different numbers of threads are never mixed. Times are \
      medians. Each time is divided by the time of the fastest kernel in the same group or in a more \
      accurate group. Such a ratio is computed only from records of the same run. The kernels are ranked by \
      the geometric mean of their ratios over all workloads. For each kernel, the table shows this mean, the \
      worst workload, and the number of workloads that are missing.

      Examples:
        blurbench rank quick.csv
        blurbench rank quick.csv --filter format=rgba8,threads=1 --csv

      Exit codes: 0 success, 1 the command could not be carried out, 4 no record has a time, 64 wrong usage.
      """)

  @Argument(
    help: ArgumentHelp(
      "A CSV file from `blurbench run`, or - to read standard input.", valueName: "FILE.csv"),
    completion: .records)
  var records: String
  @Option(help: .filter) var filter: String?
  @Option(
    help: ArgumentHelp("Write the tables as Markdown.", valueName: "FILE.md"),
    completion: .file(extensions: ["md"]))
  var markdown: String?
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Print one CSV line for each kernel and workload.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv cannot be combined") }
    if let markdown {
      try OptionValue.checkOutput(markdown)
      try OptionValue.checkOutput(markdown, isNotAmong: [records])
    }
  }

  func run() throws {
    let all = try RecordsCSV.read(at: records)
    let kept = try all.kept(by: filter)
    let ranking = Ranking(kept)
    for line in Ranking.leftOut(of: kept) { Terminal.say("note: left out: \(line)") }
    if let markdown { try TextFile.write(ranking.markdown, to: markdown) }
    print(json ? try JSONDocument.text(of: ranking) : csv ? ranking.csv : ranking.text, terminator: "")
    if ranking.blocks.isEmpty { throw ExitCode.cannotTell }
  }
}
