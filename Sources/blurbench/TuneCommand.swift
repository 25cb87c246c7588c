import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurText
import BlurWisdom
import Foundation

/// The verb `blurbench tune`, which measures kernels on this machine and writes their times to a wisdom file.
/// Programs use this file to choose the fastest kernel.
struct TuneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Measure which kernels are fastest on this machine, so that `blur` and the library use them.",
    discussion: """
      The measured times are saved in a file called wisdom. They are valid only for the measured problems. A \
      problem is an image format and size, a sigma, an edge mode and a number of threads. Name the problems \
      of your program with lists such as --sigma 2,10, or with a suite. A list that you leave out is taken \
      from the suite tune: common formats and sizes, sigma 1, 2, 5, 10, 20 and 50, edge mode clamp, 1 thread \
      and all threads.

      Programs read the file from its default path, or from the path in BLUR_WISDOM; BLUR_WISDOM=none \
      switches wisdom off. For problems that are not in the file, programs estimate the times.

      Each problem is measured by successive halving: all candidates get a short sample, the slower half is \
      dropped, and the rest get longer samples. The file is rewritten every second, so a run that is stopped \
      leaves a valid file. Times that are already in the file are kept, so the same command continues a run \
      that was stopped.

      Examples:
        blurbench tune --format rgba8 --size 1179x2556 --sigma 20 --edge mirror
        blurbench tune --renew --budget 5m

      Exit codes: 0 success, 1 the command could not be carried out, 64 wrong usage.
      """)

  @Option(help: "The name of a suite, or the path of a .yml file.", completion: .suite)
  var suite: String?
  @OptionGroup var lists: ProblemOptions
  @Option(
    help: ArgumentHelp(
      "The time limit for all problems together, such as 60s or 5m.", valueName: "time"))
  var budget = "60s"
  @Option(
    help: ArgumentHelp(
      "The wisdom file to write. The default is the file that programs read when they choose a kernel.",
      valueName: "FILE.json"),
    completion: .file(extensions: ["json"]))
  var output: String?
  @Flag(
    help: ArgumentHelp(
      "Measure again, and replace the times that are already in the file. "
        + "If neither --suite nor a list such as --sigma 2,10 is given, measure all problems in the file."))
  var renew = false
  @Flag(help: "Also measure the kernels that are estimated to be much slower than the fastest kernel.")
  var all = false

  func validate() throws { _ = try seconds }

  func run() throws {
    guard let path = output ?? WisdomFile.path else {
      throw ValidationError(
        "--output is required, because BLUR_WISDOM is 'none' or there is no home folder")
    }
    var store = try WisdomStore(path, renew: renew)
    try measure(&store)
    Terminal.progress("")
    Terminal.say("wisdom: \(path), \(store.wisdom.problems.count.of("problem"))")
  }

  private func workloads(_ suite: String) throws -> [Workload] {
    for warning in Machine.current.warnings { Terminal.say("warning: \(warning)") }
    let workloads = try MeasurementPlan(
      suite: suite, lists: lists.given, cores: Machine.current.cores
    ).jobs.map(\.workload)
    try require(
      workloads.allSatisfy(\.isPlain),
      "suite '\(suite)' has cases with a scene, a mask, straight or opaque alpha, or a pace other than "
        + "`warm`, but `tune` measures only plain blurs")
    return workloads
  }

  /// Measures the problems whose times are not in the wisdom file yet. A problem is a blur with a certain
  /// image layout, sigma, edge mode and number of threads. If the user named problems, these problems are
  /// measured. If the user named none but gave `--renew`, all problems in the old file are measured. In all
  /// other cases, the problems of the suite `tune` are measured.
  private func measure(_ store: inout WisdomStore) throws {
    let isNamed = suite != nil || !lists.given.isEmpty
    let old = store.forgotten.compactMap(Workload.init)
    let workloads = isNamed || old.isEmpty ? try workloads(suite ?? "tune") : old
    let open = try store.missing(
      of: workloads, by: { (workload) throws(MeasurementError) in try workload.problem })
    Terminal.say(task(open.count, of: workloads.count))
    let done = try Tuner(measuresAll: all).tune(open, budget: try seconds) {
      Terminal.step($0.line)
    } found: { (problem) throws(MeasurementError) in
      do throws(WisdomFile.Failure) { try store.add([problem], isLater: true) } catch {
        throw .failed(error.description)
      }
    }
    try store.add([])
    if done < open.count {
      Terminal.progress("")
      Terminal.say(
        "note: the budget ended before \((open.count - done).of("problem")) could be measured; "
          + "run the same command again to measure the rest")
    }
    let noisy = store.wisdom.problems.count { $0.noisy == true }
    if noisy > 0 {
      Terminal.progress("")
      Terminal.say(
        "note: the wisdom file has noisy times for \(noisy) of \(store.wisdom.problems.count.of("problem")), "
          + "because other programs disturbed the measurements; "
          + "run the same command again to repeat these measurements")
    }
  }

  /// Returns a line that tells the user how many blur problems will be measured, and how many others already
  /// have known times.
  private func task(_ open: Int, of all: Int) -> String {
    if open == 0 {
      return "nothing to measure: the wisdom file already has the times of \(all.of("blur problem")) "
        + "(--renew measures again)"
    }
    let known = open < all ? "; the wisdom file already has the times of the other \(all - open)" : ""
    return "\(open.of("blur problem")) to measure in at most \(budget) (--budget)\(known)"
  }

  /// The time limit that `--budget` sets, in seconds. The option takes a number with the unit `s` or `m`, or
  /// a plain number of seconds.
  private var seconds: Double {
    get throws {
      let unit = budget.hasSuffix("m") ? 60.0 : 1
      let digits = budget.last.map { "sm".contains($0) } == true ? String(budget.dropLast()) : budget
      guard let number = Double(digits), number > 0, number.isFinite else {
        throw ValidationError("--budget '\(budget)': must be a time such as 60s or 5m")
      }
      return number * unit
    }
  }
}
