import ArgumentParser
import BlurComparison
import BlurMeasurement
import BlurRecords
import BlurScenes
import BlurServer
import BlurText
import Foundation

/// The verb `blurbench compare`, which finds out whether a new build or kernel is slower than the old one or
/// gives wrong results.
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract:
      "Find out whether a new build or kernel is slower than the old one or gives wrong results.",
    usage: """
      blurbench compare BASE HEAD [--suite NAME] [options]
      blurbench compare NAME [options]
      blurbench compare --kernel A --kernel B [options]
      blurbench compare --history FILE.csv|FOLDER ... [options]
      """,
    discussion: """
      BASE is the old version, and HEAD is the new one. Each version is a built blurbench, a folder with the \
      sources of blurbench, a git revision, a plug-in (.so, .dylib, .py), or a file of records (.csv). \
      Records are read, and all other versions are measured now. If both versions are measured now, they \
      take turns, in several processes. The verdicts are regressed, improved, same, not slower and can't \
      tell. A change in time counts if it exceeds a third of the threshold with high confidence, and if a \
      second measurement in reversed order confirms it. Some changes are regressions regardless of the time: \
      wrong results, loosened promises, larger errors, changed outputs, refused cases and missing kernels. \
      With --gate-instructions, a blur that needs more instructions is a regression as well. A case whose \
      new time exceeds its limit in the suite is a regression too, even if its old time also exceeded the \
      limit. A case that both versions refuse, or compute wrongly in the same way, counts as the same.

      The threshold of each case is 5 %, or the noise of the case if the noise is larger. For records and \
      --history, the threshold is 30 %. Records can prove that a case became slower only if they were \
      recorded with --processes 5 or more. With fewer processes, such a case is only reported as possibly \
      slower, and the exit code is 4 instead of 3.

      With one NAME, the old version is the baseline NAME: the program and the plug-ins that `run --save \
      NAME` has saved. The new version is this program and the current plug-ins. The cases come from the \
      saved run, or from --suite. The option --filter and lists such as --sigma 2,10 select some of the cases.

      With --history, the command looks for steps: dates at which the time of a case changed and stayed \
      changed, in record files of many dates. A case that is slower now than before a step is a regression, \
      unless --since accepts the step. A step that was later undone is reported as well.

      Examples:
        blurbench compare main HEAD --kernel simd,pyramid
        blurbench compare old.csv new.csv --markdown comment.md

      Exit codes: 0 no regression, 1 the command could not be carried out, 3 a regression, 4 no verdict is \
      possible (with --strict 3), 64 wrong usage.
      """)

  @Argument(
    help: ArgumentHelp(
      "What to compare: first the old version (the base), then the new version (the head).",
      valueName: "side"),
    completion: .side)
  var sides: [String] = []
  @Option(
    help: ArgumentHelp(
      "A kernel to compare. This option can be repeated. "
        + "Without BASE and HEAD, the first kernel is compared with the other kernels."),
    completion: .kernels)
  var kernel: [String] = []
  @Flag(
    help: ArgumentHelp(
      "Find the dates on which a case became slower or faster and stayed so. "
        + "The arguments are record files from many dates, or folders with such files."))
  var history = false
  @Option(
    help: ArgumentHelp(
      "With --history: accept all changes up to and including this date, for example 2026-11-21.",
      valueName: "date"))
  var since: String?
  @OptionGroup var options: CompareOptions
  @OptionGroup private var outputs: CompareOutputs
  @OptionGroup var lists: WorkloadOptions
  @Option(help: CaseDimension.mask.argumentHelp, completion: .dimension(.mask)) var mask: String?
  @OptionGroup var plugins: PluginOptions

  private var kernels: [String] { kernel.flatMap { $0.split(separator: ",").map(String.init) } }

  func validate() throws {
    for file in [outputs.markdown, outputs.junit].compactMap(\.self) {
      try OptionValue.checkOutput(file, isNotAmong: sides)
    }
    try OptionValue.checkInputs(sides)
    if history {
      try require(!sides.isEmpty, "--history needs record files, or folders with record files")
      try require(
        !outputs.hasFiles,
        "--history cannot be combined with --markdown, --junit or --github; use --json or --csv")
      if let since, DatedRecords.day(since) == nil {
        throw ValidationError("--since '\(since)': must be a day such as 2026-11-21")
      }
    } else {
      guard since == nil else { throw ValidationError("--since can only be used together with --history") }
      try require(
        sides.count <= 2,
        "'\(sides[2])' is a third argument, but only two versions can be compared. "
          + "To write a file, redirect the output, as in `--json >FILE`, "
          + "because --json and --csv take no file name")
      try require(
        (1...2).contains(sides.count) || (sides.isEmpty && kernels.count > 1),
        "name two builds, git revisions, plug-ins or record files to compare, "
          + "or one baseline of `run --save`, or two kernels with --kernel A --kernel B")
      try require(
        !sides.isEmpty || !options.gateInstructions,
        "--gate-instructions needs BASE and HEAD, "
          + "because different kernels need different numbers of instructions")
    }
  }

  func run() throws {
    switch try history ? showHistory() : showComparison() {
    case .good: break
    case .regressed: throw ExitCode.checkFailed
    case .cannotTell:
      guard options.strict else { throw ExitCode.cannotTell }
      if history { Terminal.say("the result is undecided, which --strict treats as a failure") }
      throw ExitCode.checkFailed
    }
  }

  private func showHistory() throws -> Comparison.Outcome {
    let read = try DatedRecords.read(sides)
    for note in read.notes { Terminal.say("note: \(note)") }
    let kept = try read.files.map(\.records).kept(by: options.filter)
    let files = zip(read.files, kept).map { DatedRecords(path: $0.path, date: $0.date, records: $1) }
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
      suiteText: ownCases ? "" : (try? Suite.yaml(of: suite)) ?? "",
      command: CommandLine.arguments, date: Date())
    let threads = comparison.cases.compactMap { try? Case(name: $0.name).workload.threads }
    if comparison.method != .records { provenance.probeCores(threads: threads.max() ?? 1) }
    return provenance
  }

  private func compare(_ machine: Machine) throws(MeasurementError) -> Comparison {
    var run = ComparisonRun(
      suite: options.suite, lists: lists.given(kernels: nil, mask: mask), filter: options.filter,
      machine: machine,
      catalog: .interface, placeholders: PluginOptions.placeholders)
    run.kernels = kernels
    run.options = options.comparison
    run.countsInstructions = options.instructions
    run.launcher = plugins.launcher
    run.say = { Terminal.say($0) }
    let progress = ComparisonProgress()
    run.show = { progress.show($0) }
    run.progress = { progress.show($0) }
    switch sides.count {
    case 0: return try run.compareKernels()
    case 1: return try run.compare(try baseline(sides[0]), with: Self.program)
    default: return try run.compare(sides[0], with: sides[1])
    }
  }

  private func baseline(_ name: String) throws(MeasurementError) -> Baseline {
    guard let runs = SavedRuns() else {
      throw .usage(
        "\(name): the folder of the baselines is unknown, because neither HOME nor XDG_STATE_HOME is set; "
          + "set HOME or XDG_STATE_HOME, or name two builds to compare")
    }
    return try runs.baseline(name)
  }

  private static var program: String { Bundle.main.executableURL?.path ?? CommandLine.arguments[0] }
}

