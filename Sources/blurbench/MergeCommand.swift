import ArgumentParser
import BlurMeasurement
import BlurRecords
import BlurText

/// The verb `blurbench merge`, which joins the records of the shards of a suite.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Join the records that the shards of a suite measured, and list the missing cases.",
    discussion: """
      Times of different machines are never mixed: each machine key has files of its own. A machine key is a \
      hash of the CPU model, the number of cores and the instruction set.

      Records of different suites, library revisions or divisions into shards are refused, and so is a case \
      that was measured twice. The records are written even if cases are missing.

      Examples:
        blurbench merge shards/ --folder merged
        blurbench merge shards/ --missing-shards

      Exit codes: 0 complete, 1 the command could not be carried out, 4 cases are missing, 64 wrong usage.
      """)

  @Argument(
    help: ArgumentHelp(
      "The files of `blurbench run --shard`, or folders with such files.", valueName: "DIR|FILE.csv"),
    completion: .records)
  var records: [String]
  @Option(
    help: ArgumentHelp("Write KEY.csv, KEY.json and KEY.txt for each machine key.", valueName: "DIR"),
    completion: .directory)
  var folder: String?
  @Flag(help: "Replace existing files in the folder.") var replace = false
  @Flag(help: "Print only the numbers of shards with missing cases, in the form of Slurm's --array.")
  var missingShards = false
  @Flag(help: "Print one JSON object.") var json = false

  func validate() throws {
    if json && missingShards { throw ValidationError("--json and --missing-shards cannot be combined") }
    if replace && folder == nil { throw ValidationError("--replace needs --folder DIR") }
  }

  func run() throws {
    let merge = try Merge(records)
    for note in merge.notes { Terminal.say("note: \(note)") }
    for path in try folder.map({ try merge.write(to: $0, replacing: replace) }) ?? [] {
      Terminal.say("records: \(path), with .json and .txt files next to it")
    }
    if missingShards {
      print(merge.missingShards.map(String.init).joined(separator: ","))
    } else {
      print(json ? try merge.json() : merge.text, terminator: "")
    }
    if !merge.isComplete { throw ExitCode.cannotTell }
  }
}
