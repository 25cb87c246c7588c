import ArgumentParser
import Blur
import BlurMeasurement
import BlurRecords
import Foundation

/// `blurbench tune`: wisdom for this machine, and how good choices by it are.
struct TuneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tune",
    abstract: "Measure which kernel is quickest on this machine, for `select`, `blur` and the library.",
    discussion: """
      Each workload of the suite is measured by successive halving: all candidates get a short sample, the slower \
      half is dropped, the others get longer ones. The file is written every second, and always whole; what it holds already \
      is kept, so that a killed run goes on. Programs read it where it is by default, or where BLUR_WISDOM says; \
      BLUR_WISDOM=none switches it off.

      --regret measures, on workloads that no tuning has seen, how much longer the choice takes than the best.

      Exit codes: 0 good, 1 could not do it, 64 usage.
      """)

  @Option(help: "A suite in Bench/Suites, or the path of a .yml file.") var suite = "tune"
  @OptionGroup var lists: WorkloadOptions
  @Option(help: ArgumentHelp("Time for all workloads, such as 60s or 5m.", valueName: "time"))
  var budget = "60s"
  @Option(
    help: ArgumentHelp("The file of wisdom; by default the one that programs read.", valueName: "FILE.json"))
  var output: String?
  @Flag(help: "Forget what the file holds, and measure it again.") var renew = false
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Take in other files of this machine, and measure nothing.", valueName: "FILE"))
  var merge: [String] = []
  @Flag(help: "Measure hopeless kernels too.") var all = false
  @Option(help: ArgumentHelp("Write the library's cost model, made of the wisdom.", valueName: "FILE.swift"))
  var costTable: String?
  @Flag(help: "Measure how good the choices are, by this wisdom and by the cost model alone.") var regret =
    false
  @Option(help: "With --regret: how many workloads.") var count = 60
  @Option(help: "With --regret: which workloads.") var seed: UInt64 = 1
  @Flag(help: "Print one JSON object.") var json = false

  func validate() throws {
    _ = try seconds
    guard (1...10_000).contains(count) else {
      throw ValidationError("--count \(count): must be from 1 to 10000")
    }
    if json && !regret { throw ValidationError("--json belongs to --regret; wisdom is a JSON file itself") }
  }

  func run() throws {
    guard let path = output ?? WisdomFile.path else {
      throw ValidationError("--output: needed where BLUR_WISDOM=none or there is no home folder")
    }
    if regret { return try showRegret(path) }
    try tune(path)
  }

  private func tune(_ path: String) throws {
    var store = try WisdomStore(path, renew: renew)
    for file in merge { try store.merge(file: file) }
    let left = merge.isEmpty ? try measure(&store) : 0
    Terminal.progress("")
    Terminal.say("wisdom: \(path), \(store.wisdom.workloads.count) workloads")
    if let costTable {
      guard left == 0 else {
        throw MeasurementError.failed("\(costTable) is not written: the table would lack \(left) workloads")
      }
      try CostTableText(store.wisdom).text().write(toFile: costTable, atomically: true, encoding: .utf8)
    }
  }

  /// Measures what the file does not hold, and returns how many workloads are left.
  private func measure(_ store: inout WisdomStore) throws -> Int {
    let machine = Machine.current
    for warning in machine.warnings { Terminal.say("warning: \(warning)") }
    let plan = try MeasurementPlan(suite: suite, lists: lists.given(kernels: nil), cores: machine.cores)
    let open = store.missing(of: plan.jobs.map(\.workload))
    let done = try Tuner(measuresAll: all).tune(open, budget: try seconds) {
      Terminal.progress($0.line)
    } found: { (workload) throws(MeasurementError) in
      try store.add([workload], isLater: true)
    }
    try store.add([])
    if done < open.count {
      Terminal.progress("")
      Terminal.say(
        "note: the budget ended before \(open.count - done) workloads; the same command goes on with them")
    }
    return open.count - done
  }

  private func showRegret(_ path: String) throws {
    var wisdom: Chooser?
    do { wisdom = Chooser(try WisdomFile.load(path)) } catch { Terminal.say("note: \(error)") }
    for warning in Machine.current.warnings { Terminal.say("warning: \(warning)") }
    let found = try RegretRun(wisdom: wisdom).measure(count: count, seed: seed, cores: Machine.current.cores)
    {
      Terminal.progress($0.line)
    }
    Terminal.progress("")
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
