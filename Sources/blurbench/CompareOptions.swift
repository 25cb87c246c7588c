import ArgumentParser
import BlurComparison

/// The options that control how a comparison is measured and judged.
struct CompareOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The name of a suite, or the path of a .yml file. "
        + "By default, a comparison with a baseline uses the cases of the baseline, "
        + "and all other comparisons use the suite `compare`."),
    completion: .suite)
  var suite: String?
  @Option(help: .filter) var filter: String?
  @Option(
    help: ArgumentHelp(
      "The smallest change that matters, such as 3%. "
        + "The default threshold is 5%, or the noise of the case if the noise is larger. "
        + "For records and --history, the default threshold is 30%.",
      valueName: "percent"))
  var threshold: String?
  @Option(
    help: ArgumentHelp(
      "The number of pairs of measurements before the first verdict. A pair measures each version once. "
        + "The default depends on the number of cases."))
  var pairs: Int?
  @Option(help: ArgumentHelp("The time limit for all measurements, in seconds.", valueName: "seconds"))
  var budget = 600.0
  @Option(help: ArgumentHelp("The minimum duration of one sample, in seconds.", valueName: "seconds"))
  var minTime = ComparisonOptions().minTime
  @Option(help: "The number of samples per case in each process. Slow blurs get fewer samples.")
  var rounds = ComparisonOptions().rounds
  @Flag(
    help: ArgumentHelp(
      "Accept changed results of the new version: larger errors, kernels that promise a looser error bound, "
        + "and blurred images with different bits. "
        + "An error that is larger than the new version promises is never accepted."))
  var acceptOutputs = false
  @Flag(help: "Accept slower cases, unless a case exceeds its limit in the suite.")
  var acceptSlower = false
  @Flag(help: "Accept that the new version lacks some kernels, or no longer supports some cases.")
  var acceptGone = false
  @Flag(help: "Treat an undecided comparison as a failure: exit code 3 instead of 4.") var strict = false
  @Flag(
    help: ArgumentHelp(
      "Also count the instructions that each blur executes. "
        + "This needs the CPU's counters, or callgrind, which supports instruction sets up to AVX2."))
  var instructions = false
  @Flag(
    inversion: .prefixedNo,
    help: "Fail if the instruction count of a case grows by more than --instruction-threshold.")
  var gateInstructions = false
  @Option(
    help: ArgumentHelp(
      "With --gate-instructions: the largest accepted increase in the number of instructions.",
      valueName: "percent"))
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
    try require(budget > 0 && budget.isFinite, "--budget \(budget): must be above 0 seconds")
    try require((1...1000).contains(rounds), "--rounds \(rounds): must be from 1 to 1000")
    try require((1e-4...10).contains(minTime), "--min-time \(minTime): must be from 1e-4 to 10 seconds")
  }

  /// The threshold as a fraction, such as 0.03 for `--threshold 3%`, or nil if the user gave none.
  var share: Double? { threshold.flatMap(Self.share) }

  private static func share(_ text: String) -> Double? {
    guard text.hasSuffix("%"), let percent = Double(text.dropLast()), (0.1...1000).contains(percent)
    else { return nil }
    return percent / 100
  }

  /// The options, converted to the type that the module BlurComparison uses.
  var comparison: ComparisonOptions {
    var options = ComparisonOptions()
    options.threshold = share
    options.pairs = pairs
    options.budget = budget
    options.acceptsOutputs = acceptOutputs
    options.acceptsSlower = acceptSlower
    options.acceptsGone = acceptGone
    options.instructionGate = gateInstructions ? Self.share(instructionThreshold) : nil
    options.minTime = minTime
    options.rounds = rounds
    return options
  }
}
