import ArgumentParser
import BlurMeasurement
import BlurRecords

/// `blurbench merge`: the records of shards, joined.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Join the records that shards of a suite measured, and name what is missing.",
    discussion: """
      Each machine key has files of its own, for times of different machines are never mixed. Records of \
      different suites, library revisions or divisions are refused, and so is a case that was measured \
      twice. What is there is written even if cases are missing.

      Examples:
        blurbench merge shards/ --folder merged
        blurbench merge shards/ --missing-shards

      Exit codes: 0 complete, 1 could not do it, 4 cases are missing, 64 usage.
      """)

  @Argument(
    help: ArgumentHelp("Files of `blurbench run --shard`, and folders of them.", valueName: "DIR|FILE.csv"),
    completion: .records)
  var records: [String]
  @Option(
    help: ArgumentHelp("Write KEY.csv, KEY.json and KEY.txt for each machine key.", valueName: "DIR"),
    completion: .directory)
  var folder: String?
  @Flag(help: "Let files in that folder be replaced.") var replace = false
  @Flag(help: "Print only the numbers of the shards that lack cases, as Slurm's --array takes them.")
  var missingShards = false
  @Flag(help: "Print one JSON object.") var json = false

  func validate() throws {
    if json && missingShards { throw ValidationError("--json and --missing-shards exclude each other") }
    if replace && folder == nil { throw ValidationError("--replace needs --folder DIR") }
  }

  func run() throws {
    let merge = try Merge(records)
    for note in merge.notes { Terminal.say("note: \(note)") }
    for path in try folder.map({ try merge.write(to: $0, replacing: replace) }) ?? [] {
      Terminal.say("records: \(path), with .json and .txt beside it")
    }
    if missingShards {
      print(merge.missingShards.map(String.init).joined(separator: ","))
    } else {
      print(json ? try merge.json() : merge.text, terminator: "")
    }
    if !merge.isComplete { throw ExitCode.cannotTell }
  }
}
