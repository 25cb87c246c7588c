import ArgumentParser
import Blur
import BlurComparison
import BlurMeasurement
import BlurRecords
import BlurTrials
import Foundation

/// `blurbench calibrate`: how far the verdicts of `compare` are to be trusted on this machine.
struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract:
      "Measure how often `compare` gives a false alarm on this machine, and how small a slowdown it finds.",
    discussion: """
      This build is compared with itself, then with itself waiting after each blur, 5 % and 2 % slower. \
      There each case is judged as if it were the only one that changed. --build names more builds of the \
      same sources, whose functions lie at other addresses: then each is compared with each other one \
      (`Bench/calibrate`).

      Examples:
        blurbench calibrate
        blurbench calibrate --build other/blurbench --output calibrate.json

      Exit codes: 0 a false alarm in at most 5 % of comparisons, and at least 95 % of slowdowns by 5 % \
      found, each with 95 % confidence; 3 not so; 1 could not do it; 4 cannot tell; 64 usage.
      """)

  @Option(help: "A suite by name, or the path of a .yml file.", completion: .suite)
  var suite = "compare"
  @OptionGroup var lists: CaseOptions
  @Option(help: ArgumentHelp("Only some of the cases.", valueName: "regex|key=value,…")) var filter: String?
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("More builds of the same sources.", valueName: "PATH"), completion: .file())
  var build: [String] = []
  @Option(help: "Comparisons with nothing planted.") var identical = 60
  @Option(help: "Comparisons with a 5 % slowdown, and half as many with one of 2 %; 0 for none.")
  var slowed = 8
  @Option(help: ArgumentHelp("Seconds of each comparison at most.", valueName: "seconds")) var budget = 600.0
  @Option(help: ArgumentHelp("Seconds of one sample at least.", valueName: "seconds")) var minTime: Double?
  @Option(
    help: ArgumentHelp("Write FILE.json with all figures, and FILE.txt.", valueName: "FILE.json"),
    completion: .file(extensions: ["json"]))
  var output: String?
  @Flag(help: "Print one JSON object.") var json = false

  func validate() throws {
    guard identical > 0, slowed >= 0 else {
      throw ValidationError("--identical must be at least 1, and --slowed not negative")
    }
    guard budget > 0, budget.isFinite else {
      throw ValidationError("--budget \(budget): must be above 0 seconds")
    }
    if let output, !output.hasSuffix(".json") {
      throw ValidationError("--output '\(output)': must end with .json")
    }
  }

  func run() throws {
    let result = try calibrate()
    Terminal.progress("")
    print(json ? try result.json() : result.text, terminator: "")
    switch result.isGood {
    case true?: break
    case false?: throw ExitCode.checkFailed
    case nil: throw ExitCode.cannotTell
    }
  }

  private func calibrate() throws(MeasurementError) -> Calibration {
    let machine = Machine.current
    let plan = try MeasurementPlan(suite: suite, lists: lists.given, filter: filter, cores: machine.cores)
    let provenance = Provenance(
      machine: machine, build: .current(), suite: plan.suite.name, suiteText: plan.suiteText,
      command: CommandLine.arguments,
      date: Date())
    for warning in provenance.warnings { Terminal.say("warning: \(warning)") }
    var options = ComparisonOptions()
    options.budget = budget
    if let minTime { options.sampling.minTime = minTime }
    var builds = [try SideProcesses(title: "blurbench")]
    for path in build { builds.append(try SideProcesses(title: path, executable: path)) }
    var experiment = CalibrationRun(plan.jobs.flatMap(\.cases), builds, options)
    experiment.identical = identical
    experiment.slowed = slowed
    experiment.say = { Terminal.progress($0) }
    return try experiment.run { (result) throws(MeasurementError) in
      guard let output else { return }
      guard let json = try? result.json() else {
        throw .file(path: output, reason: "is not written: a figure is no finite number")
      }
      try TextFile.write(json, to: output)
      try TextFile.write(provenance.text + "\n" + result.text, to: output.dropLast(5) + ".txt")
    }
  }
}
