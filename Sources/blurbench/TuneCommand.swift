import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import BlurText
import BlurWisdom
import Foundation

/// `blurbench tune`: wisdom for this machine, how good choices are, and the constants of the estimate.
struct TuneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Measure which kernel is fastest on this machine, for `blur` and the library.",
    discussion: """
      Wisdom holds times of exact problems: name those that your program has, by lists or a suite. A list \
      that is left out is that of the suite tune: usual formats and sizes, sigma 1, 2, 5, 10, 20 and 50, \
      edge clamp, 1 thread and all. Programs read the file where it is by default, or where BLUR_WISDOM \
      says; BLUR_WISDOM=none switches it off. For other problems times are estimated.

      Each problem is measured by successive halving: all candidates get a short sample, the slower half is \
      dropped, the others get longer ones. The file is written every second, and always whole; what it holds \
      already is kept, so that a killed run goes on.

      --regret measures how much longer choices take than the best, on random problems: always the same \
      kernel, by estimate, and by times measured within the budget. --constants measures the constants of \
      the estimate anew.

      Examples:
        blurbench tune --format rgba8 --size 1179x2556 --sigma 20 --edge mirror
        blurbench tune --regret --seed 7

      Exit codes: 0 good, 1 could not do it, 64 usage.
      """)

  @Option(help: "A suite by name, or the path of a .yml file.", completion: .suite)
  var suite: String?
  @OptionGroup var lists: WorkloadOptions
  @Option(help: ArgumentHelp("Time for all problems, such as 60s or 5m.", valueName: "time"))
  var budget = "60s"
  @Option(
    help: ArgumentHelp(
      "The file of wisdom, by default the one that programs read; with --regret, one for its figures.",
      valueName: "FILE.json"),
    completion: .file(extensions: ["json"]))
  var output: String?
  @Flag(help: "Measure again what the file holds, or what is named in its place.") var renew = false
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Take in other files of this machine, and measure nothing.", valueName: "FILE"),
    completion: .file(extensions: ["json"]))
  var merge: [String] = []
  @Flag(help: "Measure kernels too that are estimated to be hopeless.") var all = false
  @Flag(help: "Print the library's constants of the estimate, measured on this machine, as Swift source.")
  var constants = false
  @Flag(help: "Measure how good choices are.") var regret = false
  @Option(help: "With --regret: how many problems.") var count = 60
  @Option(help: "With --regret: which problems.") var seed: UInt64 = 1
  @Flag(help: "With --regret: print one JSON object.") var json = false

  func validate() throws {
    _ = try seconds
    guard (1...10_000).contains(count) else {
      throw ValidationError("--count \(count): must be from 1 to 10000")
    }
    if json && !regret { throw ValidationError("--json belongs to --regret; wisdom is a JSON file itself") }
    if let output, regret && !output.hasSuffix(".json") {
      throw ValidationError("--output '\(output)': must end with .json")
    }
    if constants && regret { throw ValidationError("--constants, --regret: one at a time") }
  }

  func run() throws {
    if regret { return try showRegret() }
    if constants { return try showConstants() }
    guard let path = output ?? WisdomFile.path else {
      throw ValidationError("--output: needed where BLUR_WISDOM=none or there is no home folder")
    }
    var store = try WisdomStore(path, renew: renew)
    for file in merge { try store.merge(file: file) }
    if merge.isEmpty { try measure(&store) }
    Terminal.progress("")
    Terminal.say("wisdom: \(path), \(store.wisdom.problems.count.of("problem"))")
  }

  private func workloads(_ suite: String) throws -> [Workload] {
    for warning in Machine.current.warnings { Terminal.say("warning: \(warning)") }
    let workloads = try MeasurementPlan(
      suite: suite, lists: lists.given(kernels: nil), cores: Machine.current.cores
    ).jobs.map(\.workload)
    guard !workloads.contains(where: { $0.mask != nil }) else {
      throw ValidationError("--mask: wisdom is of blurs with one sigma")
    }
    return workloads
  }

  /// Measures what the file does not hold: what is named, else what it held before, else the suite `tune`.
  private func measure(_ store: inout WisdomStore) throws {
    let isNamed = suite != nil || !lists.given(kernels: nil).isEmpty
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
        "note: the budget ended before \((open.count - done).of("problem")); the same command goes on")
    }
    let noisy = store.wisdom.problems.count { $0.noisy == true }
    if noisy > 0 {
      Terminal.progress("")
      Terminal.say(
        "note: times of \(noisy) of \(store.wisdom.problems.count.of("problem")) are still noisy, for other "
          + "programs or machines disturbed them; the same command measures them again")
    }
  }

  /// What is about to be measured, in a line.
  private func task(_ open: Int, of all: Int) -> String {
    if open == 0 {
      return "nothing to measure: \(all.of("problem")), in the file already (--renew measures again)"
    }
    let known = open < all ? "; \((all - open).of("other")) in the file already" : ""
    return "\(open.of("problem")) to measure within \(budget) (--budget)\(known)"
  }

  private func showConstants() throws {
    let found = try ConstantsFit().measure(try workloads(suite ?? "constants")) { Terminal.progress($0.line) }
    Terminal.progress("")
    let machine = Machine.current
    if machine.cores == 1 {
      Terminal.say("note: one core wakes no other thread; those constants are the library's own")
    }
    let threads = try machine.cores == 1 ? ThreadCosts.compiled : ThreadCosts.measured()
    print(
      ConstantsFit.source(
        found, threads: threads, machine: machine.model, date: Date().ISO8601Format()), terminator: "")
  }

  private func showRegret() throws {
    let (machine, start) = (Machine.current, Date())
    for warning in machine.warnings { Terminal.say("warning: \(warning)") }
    let found = try RegretRun().measure(
      count: count, seed: seed, cores: machine.cores, tuning: try seconds / Double(count)
    ) {
      Terminal.progress($0.line)
    }
    Terminal.progress("")
    if let output {
      let provenance = Provenance(
        machine: machine, build: .current(), suite: "problems of seed \(seed)", suiteText: "\(seed) \(count)",
        command: CommandLine.arguments, date: start)
      try TextFile.write(try found.figures(seed: seed, provenance), to: output)
    }
    print(json ? try found.json() : found.text, terminator: "")
  }

  /// The budget: a number with `s` or `m`, or alone in seconds.
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