/// Shows the progress of a comparison. On a terminal, each line replaces the previous line. In a log, a line
/// is printed at most every 30 seconds.
private final class ComparisonProgress {
  private var last = ContinuousClock.now

  func show(_ line: String) {
    guard isatty(2) != 1 else { return Terminal.progress(line) }
    guard ContinuousClock.now - last >= .seconds(30) else { return }
    last = .now
    Terminal.say(line)
  }

  /// Shows how many pairs have been measured so far, and how much time has passed.
  func show(_ progress: PairedComparison.Progress) {
    let round = progress.stage == 0 ? "" : ", round \(progress.stage + 1): only the undecided cases"
    show(
      "pair \(progress.trial + 1) of \(progress.trials), \(progress.cases.of("case"))\(round)  "
        + "\(Int(progress.elapsed)) s of at most \(Int(progress.budget))")
  }
}

/// The options that choose how the result of a comparison is printed and which files are written.
private struct CompareOutputs: ParsableArguments {
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Print one CSV line for each case.") var csv = false
  @Flag(help: "Also print GitHub workflow commands, which show the result in the workflow run.")
  var github = false
  @Option(
    help: ArgumentHelp(
      "Write the result as Markdown, for a comment on a pull request.", valueName: "FILE.md"),
    completion: .file(extensions: ["md"]))
  var markdown: String?
  @Option(
    help: ArgumentHelp("Write the results as JUnit XML.", valueName: "FILE.xml"),
    completion: .file(extensions: ["xml"]))
  var junit: String?

  var hasFiles: Bool { github || markdown != nil || junit != nil }

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv cannot be combined") }
    for file in [markdown, junit].compactMap(\.self) { try OptionValue.checkOutput(file) }
  }

  /// Writes the files that the options ask for, and prints the result. The files are written first, so that
  /// they exist even if the program that reads standard output stops early.
  func show(_ comparison: Comparison) throws {
    if let markdown { try TextFile.write(comparison.markdown, to: markdown) }
    if let junit { try TextFile.write(comparison.junit, to: junit) }
    let text = comparison.text(colour: Terminal.hasColour)
    print(json ? try comparison.json() : csv ? comparison.csv : text, terminator: "")
    if github { print(comparison.annotations, terminator: "") }
  }
}
