import ArgumentParser
import BlurComparison
import BlurMeasurement
import BlurRecords
import BlurScenes
import BlurText
import BlurTrials
import Foundation

/// `blurbench compare`: whether one side is slower than the other, or wrong.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Say whether one side is slower than another, or wrong, with an exit code for CI.",
    usage: """
      blurbench compare BASE HEAD [--suite NAME] [options]
      blurbench compare NAME [options]
      blurbench compare --kernel A --kernel B [options]
      blurbench compare --history FILE.csv|FOLDER ... [options]
      """,
    discussion: """
      A side is a built blurbench, a folder with its sources, a git revision, a plug-in (.so, .dylib, .py), \
      or records (.csv). All but records are measured now, in interleaved processes. Verdicts: regressed, \
      improved, same, not slower, can't tell; a change counts when it is surely above a third of the \
      threshold, and when a second measurement in reversed order agrees. Wrong results, promises that were \
      loosened, errors that grew, outputs that changed, cases that are refused and kernels that are gone are \
      regressions whatever the time; with --gate-instructions, so is a blur that takes more instructions. \
      So is what is over the limits of a suite, whatever the base is like. A case that both sides refuse, \
      or get wrong in the same way, is the same.

      Each case has the threshold of 5 %, or its own noise where that is larger; records and --history have \
      30 %. Records prove a regression \
      only where both sides were recorded with --processes 5 or more; else they give suspects, and exit code \
      4 or 0.

      With one NAME: the program, and the plug-ins, that `run --save NAME` kept, against those of today, in \
      the cases of that run or in those of --suite. Lists and --filter choose among them.

      With --history: the steps of each case in record files of many dates. A case that is slower today \
      than before a step is a regression, unless --since accepts the step; one that was undone is told.

      Examples:
        blurbench compare main HEAD --kernel simd,pyramid
        blurbench compare old.csv new.csv --markdown comment.md

      Exit codes: 0 no regression, 1 could not do it, 3 a regression, 4 cannot tell (with --strict 3), \
      64 usage.
      """)

  @Argument(
    help: ArgumentHelp("What is compared: the old side, then the new one.", valueName: "side"),
    completion: .side)
  var sides: [String] = []
  @Option(
    help: "A kernel (repeatable): only these; without sides, the first is compared with the others.",
    completion: .kernels)
  var kernel: [String] = []
  @Flag(help: "The sides are record files, or folders of them, of many dates.") var history = false
  @Option(
    help: ArgumentHelp(
      "With --history: accept steps of this day, as 2026-11-21, and of days before.", valueName: "date"))
  var since: String?
  @OptionGroup var options: CompareOptions
  @OptionGroup var outputs: CompareOutputs
  @OptionGroup var lists: WorkloadOptions
  @OptionGroup var plugins: PluginOptions

  private var kernels: [String] { kernel.flatMap { $0.split(separator: ",").map(String.init) } }

  func validate() throws {
    if history {
      guard !sides.isEmpty else { throw ValidationError("--history: name record files, or folders of them") }
      guard !outputs.hasFiles else {
        throw ValidationError("--history has no --markdown, --junit or --github; use --json or --csv")
      }
      if let since, DatedRecords.day(since) == nil {
        throw ValidationError("--since '\(since)': must be a day, as 2026-11-21")
      }
    } else {
      guard since == nil else { throw ValidationError("--since: needs --history") }
      guard sides.count <= 2 else {
        throw ValidationError(
          "'\(sides[2])' is a third side, and two are compared; --json and --csv name no file: they print, "
            + "as in `--json >FILE`")
      }
      guard (1...2).contains(sides.count) || (sides.isEmpty && kernels.count > 1) else {
        throw ValidationError(
          "name two sides to compare, one baseline of `run --save`, or two kernels with --kernel A --kernel B"
        )
      }
      guard !sides.isEmpty || !options.gateInstructions else {
        throw ValidationError("--gate-instructions: needs two sides; different kernels differ")
      }
    }
  }

  func run() throws {
    switch try history ? showHistory() : showComparison() {
    case .good: break
    case .regressed: throw ExitCode.checkFailed
    case .cannotTell:
      guard options.strict else { throw ExitCode.cannotTell }
      if history { Terminal.say("not decided, and --strict counts that as failure") }
      throw ExitCode.checkFailed
    }
  }

  private func showHistory() throws -> Comparison.Outcome {
    let read = try DatedRecords.read(sides)
    for note in read.notes { Terminal.say("note: \(note)") }
    let files = try read.files.map {
      DatedRecords(path: $0.path, date: $0.date, records: try $0.records.kept(by: options.filter))
    }
    let history = try History(
      files, threshold: options.share ?? RecordComparison.threshold,
      since: since.flatMap(DatedRecords.day))
    print(outputs.json ? try history.json() : outputs.csv ? history.csv : history.text, terminator: "")
    return history.outcome
  }

  private func showComparison() throws -> Comparison.Outcome {
    let machine = Machine.current
    for warning in machine.warnings { Terminal.say("warning: \(warning)") }
    var comparison = try compare(machine)
    if options.strict { comparison.isStrict = true }
    comparison.provenance = provenance(of: comparison, machine).text.split(separator: "\n").map(String.init)
    Terminal.progress("")
    try outputs.show(comparison)
    return comparison.outcome
  }

  private func provenance(of comparison: Comparison, _ machine: Machine) -> Provenance {
    let ownCases = sides.count == 1 && options.suite == nil
    let suite = ownCases ? "baseline \(sides[0])" : options.suite ?? "compare"
    var provenance = Provenance(
      machine: machine, build: .current(), suite: suite,
      suiteText: ownCases ? "" : (try? SuiteText(suite))?.yaml ?? "",
      command: CommandLine.arguments, date: Date())
    let threads = comparison.cases.compactMap { try? Case(name: $0.name).workload.threads }
    if comparison.method != .records { provenance.probeCores(threads: threads.max() ?? 1) }
    return provenance
  }

  private func compare(_ machine: Machine) throws(MeasurementError) -> Comparison {
    var run = ComparisonRun(
      suite: options.suite, lists: lists.given(kernels: nil), filter: options.filter, machine: machine,
      catalog: .interface, placeholders: PluginOptions.placeholders)
    run.kernels = kernels
    run.options = options.comparison
    run.countsInstructions = options.instructions
    run.launcher = plugins.launcher
    run.events.say = { Terminal.say($0) }
    let progress = ComparisonProgress()
    run.events.show = progress.show
    run.events.progress = { options.progress($0, show: progress.show) }
    switch sides.count {
    case 0: return try run.compareKernels()
    case 1: return try run.compare(try baseline(sides[0]), with: Self.program)
    default: return try run.compare(sides[0], with: sides[1])
    }
  }

  private func baseline(_ name: String) throws(MeasurementError) -> Baseline {
    guard let runs = SavedRuns() else {
      throw .usage("\(name): neither HOME nor XDG_STATE_HOME says where baselines are; else name two sides")
    }
    return try runs.baseline(name)
  }

  private static var program: String { Bundle.main.executableURL?.path ?? CommandLine.arguments[0] }
}
