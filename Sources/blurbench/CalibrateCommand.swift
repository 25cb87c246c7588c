import ArgumentParser
import Blur
import BlurComparison
import BlurMeasurement
import BlurRecords
import Foundation

/// The verb `blurbench calibrate`, which measures how reliable the verdicts of `compare` are on this machine.
struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract:
      "Measure how often `compare` gives a false alarm on this machine, and how small a slowdown it finds.",
    discussion: """
      First, this build is compared with itself, so that every reported change is a false alarm. Then it is \
      compared with copies of itself that wait after each blur, which makes them 5 % or 2 % slower. In this \
      second part, each case is judged as if it were the only one that changed.

      --build names more builds of the same sources, in which functions have other addresses. Each build is \
      then compared with every other build. The script Bench/calibrate makes such builds.

      Examples:
        blurbench calibrate
        blurbench calibrate --build other/blurbench --output calibrate.json

      Exit codes: 0 at most 5 % of the comparisons raise a false alarm and at least 95 % of the slowdowns by \
      5 % are found, each with 95 % confidence; 3 these goals are missed; 1 the command could not be carried \
      out; 4 no verdict is possible; 64 wrong usage.
      """)

  @Option(help: "A suite by name, or the path of a .yml file.", completion: .suite)
  var suite = "compare"
  @OptionGroup var lists: CaseOptions
  @Option(
    help: ArgumentHelp(
      "Use only the cases whose names match a regular expression, "
        + "or that have certain values, as in kernel=simd,sigma=5.",
      valueName: "regex|key=value,…"))
  var filter: String?
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Further builds of the same sources.", valueName: "PATH"), completion: .file())
  var build: [String] = []
  @Option(help: "The number of comparisons without an artificial slowdown.") var identical = 60
  @Option(
    help: ArgumentHelp(
      "The number of comparisons with an artificial slowdown of 5 %, or 0 for none. "
        + "Half as many comparisons are added with a slowdown of 2 %."))
  var slowed = 8
  @Option(help: ArgumentHelp("The time limit of each comparison, in seconds.", valueName: "seconds"))
  var budget = 600.0
  @Option(help: ArgumentHelp("The minimum duration of one sample, in seconds.", valueName: "seconds"))
  var minTime: Double?
  @Option(
    help: ArgumentHelp(
      "Write all figures to FILE.json, and a summary with the origin of the figures to FILE.txt.",
      valueName: "FILE.json"),
    completion: .file(extensions: ["json"]))
  var output: String?
  @Flag(help: "Print one JSON object.") var json = false

  func validate() throws {
    guard identical > 0, slowed >= 0 else {
      throw ValidationError("--identical must be at least 1, and --slowed must be at least 0")
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
    if let minTime { options.minTime = minTime }
    var builds = [try SideProcesses(title: "blurbench")]
    for path in build { builds.append(try SideProcesses(title: path, executable: path)) }
    var experiment = CalibrationRun(plan.jobs.flatMap(\.cases), builds, options)
    experiment.identical = identical
    experiment.slowed = slowed
    experiment.say = { Terminal.progress($0) }
    return try experiment.run { (result) throws(MeasurementError) in
      guard let output else { return }
      guard let json = try? result.json() else {
        throw .file(
          path: output, reason: "was not written, because one of the figures is not a finite number")
      }
      try TextFile.write(json, to: output)
      try TextFile.write(provenance.text + "\n" + result.text, to: output.dropLast(5) + ".txt")
    }
  }
}
