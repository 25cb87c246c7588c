import ArgumentParser
import BlurComparison
import BlurMeasurement
import BlurRecords
import BlurTrials
import Foundation

/// How a comparison is made, and what comes of it.
struct CompareOptions: ParsableArguments {
  @Option(
    help:
      "A suite by name, or the path of a .yml file (default: compare; of a baseline, the cases that it has).",
    completion: .suite)
  var suite: String?
  @Option(
    help: ArgumentHelp(
      "Compare only some of the cases: a regular expression on names, or key=value,….",
      valueName: "regex|key=value,…"))
  var filter: String?
  @Option(
    help: ArgumentHelp(
      "The change that matters, as in 3%; by default 5%, or a case's own noise where that is larger; 30% for "
        + "records and --history.",
      valueName: "percent"))
  var threshold: String?
  @Option(help: "Pairs of processes before anything is judged; by default what the number of cases needs.")
  var pairs: Int?
  @Option(help: ArgumentHelp("Seconds after which no more is measured.", valueName: "seconds"))
  var budget = 600.0
  @Option(help: ArgumentHelp("Seconds of one sample at least.", valueName: "seconds")) var minTime =
    TrialSettings().minTime
  @Option(help: "Samples of each side in a pair of processes; fewer where blurs are slow.")
  var rounds = TrialSettings().rounds
  @Flag(help: "Results may change within what kernels promise: other bits, larger errors, looser promises.")
  var acceptOutputs = false
  @Flag(help: "Cases may become slower, as long as they keep to the limits of the suite.")
  var acceptSlower = false
  @Flag(help: "Kernels may be gone, the head may refuse cases, and its records may lack some.")
  var acceptGone = false
  @Flag(help: "What cannot be told is a failure: exit code 3 in place of 4.") var strict = false
  @Flag(help: "Count instructions too: by the CPU's counters, or by callgrind, with AVX2 at most.")
  var instructions = false
  @Flag(
    inversion: .prefixedNo,
    help: "Count instructions, and fail where those of a case grew by more than --instruction-threshold.")
  var gateInstructions = false
  @Option(help: ArgumentHelp("By how much instructions may grow.", valueName: "percent"))
  var instructionThreshold = "1%"

  func validate() throws {
    for (name, text) in [("threshold", threshold), ("instruction-threshold", instructionThreshold)] {
      if let text, Self.share(text) == nil {
        throw ValidationError(
          "--\(name) '\(text)': must be a percentage such as 3%, from 0.1% to 1000%")
      }
    }
    if let pairs, !(1...500).contains(pairs) {
      throw ValidationError("--pairs \(pairs): must be from 1 to 500")
    }
    guard budget > 0, budget.isFinite else {
      throw ValidationError("--budget \(budget): must be above 0 seconds")
    }
    guard (1...1000).contains(rounds) else {
      throw ValidationError("--rounds \(rounds): must be from 1 to 1000")
    }
    guard (1e-4...10).contains(minTime) else {
      throw ValidationError("--min-time \(minTime): must be from 1e-4 to 10 seconds")
    }
  }

  /// The threshold as a share.
  var share: Double? { threshold.flatMap(Self.share) }

  private static func share(_ text: String) -> Double? {
    guard text.hasSuffix("%"), let percent = Double(text.dropLast()), (0.1...1000).contains(percent)
    else { return nil }
    return percent / 100
  }

  /// For the comparison.
  var comparison: ComparisonOptions {
    var options = ComparisonOptions()
    options.threshold = share
    options.pairs = pairs
    options.budget = budget
    options.acceptsOutputs = acceptOutputs
    options.acceptsSlower = acceptSlower
    options.acceptsGone = acceptGone
    options.instructionGate = gateInstructions ? Self.share(instructionThreshold) : nil
    options.sampling.minTime = minTime
    options.sampling.rounds = rounds
    return options
  }

  /// Shows how far a comparison is.
  func progress(_ progress: PairedComparison.Progress, show: (String) -> Void) {
    let round = progress.stage == 0 ? "" : ", round \(progress.stage + 1): what is not certain"
    show(
      "pair \(progress.trial + 1) of \(progress.trials), \(progress.cases.of("case"))\(round)  "
        + "\(Int(progress.elapsed)) s of at most \(Int(progress.budget))")
  }
}

/// Shows how far a comparison is: in place of the last line on a terminal, each 30 seconds in a log.
final class ComparisonProgress {
  private var last = ContinuousClock.now

  func show(_ line: String) {
    guard isatty(2) != 1 else { return Terminal.progress(line) }
    guard ContinuousClock.now - last >= .seconds(30) else { return }
    last = .now
    Terminal.say(line)
  }
}

/// What comes of a comparison.
struct CompareOutputs: ParsableArguments {
  @Flag(help: "Print one JSON object.") var json = false
  @Flag(help: "Print one CSV line for each case.") var csv = false
  @Flag(help: "Print GitHub's workflow commands too: annotations of a run.") var github = false
  @Option(
    help: ArgumentHelp("Write a comment for a pull request.", valueName: "FILE.md"),
    completion: .file(extensions: ["md"]))
  var markdown: String?
  @Option(
    help: ArgumentHelp("Write JUnit's XML.", valueName: "FILE.xml"), completion: .file(extensions: ["xml"]))
  var junit: String?

  var hasFiles: Bool { github || markdown != nil || junit != nil }

  func validate() throws {
    if json && csv { throw ValidationError("--json and --csv exclude each other") }
    for file in [markdown, junit].compactMap(\.self) { try OutputPath.check(file) }
  }

  /// Writes all that was asked for; files first, so that they are there whatever reads the rest.
  func show(_ comparison: Comparison) throws {
    if let markdown { try TextFile.write(comparison.markdown, to: markdown) }
    if let junit { try TextFile.write(comparison.junit, to: junit) }
    let text = comparison.text(colour: Terminal.hasColour)
    print(json ? try comparison.json() : csv ? comparison.csv : text, terminator: "")
    if github { print(comparison.annotations, terminator: "") }
  }
}
