import ArgumentParser
import BlurMeasurement
import BlurRecords

/// `blurbench rank`: the kernels of records in order, among those of like quality.
struct RankCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rank",
    abstract: "Order the kernels of records, workload by workload, among those of like quality.",
    discussion: """
      Groups: within 1 level of the truth, within 3, looser, by the largest error on the verified picture. \
      Numbers of threads are never mixed. Times are medians; ratios to the fastest of a group and of the \
      stricter ones compare records of one run only. Their geometric mean over all workloads is one number \
      for each kernel, with its worst workload and what is missing.

      Examples:
        blurbench rank quick.csv
        blurbench rank quick.csv --filter format=rgba8,threads=1 --csv

      Exit codes: 0 good, 1 could not do it, 4 no record has a time, 64 usage.
      """)

  @Argument(
    help: ArgumentHelp("A CSV file of `blurbench run`.", valueName: "FILE.csv"),
    completion: .records)
  var records: String
  @Option(
    help: ArgumentHelp("Only some of the cases: a regular expression, or key=value,….", valueName: "filter"))
  var filter: String?
  @Option(
    help: ArgumentHelp("Write the tables as Markdown.", valueName: "FILE.md"),
    completion: .file(extensions: ["md"]))
  var markdown: String?
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Print one CSV line for each kernel and workload.") var csv = false

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv exclude each other") }
  }

  func run() throws {
    let all = try RecordsCSV.read(TextFile.text(at: records), path: records)
    let ranking = Ranking(try all.kept(by: filter))
    if let markdown { try TextFile.write(ranking.markdown, to: markdown) }
    print(json ? try ranking.json() : csv ? ranking.csv : ranking.text, terminator: "")
    if ranking.blocks.isEmpty { throw ExitCode.cannotTell }
  }
}
