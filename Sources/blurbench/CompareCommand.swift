import ArgumentParser
import Blur
import BlurComparison
import BlurMeasurement
import BlurRecords
import BlurScenes
import BlurTrials
import Foundation

/// `blurbench compare`: is one side slower than the other, or wrong?
struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Say whether one side is slower than another, or wrong, with an exit code for CI.",
    usage: """
      blurbench compare BASE HEAD [--suite NAME] [options]
      blurbench compare --kernel A --kernel B [options]
      blurbench compare --history FILE.csv|FOLDER ... [options]
      """,
    discussion: """
      A side is a built blurbench, a folder with its sources, a git revision, a plug-in (.so, .dylib, .py), or records \
      (.csv). All but records are measured now, in processes that take turns. Verdicts: regressed, improved, same, \
      can't tell; a change counts when it is surely above a third of the threshold, and when a second measurement in reversed order agrees. \
      Wrong results, errors that grew and outputs that changed are regressions whatever the time.

      With --history, record files of many dates: where did a case make a step?

      Exit codes: 0 no regression, 1 could not do it, 3 a regression, 4 cannot tell, 64 usage.
      """)

  @Argument(help: ArgumentHelp("What is compared: the old side, then the new one.", valueName: "side"))
  var sides: [String] = []
  @Option(help: "A kernel (repeatable): only these; without sides, the first is compared with the others.")
  var kernel: [String] = []
  @Flag(help: "The sides are record files, or folders of them, of many dates.") var history = false
  @OptionGroup var options: CompareOptions
  @OptionGroup var outputs: CompareOutputs
  @OptionGroup var lists: WorkloadOptions
  @OptionGroup var foreign: ForeignOptions

  private var kernels: [String] { kernel.flatMap { $0.split(separator: ",").map(String.init) } }

  func validate() throws {
    if history {
      guard !sides.isEmpty else { throw ValidationError("--history: name record files, or folders of them") }
      guard !outputs.hasFiles else {
        throw ValidationError("--history has no --markdown, --junit or --github; use --json or --csv")
      }
    } else {
      guard sides.count == 2 || (sides.isEmpty && kernels.count > 1) else {
        throw ValidationError("name two sides to compare, or two kernels with --kernel A --kernel B")
      }
    }
  }

  func run() throws {
    switch try history ? showHistory() : showComparison() {
    case .good: break
    case .regressed: throw ExitCode.checkFailed
    case .cannotTell: throw ExitCode.cannotTell
    }
  }

  private func showHistory() throws -> Comparison.Outcome {
    let read = try DatedRecords.read(sides)
    for note in read.notes { Terminal.say("note: \(note)") }
    let files = try read.files.map {
      DatedRecords(path: $0.path, date: $0.date, records: try $0.records.kept(by: options.filter))
    }
    let history = try History(files, threshold: options.share ?? RecordComparison.threshold)
    print(outputs.json ? try history.json() : outputs.csv ? history.csv : history.text, terminator: "")
    return history.outcome
  }

  private func showComparison() throws -> Comparison.Outcome {
    let machine = Machine.current
    for warning in machine.warnings { Terminal.say("warning: \(warning)") }
    var comparison = try compare(machine)
    comparison.provenance = provenance(of: comparison, machine).text.split(separator: "\n").map(String.init)
    Terminal.progress("")
    try outputs.show(comparison)
    return comparison.outcome
  }

  private func provenance(of comparison: Comparison, _ machine: Machine) -> Provenance {
    let suite = try? TextFile.text(at: SuiteFiles().path(of: options.suite))
    var provenance = Provenance(
      machine: machine, suite: options.suite, suiteText: suite ?? "", command: CommandLine.arguments,
      date: Date())
    provenance.askTools()
    let threads = comparison.cases.compactMap { try? Case(name: $0.name).workload.threads }
    if comparison.method != .records { provenance.probeCores(threads: threads.max() ?? 1) }
    return provenance
  }

  private func compare(_ machine: Machine) throws(MeasurementError) -> Comparison {
    guard !sides.isEmpty else { return try compareKernels(machine) }
    let (base, head) = (try Side(sides[0]), try Side(sides[1]))
    if base.isRecords || head.isRecords { return try compareRecords(base, head, machine) }
    let names = try plan(foreign.adding(head), machine).jobs.flatMap { $0.cases.map(\.name) }
    let (old, new) = (try processes(of: base, sides[0]), try processes(of: head, sides[1]))
    let comparison = PairedComparison(
      names, base: old, head: new, options.comparison, progress: options.progress)
    try comparison.measure()
    return try withInstructions(
      comparison.result(base: sides[0], head: sides[1], method: .processes), old, new)
  }

  private func compareKernels(_ machine: Machine) throws(MeasurementError) -> Comparison {
    let cases = try plan(foreign, machine).jobs.filter { $0.cases.count == kernels.count }
      .map { $0.cases.map(\.name) }
    guard !cases.isEmpty else {
      throw .usage("--kernel: needs kernels that differ, and one --isa: best, or the widest allowed")
    }
    let process = try processes(foreign, executable: nil, title: "blurbench")
    let comparison = PairedComparison(
      kernels: cases, in: process, options.comparison, progress: options.progress)
    try comparison.measure()
    let heads = kernels.dropFirst().joined(separator: ", ")
    return try withInstructions(
      comparison.result(base: kernels[0], head: heads, method: .kernels), process, process)
  }

  /// Records as they are; a side that is none is measured now, by itself.
  private func compareRecords(
    _ base: Side, _ head: Side, _ machine: Machine
  ) throws(MeasurementError) -> Comparison {
    var records: [[Record]?] = []
    for side in [base, head] {
      guard case .records(let path) = side else {
        records.append(nil)
        continue
      }
      records.append(try RecordsCSV.read(TextFile.text(at: path), path: path).kept(by: options.filter))
    }
    for (index, side) in [base, head].enumerated() where records[index] == nil {
      records[index] = try measured(side, sides[index], as: records[1 - index] ?? [], machine)
    }
    return try RecordComparison(records[0]!, records[1]!, options.comparison)
      .result(base: sides[0], head: sides[1])
  }

  private func measured(
    _ side: Side, _ title: String, as others: [Record], _ machine: Machine
  ) throws(MeasurementError) -> [Record] {
    var seen: Set<String> = []
    let names = others.filter { !$0.isCopy && seen.insert($0.name).inserted }.map(\.name)
    let repetitions = others.compactMap(\.repetition).max().map { $0 + 1 } ?? 5
    let process = try processes(of: side, title)
    let measuring = BenchRecords(
      repetitions: repetitions, minTime: options.minTime, machineKey: machine.key
    ) { () throws(MeasurementError) in try process.start() }
    var records: [Record] = []
    for (index, name) in names.enumerated() {
      Terminal.progress("[\(index + 1)/\(names.count)] \(name)")
      records += try measuring.measure(name)
    }
    return records
  }

  private func withInstructions(
    _ comparison: Comparison, _ base: SideProcesses, _ head: SideProcesses
  ) throws(MeasurementError) -> Comparison {
    var comparison = comparison
    guard options.instructions else { return comparison }
    do throws(MeasurementError) {
      let opinion = try SecondOpinion(base: base, head: head) { Terminal.progress($0) }
      opinion.add(to: &comparison)
    } catch { comparison.notes.append("no instructions were counted: \(error)") }
    return comparison
  }

  // MARK: Sides

  private func processes(of side: Side, _ title: String) throws(MeasurementError) -> SideProcesses {
    let executable = try side.executable { Terminal.say($0) }
    return try processes(foreign.adding(side), executable: executable, title: title)
  }

  private func processes(
    _ foreign: ForeignOptions, executable: String?, title: String
  ) throws(MeasurementError) -> SideProcesses {
    let executable = executable ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
    let libraries = try foreign.libraries()
    return SideProcesses(
      title: title, executable: executable, libraries: libraries, timeout: foreign.kernelTimeout
    ) { () throws(MeasurementError) in
      let process = try foreign.worker(["pace"] + libraries)
      process.executableURL = URL(filePath: executable)
      return process
    }
  }

  private func plan(_ foreign: ForeignOptions, _ machine: Machine) throws(MeasurementError) -> MeasurementPlan
  {
    try MeasurementPlan(
      suite: options.suite,
      lists: lists.given(kernels: kernel.isEmpty ? nil : kernels.joined(separator: ",")),
      filter: options.filter, cores: machine.cores,
      kernels: Registry.kernels + foreign.described().map(\.elsewhere), catalog: .interface)
  }
}

extension ForeignOptions {
  /// These, and the plug-in of a side.
  fileprivate func adding(_ side: Side) -> ForeignOptions {
    var all = self
    if let path = side.plugin {
      if path.hasSuffix(".py") { all.python.append(path) } else { all.plugin.append(path) }
    }
    return all
  }
}
