import ArgumentParser
import BlurComparison
import BlurMeasurement
import BlurRecords
import BlurText
import Foundation

/// The command `lab calibrate`, which measures how reliable the verdicts of `blurbench compare` are on this
/// machine.
struct CalibrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract:
      "Measure how often `compare` gives a false alarm on this machine, and how small a slowdown it finds.",
    discussion: """
      First, builds of the same sources are compared with each other, so that every reported change is a \
      false alarm. A single build is compared with itself. Then one of two builds waits after each blur, \
      which makes it 5 % or 2 % slower. In this second part, each case is judged as if it were the only one \
      that changed. The script Bench/Lab/calibrate makes builds in which functions have other addresses.

      Example:
        lab calibrate .build/release/blurbench --output calibrate.json

      Exit codes: 0 at most 5 % of the comparisons raise a false alarm and at least 95 % of the slowdowns by \
      5 % are found, each with 95 % confidence; 3 these goals are missed; 1 the command could not be carried \
      out; 4 no verdict is possible; 64 wrong usage.
      """)

  @Argument(help: "The builds of blurbench to compare, all made from the same sources.", completion: .file())
  var builds: [String]
  @Option(help: ArgumentHelp("The name of a suite, or the path of a .yml file."))
  var suite = "compare"
  @Option(
    help: ArgumentHelp(
      "A regular expression that the names of the cases must match, "
        + "or a list of values that the cases must have, such as kernel=simd,sigma=5.",
      valueName: "regex|key=value,…"))
  var filter: String?
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
    print(result.text, terminator: "")
    guard let isGood = result.isGood else { throw ExitCode(4) }
    if !isGood { throw ExitCode(3) }
  }

  private func calibrate() throws(MeasurementError) -> Calibration {
    let machine = Machine.current
    let plan = try MeasurementPlan(suite: suite, filter: filter, cores: machine.cores)
    var provenance = Provenance(
      machine: machine, build: .current(), suite: plan.suite.name, suiteText: plan.suiteText,
      command: CommandLine.arguments, date: Date())
    provenance.files = builds.map { (name: $0, hash: BuildIdentity.hash(ofFile: $0)) }
    for warning in provenance.warnings { Terminal.say("warning: \(warning)") }
    var options = ComparisonOptions()
    options.budget = budget
    if let minTime { options.minTime = minTime }
    var sides: [SideProcesses] = []
    for path in builds { sides.append(try SideProcesses(title: path, executable: path)) }
    let experiment = CalibrationRun(
      cases: plan.jobs.flatMap(\.cases), builds: sides, options: options, identical: identical,
      slowed: slowed, say: Terminal.progress)
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
